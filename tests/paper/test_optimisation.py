"""Thresholds under Adam, and the spacing of the lambda path."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import Lasso

from lassoflexnet.prox import (
    ByCoordinate,
    ByLearningRate,
    HybridThreshold,
    PlainThreshold,
    ThresholdRule,
    soft_threshold,
)
from lassoflexnet.training.lambda_grid import polynomial

pytestmark = pytest.mark.paper

LAM = 0.1


def data() -> tuple[np.ndarray, np.ndarray]:
    """Columns of very different scale, three of ten with an effect."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10)) * np.geomspace(0.3, 3, 10)
    beta = np.zeros(10)
    beta[[1, 5, 8]] = [2.0, -1.0, 0.5]
    return X, X @ beta + 0.1 * rng.normal(size=200)


def proximal_adam(rule: ThresholdRule, lr: float = 0.01, steps: int = 3000) -> np.ndarray:
    """Paragraph "Proximal Adam", written out; lr falls to make the limit visible."""
    X, y = (torch.tensor(part) for part in data())
    beta, m, v = (torch.zeros(10, dtype=torch.float64) for _ in range(3))
    for t in range(1, steps + 1):
        rate = lr * (1 - t / (steps + 1))
        g = X.T @ (X @ beta - y) / len(y)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        eta = rate / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
        beta = beta - eta * m / (1 - 0.9**t)
        beta = soft_threshold(beta, rule(LAM, rate, eta))
    return beta.numpy()


@pytest.fixture(scope="module")
def lasso() -> np.ndarray:
    X, y = data()
    return Lasso(alpha=LAM, fit_intercept=False, tol=1e-10).fit(X, y).coef_


def test_threshold_of_each_coordinate_reaches_the_lasso(lasso: np.ndarray):
    """Proximal Adam with lambda eta_{i,t}: its limit is the Lasso solution."""
    assert 0 < (lasso == 0).sum() < 10
    beta = proximal_adam(ByCoordinate())
    np.testing.assert_allclose(beta, lasso, atol=1e-4)
    np.testing.assert_array_equal(beta == 0, lasso == 0)


@pytest.mark.parametrize("rule", [ByLearningRate(), PlainThreshold(), HybridThreshold()])
def test_other_thresholds_do_not(rule: ThresholdRule, lasso: np.ndarray):
    """lambda (alg:seq-hier-prox) and lambda eta_t (eqn:lasso_beta_prox) miss it under Adam."""
    beta = proximal_adam(rule)
    assert np.abs(beta - lasso).max() > 0.01
    assert ((beta == 0) != (lasso == 0)).any() or np.abs(beta - lasso).max() > 0.1


def test_threshold_by_learning_rate_is_right_for_gradient_descent(lasso: np.ndarray):
    """eqn:lasso_beta_prox inside plain gradient descent."""
    X, y = (torch.tensor(part) for part in data())
    beta = torch.zeros(10, dtype=torch.float64)
    for _ in range(3000):
        step = beta - 0.05 * X.T @ (X @ beta - y) / len(y)
        beta = soft_threshold(step, ByLearningRate()(LAM, 0.05, beta))
    np.testing.assert_allclose(beta, lasso, atol=1e-6)


@pytest.mark.parametrize(("power", "n"), [(0.95, 20), (0.5, 7), (1.0, 5), (2.0, 2)])
def test_lambda_path(power: float, n: int):
    """Appendix, "lambda path": b_i linear in i, lambda_i = b_i^p."""
    start, multiplier = 1e-7, 1e4
    end = start * multiplier
    expected = []
    for i in range(n):
        b = start ** (1 / power) + i / (n - 1) * (end ** (1 / power) - start ** (1 / power))
        expected.append(b**power)
    path = polynomial(start, end, n, power)
    np.testing.assert_allclose(path, expected)
    np.testing.assert_allclose([path[0], path[-1]], [start, end])


def test_lambda_path_grows_faster_at_the_start():
    """Appendix, text after the path: p < 1 makes steps large first and small later."""
    steps = np.diff(polynomial(1e-7, 1e-3, 20, 0.95))
    assert (np.diff(steps) < 0).all()


def test_lambda_path_of_the_paper_is_almost_linear():
    """At p = 0.95 the path leaves the straight line by less than two percent of its length."""
    path = polynomial(1e-7, 1e-3, 20, 0.95)
    gap = np.abs(path - np.linspace(1e-7, 1e-3, 20)).max()
    assert 0.01 < gap / 1e-3 < 0.02
