"""LassoNet, by the package of its authors: the whole path, then the best point of it.

A row of the catalogue; the order in which columns leave the path is also a selector.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Encoder
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.targets import Target, coded, fitted
from lassoflexnet.bench.rows import Split
from lassoflexnet.estimators.execution import seeded, threads


class Walked(NamedTuple):
    """A path that was walked to its end.

    Attributes
    ----------
    alive : ndarray
        Whether each column of the frame is in use at each point: (points, columns).
    """

    model: Any
    points: list[Any]
    alive: np.ndarray
    encoder: Encoder
    target: Target


@dataclass(frozen=True)
class LassoNet:
    """LassoNet with the package's defaults, but for a coarser path.

    A nominal column is in use while any of its levels is. `lambda_start` of None lets the
    package search for it, which can take longer than the path itself.
    """

    hidden_dims: tuple[int, ...] = (100,)
    lambda_start: float | None = None
    path_multiplier: float = 1.1
    M: float = 10.0
    dropout: float = 0.0
    batch_size: int | None = None
    dense_epochs: int = 1000
    path_epochs: int = 100
    scaling: str | None = None

    def walk(self, split: Split, seed: int) -> Walked:
        """Walk the path until no column is left."""
        lassonet = package("lassonet")
        target, encoder = coded(split), Encoder(split.train.X, self.scaling or split.scaling)
        kind = lassonet.LassoNetRegressor if target.is_regression else lassonet.LassoNetClassifier
        model = kind(**self._arguments(seed))
        with seeded(seed), threads(1):
            points = model.path(
                encoder.matrix(split.train.X),
                target.train,
                X_val=encoder.matrix(target.validation.X),
                y_val=target.validation.y,
                return_state_dicts=True,
                disable_lambda_warning=True,
            )
        alive = np.stack([encoder.fold(p.selected.numpy().astype(float)) > 0 for p in points])
        return Walked(model, points, alive, encoder, target)

    def fit(self, split: Split, seed: int) -> Fitted:
        """Keep the point of lowest validation loss."""
        model, points, alive, encoder, target = self.walk(split, seed)
        best = int(np.argmin([point.val_loss for point in points]))
        model.load(points[best])
        names = split.train.X.columns[alive[best]]
        facts = {"lambda": float(points[best].lambda_), "n_points": len(points)}
        found = fitted(model, encoder.matrix, target, facts)
        return found._replace(selected=tuple(str(name) for name in names))

    def _arguments(self, seed: int) -> dict[str, Any]:
        return {
            "hidden_dims": tuple(self.hidden_dims),
            "lambda_start": "auto" if self.lambda_start is None else self.lambda_start,
            "path_multiplier": self.path_multiplier,
            "M": self.M,
            "dropout": self.dropout,
            "batch_size": self.batch_size,
            "n_iters": (self.dense_epochs, self.path_epochs),
            "random_state": seed,
            "torch_seed": seed,
            "device": "cpu",
            "verbose": 0,
        }
