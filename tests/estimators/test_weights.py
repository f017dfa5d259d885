"""Weights of rows and of classes."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

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


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("binning", ["quantile", "tree"])
def test_a_row_of_weight_zero_is_no_row(task, binning):
    table = mixed(100)
    y = mixed_target(table, task)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 2.0], 100)
    table.loc[weight == 0, ["size", "size_noise"]] = 1e9
    table.loc[weight == 0, "town"] = "nowhere"
    table["same"] = weight == 0  # constant but for the rows that do not count
    kept = weight > 0
    model = estimator_for(task, binning=binning, **QUICK)
    with_zeros = outputs(model.fit(table, y, weight), table)
    without = outputs(model.fit(table[kept], y[kept], weight[kept]), table)
    np.testing.assert_array_equal(with_zeros, without)


def test_a_validation_row_of_weight_zero_is_no_row():
    X, y = numbers(80)
    weight = np.arange(20) % 2
    kept = weight == 1
    model = regressor(**QUICK)
    model.fit(X[:60], y[:60], eval_set=(X[60:], y[60:], weight))
    with_zeros = model.path_.points
    model.fit(X[:60], y[:60], eval_set=(X[60:][kept], y[60:][kept]))
    assert [p.validation_loss for p in with_zeros] == [
        p.validation_loss for p in model.path_.points
    ]
    model.fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    assert with_zeros[0].validation_loss != model.path_.points[0].validation_loss


def test_equal_weights_are_no_weights_and_their_unit_does_not_matter():
    X, y = numbers(60)
    plain = regressor(**QUICK).fit(X, y).predict(X)
    for weight in (np.ones(60), np.full(60, 4.0), 0.5):
        np.testing.assert_array_equal(regressor(**QUICK).fit(X, y, weight).predict(X), plain)
    weight = np.linspace(1, 2, 60)
    uneven = regressor(**QUICK).fit(X, y, weight).predict(X)
    assert (uneven != plain).any()
    np.testing.assert_array_equal(regressor(**QUICK).fit(X, y, 8 * weight).predict(X), uneven)


def test_heavy_rows_are_followed():
    X, _ = numbers(100)
    y = np.where(np.arange(100) < 50, 1.0, -1.0)  # nothing in X tells them apart
    model = regressor(**QUICK)
    assert model.fit(X, y, np.where(y > 0, 20, 1)).predict(X).mean() > 0.5
    assert model.fit(X, y, np.where(y > 0, 1, 20)).predict(X).mean() < -0.5


def test_weights_count_in_the_validation_loss():
    X, y = numbers(80)
    rows = (X[60:], y[60:])
    settings = {"n_lambdas": 0, "max_epochs": 1, "n_members": 1}
    model = regressor(**settings).fit(X[:60], y[:60], eval_set=rows)
    errors = (model.predict(rows[0]) - rows[1]) ** 2 / y[:60].var()
    weight = 1.0 * (errors < np.median(errors))  # counts only what is easy
    easy = regressor(**settings).fit(X[:60], y[:60], eval_set=(*rows, weight))
    assert model.path_.points[0].validation_loss == pytest.approx(errors.mean(), rel=1e-5)
    assert easy.path_.points[0].validation_loss < 0.5 * errors.mean()


def test_class_weights_are_row_weights():
    X, y = labelled(80)
    y[:20] = "low"
    weight_of = {label: 30 / (y[:60] == label).sum() for label in ("high", "low")}
    weight = np.array([weight_of[label] for label in y])
    np.testing.assert_allclose(weight[:60], compute_sample_weight("balanced", y[:60]))
    balanced = classifier(class_weight="balanced", **QUICK)
    balanced.fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    weighted = classifier(**QUICK)
    weighted.fit(X[:60], y[:60], weight[:60], eval_set=(X[60:], y[60:], weight[60:]))
    np.testing.assert_array_equal(balanced.predict_proba(X), weighted.predict_proba(X))
    plain = classifier(**QUICK).fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    assert (plain.predict_proba(X) != weighted.predict_proba(X)).any()


@pytest.mark.parametrize("favoured", ["high", "low"])
def test_a_class_of_great_weight_is_predicted(favoured):
    X, y = labelled(80)
    model = classifier(class_weight={favoured: 200.0}, **QUICK | {"max_epochs": 8}).fit(X, y)
    assert (model.predict(X) == favoured).mean() > 0.8


def test_scores_take_weights():
    X, y = numbers(60)
    model = regressor(**QUICK).fit(X, y)
    assert model.score(X, y, np.linspace(0, 1, 60)) != model.score(X, y)
