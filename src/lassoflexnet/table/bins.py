"""Bin edges for piecewise-linear encoding, from a tree or from quantiles.

Called once per numeric column by its encoding; knows nothing of torch.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lassoflexnet.exceptions import InvalidInput

MAX_TREE_CLASSES = 50
"""Number of classes above which a tree costs more than its edges are worth."""

_LARGEST = np.finfo(np.float64).max / 2


@dataclass(frozen=True, eq=False)
class Target:
    """What a column is fitted to.

    Attributes
    ----------
    y : ndarray of shape (n,)
        Numbers, or class codes from 0.
    is_classification : bool
        Whether they are class codes.
    weight : ndarray of shape (n,) or None
        Weight of each row, positive; None weighs rows equally.
    """

    y: np.ndarray
    is_classification: bool
    weight: np.ndarray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 for numbers."""
        return int(self.y.max()) + 1 if self.is_classification else 0

    def rows(self, index: np.ndarray | slice) -> "Target":
        """Target of some rows."""
        weight = None if self.weight is None else self.weight[index]
        return Target(self.y[index], self.is_classification, weight)


class Bins(Protocol):
    """A way to place bin edges."""

    def edges(
        self, x: np.ndarray, target: Target, *, n_bins: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Edges of at most ``n_bins`` bins: ascending, distinct, from min to max of x."""


@dataclass(frozen=True)
class QuantileBins:
    """Edges at equally spaced quantiles; equal ones are merged.

    With weights, quantiles are those of the weighted distribution, not interpolated.
    """

    def edges(
        self,
        x: np.ndarray,
        target: Target,
        *,
        n_bins: int,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> np.ndarray:
        """Edges of at most ``n_bins`` bins: ascending, distinct, from min to max of x."""
        x = np.clip(x, -_LARGEST, _LARGEST)
        inner = np.linspace(0, 1, n_bins + 1)[1:-1]
        if target.weight is None:
            return _closed(np.quantile(x, inner), x)
        return _closed(np.quantile(x, inner, weights=target.weight, method="inverted_cdf"), x)


@dataclass(frozen=True)
class TreeBins:
    """Edges at the splits of a decision tree that predicts the target from the column.

    Above 50 classes quantiles are used instead.

    Parameters
    ----------
    min_samples_leaf : int or None
        Rows a bin must hold; None means a fiftieth of the rows, at least 1, at most 24.
    min_impurity_decrease : float
        Gain a split must bring: for numbers as a share of the target's variance, so that
        its unit does not matter, for classes in Gini impurity.
    max_rows : int
        Rows the tree sees; a random sample of them above that. Minimum and maximum are
        always those of all rows.
    """

    min_samples_leaf: int | None = None
    min_impurity_decrease: float = 0.0
    max_rows: int = 20_000

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_at_least(1, max_rows=self.max_rows, min_samples_leaf=self.min_samples_leaf)
        require_at_least(0, min_impurity_decrease=self.min_impurity_decrease)

    def edges(
        self, x: np.ndarray, target: Target, *, n_bins: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Edges of at most ``n_bins`` bins: ascending, distinct, from min to max of x."""
        if target.n_classes > MAX_TREE_CLASSES:
            return QuantileBins().edges(x, target, n_bins=n_bins, rng=rng)
        x = np.clip(x, -_LARGEST, _LARGEST)
        seen, target_seen = x, target
        if len(x) > self.max_rows:
            sample = rng.choice(len(x), self.max_rows, replace=False, shuffle=False)
            seen, target_seen = x[sample], target.rows(sample)
        values, rank = np.unique(seen, return_inverse=True)
        below = self._splits(rank, target_seen, n_bins)
        return _closed(values[below] / 2 + values[below + 1] / 2, x)

    def _splits(self, rank: np.ndarray, target: Target, n_bins: int) -> np.ndarray:
        """Ranks below which the tree splits."""
        if n_bins < 2:
            return np.zeros(0, dtype=np.int64)
        tree, y = _tree_and_target(target)
        tree.set_params(
            max_leaf_nodes=n_bins,
            min_samples_leaf=self.min_samples_leaf or max(1, min(24, len(rank) // 50)),
            min_impurity_decrease=self.min_impurity_decrease,
            random_state=0,
        )
        # Ranks, not values: the tree works in float32, in which dates two minutes apart
        # are equal, and never splits values closer than 1e-7.
        tree.fit(rank[:, None].astype(np.float32), y, sample_weight=target.weight)
        is_split = tree.tree_.feature >= 0
        return np.floor(tree.tree_.threshold[is_split]).astype(np.int64)


def _tree_and_target(
    target: Target,
) -> tuple[DecisionTreeClassifier | DecisionTreeRegressor, np.ndarray]:
    if target.is_classification:
        return DecisionTreeClassifier(), target.y
    mean, std = mean_and_std(target.y, target.weight)
    return DecisionTreeRegressor(), (target.y - mean) / std


def mean_and_std(x: np.ndarray, weight: np.ndarray | None) -> tuple[float, float]:
    """Weighted mean and standard deviation, the latter 1 where there is none."""
    size = float(np.abs(x).max()) or 1.0
    unit = x / size  # the square of a huge number would overflow
    mean = np.average(unit, weights=weight)
    std = np.sqrt(np.average((unit - mean) ** 2, weights=weight))
    return float(mean * size), float(std * size) or 1.0


def require_at_least(minimum: int, **given: float | None) -> None:
    """Raise if a named number is below the minimum; None stands for a default."""
    for name, value in given.items():
        if value is not None and not value >= minimum:
            raise InvalidInput(f"`{name}` is {value}. Use a number of at least {minimum}.")


def _closed(inner: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Inner edges with the minimum and maximum of x around them."""
    return np.unique(np.concatenate([[x.min()], inner, [x.max()]]))
