"""Tables of any make, any order, and of hardly any size."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import r2_score

from lassoflexnet.exceptions import InvalidInput
from tests.estimators.makers import (
    QUICK,
    TASKS,
    classifier,
    estimator_for,
    labelled,
    mixed,
    mixed_target,
    numbers,
    outputs,
    regressor,
)

NAMELESS = ("numpy", "numpy, by columns", "numpy objects", "lists")
NAMES = [f"x{j}" for j in range(5)]
MAKES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas objects": lambda X: pd.DataFrame(X, columns=NAMES, dtype=object),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "numpy": lambda X: X,
    "numpy, by columns": np.asfortranarray,
    "numpy objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
}


def gappy() -> tuple[np.ndarray, np.ndarray]:
    X, y = numbers(60)
    X[::7, 1] = np.nan
    return X, y


@pytest.fixture(scope="module")
def expected():
    X, y = gappy()
    return regressor(**QUICK).fit(X, y).predict(X)


@pytest.mark.parametrize("make", MAKES)
def test_the_make_of_the_table_does_not_matter(make, expected):
    X, y = gappy()
    table = MAKES[make](X)
    model = regressor(**QUICK).fit(table, y)
    np.testing.assert_array_equal(model.predict(table), expected)
    for other in MAKES.values():
        again = other(X)
        unmatched = make in NAMELESS and not isinstance(again, (np.ndarray, list))
        doubt = pytest.warns(UserWarning, match="taken by position") if unmatched else nullcontext()
        with doubt:
            np.testing.assert_array_equal(model.predict(again), expected)


@pytest.mark.parametrize("make", ["polars", "pyarrow"])
def test_a_mixed_frame_of_any_make(make):
    frame = mixed(80).astype({"town_noise": str})
    frame["town_noise"] = frame["town_noise"].where(frame["town_noise"] != "nan", None)
    y = mixed_target(frame, "binary")
    table = pl.from_pandas(frame) if make == "polars" else pa.Table.from_pandas(frame)
    model = classifier(**QUICK).fit(frame, y)
    other = classifier(**QUICK).fit(table, y)
    np.testing.assert_array_equal(other.predict_proba(table), model.predict_proba(frame))
    np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(frame))
    assert other.selected_features_.tolist() == model.selected_features_.tolist()


def test_the_order_of_named_columns_does_not_matter():
    frame = mixed(60)
    model = regressor(**QUICK).fit(frame, mixed_target(frame, "regression"))
    expected = model.predict(frame)
    np.testing.assert_array_equal(model.predict(frame[frame.columns[::-1]]), expected)
    with pytest.warns(UserWarning, match="1 column that fit did not see.*`more`") as caught:
        np.testing.assert_array_equal(model.predict(frame.assign(more=1.0)), expected)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("target", [pd.Series, pl.Series, pa.array, list, tuple])
def test_targets_of_any_make(target, expected):
    X, y = gappy()
    np.testing.assert_array_equal(regressor(**QUICK).fit(X, target(y)).predict(X), expected)


@pytest.mark.parametrize("form", [tuple, lambda e: [tuple(e)], lambda e: (*e, None)])
def test_forms_of_an_eval_set(form):
    X, y = numbers(80)
    model = regressor(**QUICK).fit(X[:60], y[:60], eval_set=form((X[60:], y[60:])))
    plain = regressor(**QUICK).fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_an_eval_set_may_be_of_another_make():
    X, y = numbers(80)
    held = (pl.DataFrame(X[60:], schema=NAMES), y[60:].tolist())
    model = regressor(**QUICK).fit(pd.DataFrame(X[:60], columns=NAMES), y[:60], eval_set=held)
    plain = regressor(**QUICK).fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


CODES = QUICK | {"max_epochs": 8}


def coded() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "code": rng.integers(0, 30, 90)})
    return frame, (frame["code"] % 2).to_numpy(dtype=float)


@pytest.fixture(scope="module")
def by_text():
    frame, y = coded()
    return regressor(**CODES).fit(frame.astype({"code": str}), y).predict(frame)


@pytest.mark.parametrize("declared", [["code"], ("code",), [1], [False, True], np.array([1])])
def test_categories_declared_in_any_way(declared, by_text):
    frame, y = coded()
    model = regressor(categorical_features=declared, **CODES).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), by_text)


def test_numbers_are_not_categories_unless_declared(by_text):
    frame, y = coded()
    plain = regressor(**CODES).fit(frame, y)
    assert r2_score(y, by_text) > plain.score(frame, y) + 0.2


@pytest.mark.parametrize("task", TASKS)
def test_a_table_of_constants(task):
    y = mixed_target(mixed(40), task)
    X = np.tile([1.0, np.nan, 7.0], (40, 1))
    model = estimator_for(task, **QUICK).fit(X, y)
    assert model.n_selected_ == 0
    assert model.feature_importances_.tolist() == [0, 0, 0]
    said = outputs(model, X)
    np.testing.assert_array_equal(said, said[[0]].repeat(40, axis=0))
    assert len(model.path_.points) == 1


@pytest.mark.parametrize("task", TASKS)
def test_a_table_of_noise(task):
    y = mixed_target(mixed(100), task)
    X = np.random.default_rng(5).normal(size=(100, 6))
    model = estimator_for(task, lambda_end=1.0).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1 if model.n_selected_ else 0)
    assert np.isfinite(outputs(model, X)).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_handful_of_rows(n):
    X, y = numbers(n, 3)
    few = {"max_epochs": 2, "n_lambdas": 2, "lambda_end": 1.0}
    # Of two rows one is held out, and the other one's target is a constant.
    doubt = pytest.warns(UserWarning, match="in all 1 training") if n == 2 else nullcontext()
    with doubt:
        model = regressor(**few).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    labels = np.arange(n) % 2
    if n == 2:
        with pytest.raises(InvalidInput, match="2 classes of one row each"):
            classifier().fit(X, labels)
        return
    assert np.isfinite(classifier(**few).fit(X, labels).predict_proba(X)).all()


def test_one_row_to_train_and_one_to_judge():
    X, y = numbers(2)
    with pytest.warns(UserWarning, match="in all 1 training rows"):
        model = regressor().fit(X[:1], y[:1], eval_set=(X[1:], y[1:]))
    assert model.predict(X).tolist() == [y[0], y[0]]


def test_a_single_column():
    X, y = numbers(80, 1 + 1)
    model = regressor(**QUICK | {"max_epochs": 8}).fit(X[:, :1], y)
    assert model.n_features_in_ == model.n_selected_ == 1
    assert model.feature_importances_.tolist() == [1.0]
    assert model.score(X[:, :1], y) > 0.5


@pytest.mark.parametrize("value", [0.1, 1e9])
def test_a_constant_target_is_predicted_exactly(value):
    X, _ = numbers(40)
    with pytest.warns(UserWarning, match="in all 34 training rows") as caught:
        model = regressor(**QUICK).fit(X, np.full(40, value))
    assert {warning.filename for warning in caught} == {__file__}
    assert set(model.predict(X)) == {value}


def test_more_columns_than_rows():
    X, y = labelled(20, 60)
    model = classifier(**QUICK).fit(X, y)
    assert model.support_.shape == (60,)
    assert np.isfinite(model.predict_proba(X)).all()


def test_batches_of_one_row():
    X, y = numbers(12)
    assert np.isfinite(regressor(batch_size=1, **QUICK).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("make", MAKES)
def test_long_tables_are_predicted_block_by_block(make, expected, monkeypatch):
    X, y = gappy()
    table = MAKES[make](X)
    model = regressor(**QUICK).fit(table, y)
    monkeypatch.setattr("lassoflexnet.table.table_encoder.BLOCK_ROWS", 7)
    np.testing.assert_allclose(model.predict(table), expected, rtol=1e-9)


@pytest.mark.parametrize("make", ["pandas", "polars", "pyarrow"])
def test_blocks_of_a_mixed_frame(make, monkeypatch):
    frame = mixed(80).astype({"town_noise": str})
    frame["town_noise"] = frame["town_noise"].where(frame["town_noise"] != "nan", None)
    makes = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
    table = makes[make](frame)
    model = classifier(**QUICK).fit(table, mixed_target(frame, "binary"))
    expected = model.predict_proba(table)
    monkeypatch.setattr("lassoflexnet.table.table_encoder.BLOCK_ROWS", 11)
    np.testing.assert_allclose(model.predict_proba(table), expected, rtol=1e-9)
