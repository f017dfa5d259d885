"""A removed column has no influence at all, bit for bit."""

import pickle

import numpy as np
import pandas as pd
import pytest

from tests.estimators.makers import TASKS, estimator_for, mixed, mixed_target, outputs

N = 90


def spoilt(name: str, column: pd.Series, rng: np.random.Generator) -> list[pd.Series]:
    """Other values of a column's own type, none of them like those it had."""
    n, kind = len(column), name.partition("_")[0]
    by_kind = {
        "size": [np.nan, 1e300, -1e300, 0.0, rng.normal(size=n) * 1e6],
        "same": [np.nan, 1e300, "anything", rng.normal(size=n)],
        "flag": [True, False, None, rng.random(n) < 0.5],
        "town": [None, "b", "never seen", "12", rng.choice(["c", "Ulm", "?"], n)],
        "day": [pd.NaT, pd.Timestamp("1700-01-01"), pd.date_range("2200-01-01", periods=n)],
    }
    return [pd.Series(values, index=column.index, name=name) for values in by_kind[kind]]


KINDS = {
    "mlp": {"backbone": "mlp", "refit": False},
    "mixer": {"backbone": "mixer", "refit": False},
    "members": {"n_members": 3},
}


@pytest.fixture(scope="module", params=[(t, k) for t in TASKS for k in KINDS], ids=str)
def model(request):
    task, kind = request.param
    table = mixed(N)
    y = mixed_target(table, task)
    settings = {"max_epochs": 6, "n_lambdas": 8, "selection": 2, **KINDS[kind]}
    return estimator_for(task, **settings).fit(table, y)


def test_columns_of_every_kind_were_removed_and_some_kept(model):
    assert 1 <= model.n_selected_ <= 2
    removed = {name.partition("_")[0] for name in mixed(2).columns[~model.support_]}
    assert removed == {"size", "flag", "town", "day", "same"}


def test_a_removed_column_may_hold_anything(model):
    rng = np.random.default_rng(0)
    table = mixed(N, seed=1)
    expected = outputs(model, table)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(outputs(again, table), expected)
    for name in table.columns[~model.support_]:
        for column in spoilt(name, table[name], rng):
            changed = table.assign(**{name: column})
            np.testing.assert_array_equal(outputs(model, changed), expected)
            np.testing.assert_array_equal(outputs(again, changed), expected)


def test_all_removed_columns_may_change_at_once(model):
    rng = np.random.default_rng(1)
    table = mixed(N, seed=1)
    columns = {name: spoilt(name, table[name], rng)[-1] for name in table.columns[~model.support_]}
    np.testing.assert_array_equal(outputs(model, table.assign(**columns)), outputs(model, table))


def test_a_kept_column_may_not(model):
    rng = np.random.default_rng(2)
    table = mixed(N, seed=1)
    expected = outputs(model, table)
    for name in model.selected_features_:
        changed = table.assign(**{name: spoilt(name, table[name], rng)[-1]})
        assert (outputs(model, changed) != expected).any()


def test_arrays_of_numbers_behave_alike():
    X = np.random.default_rng(0).normal(size=(N, 6))
    model = estimator_for("regression", selection=2, refit=False).fit(X, X[:, 0] + X[:, 1])
    expected = model.predict(X)
    changed = X.copy()
    changed[:, ~model.support_] = [[1e300, -5.0, np.nan, 0.0][: (~model.support_).sum()]]
    assert model.n_selected_ == 2
    np.testing.assert_array_equal(model.predict(changed), expected)
