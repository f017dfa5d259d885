"""Selectors without networks: single columns, the Lasso, and importances of trees.

Rows of the catalogue.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.feature_selection import f_classif, f_regression

from lassoflexnet.bench.methods.inputs import Encoder
from lassoflexnet.bench.methods.linear import Lasso
from lassoflexnet.bench.methods.trees import RandomForest, XGBoost
from lassoflexnet.bench.rows import Split


@dataclass(frozen=True)
class Univariate:
    """F statistic of each column alone; of a nominal column, its best level's."""

    scaling: str | None = None

    def rank(self, split: Split, seed: int) -> np.ndarray:  # noqa: ARG002
        """Importance of each column."""
        encoder = Encoder(split.train.X, self.scaling or split.scaling)
        statistic = f_regression if split.task == "regression" else f_classif
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Constant columns have no statistic, and get none.
            warnings.simplefilter("ignore")
            scores, _ = statistic(encoder.matrix(split.train.X).astype(float), split.train.y)
        found = np.zeros(encoder.n_columns)
        np.maximum.at(found, encoder.owners, np.abs(np.nan_to_num(scores)))
        return found


@dataclass(frozen=True)
class LassoSelector:
    """Length of each column's coefficients in the Lasso, over classes and levels."""

    lasso: Lasso = Lasso()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        return self.lasso.choose(split, seed).lengths


@dataclass(frozen=True)
class RandomForestSelector:
    """Mean decrease of impurity in a random forest."""

    forest: RandomForest = RandomForest()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        return np.asarray(self.forest.grow(split, seed).model.feature_importances_)


@dataclass(frozen=True)
class XGBoostSelector:
    """Gain in XGBoost."""

    trees: XGBoost = XGBoost(n_estimators=2000, early_stopping_rounds=50)

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        return np.asarray(self.trees.grow(split, seed).model.feature_importances_)
