"""Scores against scikit-learn and by hand."""

import math

import numpy as np
import pytest
from sklearn import metrics

from lassoflexnet.bench.protocols.scores import score
from lassoflexnet.exceptions import InvalidInput

RNG = np.random.default_rng(0)


def test_numbers():
    y, predictions = RNG.standard_normal((2, 50))
    found = score(y, predictions, "regression", 0)
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(y, predictions))
    assert found["r2"] == pytest.approx(metrics.r2_score(y, predictions))
    assert score(np.ones(3), np.zeros(3), "regression", 0) == {"rmse": 1.0}


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("decimals", [1, 12])  # few decimals: many ties
def test_classes(n_classes, decimals):
    y = np.arange(120) % n_classes
    p = RNG.dirichlet(np.ones(n_classes), 120)
    p = (p + 0.2 * np.eye(n_classes)[y]).round(decimals) + 0.1
    p /= p.sum(axis=1, keepdims=True)
    found = score(y, p, "binary" if n_classes == 2 else "multiclass", n_classes)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(y, p.argmax(axis=1)))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, p))
    if n_classes == 2:
        assert found["roc_auc"] == pytest.approx(metrics.roc_auc_score(y, p[:, 1]))
    else:
        expected = metrics.roc_auc_score(y, p, multi_class="ovo", average="macro")
        assert found["roc_auc_ovo"] == pytest.approx(expected)
    assert all(type(value) is float for value in found.values())


def test_classes_of_unequal_size_and_order():
    y = np.array([2, 2, 2, 2, 0, 1, 1, 0, 2, 1, 2])
    p = RNG.dirichlet(np.ones(3), 11)
    expected = metrics.roc_auc_score(y, p, multi_class="ovo", average="macro")
    assert score(y, p, "multiclass", 3)["roc_auc_ovo"] == pytest.approx(expected)


def test_a_class_that_is_not_there_leaves_the_auc_out():
    y = np.array([0, 2, 2])
    assert set(score(y, np.full((3, 3), 1 / 3), "multiclass", 3)) == {"accuracy", "log_loss"}
    assert set(score(y * 0, np.full((3, 2), 0.5), "binary", 2)) == {"accuracy", "log_loss"}


def test_a_sure_mistake_costs_much_but_not_everything():
    p = np.array([[1.0, 0.0], [1.0, 0.0]])
    found = score(np.array([0, 1]), p, "binary", 2)
    assert found["log_loss"] == pytest.approx(-math.log(1e-7) / 2)


def test_predictions_that_are_none_are_refused():
    y = np.array([0, 1])
    with pytest.raises(InvalidInput, match=r"shape \(2,\). Use \(2, 2\)"):
        score(y, np.array([0.1, 0.9]), "binary", 2)
    with pytest.raises(InvalidInput, match="NaN or infinity"):
        score(y, np.array([0.1, np.nan]), "regression", 0)
