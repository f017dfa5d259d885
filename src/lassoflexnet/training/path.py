"""The lambda path: from all features to none.

Called by ``fit`` after the dense stage. A feature whose skip weight is zero when a
lambda ends is cut out of the network for good, so later lambdas cost less.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lassoflexnet.optim import AdamWSettings, Constant, OptimizerSettings, ProximalOptimizer
from lassoflexnet.prox import (
    AdaptiveWeights,
    ByCoordinate,
    LambdaWeights,
    Prox,
    SequentialHierProx,
    ThresholdRule,
)
from lassoflexnet.training.averaging import average_of
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.history import counted
from lassoflexnet.training.knockout import Knockout
from lassoflexnet.training.lambda_grid import polynomial
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.stage import Objective, Snapshot, Stage, StageSettings, frozen

# The range found from the data is a bound for fixed embeddings; they adapt, so the
# path may have to go further to reach its end. It grows by this factor, so many times.
OVERTIME_FACTOR = 1.5
MAX_OVERTIME = 40

# Lambdas below this share of the last one are not worth a visit.
SMALLEST_SHARE = 1e-4


@dataclass(frozen=True)
class PathSettings:
    """The grid of lambdas, the budget of each, and how lambda acts.

    Attributes
    ----------
    n_lambdas : int
        Points between start and end; 0 leaves the path out.
    start, end : float or None
        Ends of the grid; None finds them from the data.
    multiplier : float or None
        End over start, used when ``end`` is None.
    power : float
        Spacing, see ``lambda_grid.polynomial``.
    budget : StageSettings
        Budget of each lambda.
    optimizer : part
        Takes the unconstrained steps.
    prox, threshold, weights : parts
        The operator, what lambda means for one step, and for each feature.
    ema_decay : float
        Decay of the moving average of the gate inside the proximal step.
    """

    n_lambdas: int = 20
    start: float | None = None
    end: float | None = None
    multiplier: float | None = None
    power: float = 8.0
    budget: StageSettings = StageSettings(max_epochs=4, schedule=Constant())
    optimizer: OptimizerSettings = AdamWSettings(learning_rate=2e-3)
    prox: Prox = SequentialHierProx()
    threshold: ThresholdRule = ByCoordinate()
    weights: LambdaWeights = AdaptiveWeights()
    ema_decay: float = 0.9

    def lambdas(self, first: float, last: float) -> Iterator[float]:
        """Lambdas to visit, given what the data say of the ends.

        Without a given end the path goes on, faster, until no feature lives.
        """
        found = max(first, SMALLEST_SHARE * last)
        start = min(found, self.end or found) if self.start is None else self.start
        end = self.end or (start * self.multiplier if self.multiplier else max(last, start))
        yield from polynomial(start, end, self.n_lambdas, self.power)
        if self.n_lambdas and self.end is None and self.multiplier is None:
            yield from end * OVERTIME_FACTOR ** np.arange(1, MAX_OVERTIME + 1)


class LambdaWalk:
    """A network on its way along the path, with all that must follow its cuts."""

    def __init__(
        self,
        dense: Snapshot,
        data: TrainingData,
        worth: Tensor,
        *,
        settings: PathSettings,
        objective: Objective,
        average_decay: float,
    ) -> None:
        self.network = copy.deepcopy(dense.network)
        self.data = data
        self.settings = settings
        self.objective = objective
        self.average = average_of(self.network, average_decay)
        self.features = torch.arange(data.layout.n_features)
        self.optimizer = ProximalOptimizer(
            settings.optimizer.build(*self.network.split_parameters()),
            self.network,
            prox=settings.prox,
            threshold=settings.threshold,
            ema_decay=settings.ema_decay,
            weights=settings.weights(worth),
        )

    def visit(self, lam: float) -> PathPoint:
        """Train at one lambda, cut what died, and note where that leaves us."""
        started = self.objective.monitor.seconds()
        self.optimizer.lam = lam
        _, n_epochs = self._stage(lam).run()
        self._cut()
        best = frozen(self._stage(lam).evaluate().best)
        return PathPoint(
            lam=lam,
            validation_loss=best.loss,
            n_features=len(self.features),
            n_epochs=n_epochs,
            seconds=self.objective.monitor.seconds() - started,
            features=tuple(self.features.tolist()),
            norms=tuple(best.network.gate().norm().tolist()),
            snapshot=best,
        )

    def _stage(self, lam: float) -> Stage:
        return Stage(
            "path",
            self.network,
            self.optimizer,
            self.data,
            settings=self.settings.budget,
            objective=self.objective,
            average=self.average,
            lam=lam,
        )

    def _cut(self) -> None:
        alive = self.network.gate().support()
        if alive.all():
            return
        kept = torch.nonzero(alive).squeeze(1).cpu()
        self.optimizer.keep(kept, self.network.keep(kept))
        self.average.keep(kept)
        self.data = self.data.keep(kept)
        self.features = self.features[kept]


def walk_path(walk: LambdaWalk, knockout: Knockout, null_pull: Tensor) -> list[PathPoint]:
    """Visit the lambdas until no feature lives."""
    weights = walk.optimizer.weights
    first = 0.5 * float((knockout.pull / weights).min())
    last = float((null_pull / weights).max())
    points: list[PathPoint] = []
    for lam in walk.settings.lambdas(first, last):
        points.append(walk.visit(float(lam)))
        point, monitor = points[-1], walk.objective.monitor
        monitor.say(
            f"lambda {point.lam:.3g}: validation {point.validation_loss:.5f}, "
            f"{counted(point.n_features)}, {counted(point.n_epochs, 'epoch')}"
        )
        if point.n_features == 0:
            break
    return points
