"""Points of the lambda path, as values.

Made by the path; read by the choice, by users (``path_``) and by plots.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lassoflexnet.training.history import counted, to_frame
from lassoflexnet.training.stage import Snapshot


@dataclass(frozen=True)
class PathPoint:
    """One lambda of the path (0 for the dense stage).

    Attributes
    ----------
    lam : float
        Lambda.
    validation_loss : float
        Mean validation error of the point.
    n_features : int
        Features alive.
    n_epochs : int
        Epochs spent.
    seconds : float
        Time spent.
    features : tuple of int
        Numbers of the features alive, ascending.
    norms : tuple of float
        Size of the skip weights of each feature alive.
    snapshot : Snapshot or None
        The network; dropped when the fit is over.
    cross_fitted_loss : float
        Error, on rows they have not seen, of networks trained from scratch on these features
        alone, together where several have not seen a row: what the choice went by. NaN where
        the features were not compared.
    """

    lam: float
    validation_loss: float
    n_features: int
    n_epochs: int
    seconds: float
    features: tuple[int, ...]
    norms: tuple[float, ...]
    snapshot: Snapshot | None = field(default=None, repr=False, compare=False)
    # Not compared: a NaN that was pickled is not equal to itself.
    cross_fitted_loss: float = field(default=math.nan, compare=False)


@dataclass(frozen=True, repr=False)
class LambdaPath:
    """The dense stage and all lambdas, in order; ``n_features_in`` columns at the start."""

    points: tuple[PathPoint, ...]
    n_features_in: int

    def __repr__(self) -> str:
        """How many points; a table of them is long."""
        return f"<LambdaPath: {counted(len(self.points), 'point')}, see to_frame()>"

    def to_frame(self) -> Any:
        """One row per point: lambda, features alive, losses, epochs, seconds (needs pandas)."""
        frame = to_frame(self.points, PathPoint, ("features", "norms", "snapshot"))
        first = ["lambda", "n_features", "validation_loss", "cross_fitted_loss"]
        return frame[[*first, *(name for name in frame if name not in first)]]

    def lambdas(self) -> np.ndarray:
        """Lambda of each point."""
        return np.array([point.lam for point in self.points])

    def norms(self) -> np.ndarray:
        """Sizes of the skip weights along the path: (points, n_features_in)."""
        table = np.zeros((len(self.points), self.n_features_in))
        for row, point in zip(table, self.points, strict=True):
            row[list(point.features)] = point.norms
        return table

    def renumbered(self, numbers: np.ndarray, n_features_in: int) -> "LambdaPath":
        """The path in the numbering of a larger table, without the networks."""
        points = tuple(
            replace(p, features=tuple(int(numbers[f]) for f in p.features), snapshot=None)
            for p in self.points
        )
        return LambdaPath(points, n_features_in)
