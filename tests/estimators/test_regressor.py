"""The flat regressor learns what it is for."""

import numpy as np
from sklearn.linear_model import LinearRegression

from lassoflexnet import LassoFlexNetRegressor
from tests.estimators.makers import regressor

LONGER = {"max_epochs": 25, "d_hidden": 32, "n_lambdas": 0}


def table(n: int = 300, d: int = 4) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def test_arguments_are_stored_untouched():
    mask = np.array([True, False])
    model = LassoFlexNetRegressor(categorical_features=mask, n_bins=np.int64(5), M=7)
    assert model.categorical_features is mask
    assert isinstance(model.n_bins, np.int64)
    assert isinstance(model.M, int)


def test_curves_are_learned():
    X = table()
    y = np.abs(X[:, 0]) + X[:, 1] ** 2
    assert regressor(**LONGER).fit(X, y).score(X, y) > 0.8
    assert LinearRegression().fit(X, y).score(X, y) < 0.2


def test_interactions_are_learned_by_the_backbone():
    X = table()
    y = np.sign(X[:, 0]) * X[:, 1]
    assert regressor(**LONGER).fit(X, y).score(X, y) > 0.7
    assert regressor(tau=0.0, **LONGER).fit(X, y).score(X, y) < 0.4


def test_noise_leaves_the_path_before_the_signal():
    X = table(d=8)
    y = 2 * X[:, 0] + np.abs(X[:, 1])
    model = regressor(max_epochs=12, n_lambdas=6, selection=2, refit=False).fit(X, y)
    last = [point.features for point in model.path_.points if 0 < point.n_features <= 2]
    assert last
    assert set().union(*last) <= {0, 1}
    assert model.score(X, y) > 0.8
