"""The whole of training: dense stage, path, choice, refit.

Called by estimators with coded data; knows nothing of tables.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from lassoflexnet.codes import CodeLayout
from lassoflexnet.nn import Network
from lassoflexnet.optim import AdamWSettings
from lassoflexnet.training.averaging import CALIBRATION_ROWS, ModelAverage
from lassoflexnet.training.choice import OneStandardError, PathChoice
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.knockout import knock_out, largest_pull
from lassoflexnet.training.path import LambdaWalk, OptimizerSettings, PathSettings, walk_path
from lassoflexnet.training.points import LambdaPath, PathPoint
from lassoflexnet.training.stage import Objective, Snapshot, Stage, StageSettings

Build = Callable[[CodeLayout], Network]


@dataclass(frozen=True)
class Plan:
    """How a network is trained.

    Attributes
    ----------
    optimizer, dense : parts
        Optimiser and budget of the dense stage.
    path : PathSettings
        The lambda path.
    relax, refit : StageSettings
        Budgets of training a support's survivors once more without lambda: from the path's
        weights, and from scratch. 0 epochs leave it out.
    max_refits : int
        Supports that are refitted at most, those of the lowest validation error first.
    choice : part
        Which point is kept, once refitted.
    model_ema_decay : float
        Decay of the average of the whole network; 0 leaves it out.
    """

    optimizer: OptimizerSettings = AdamWSettings(learning_rate=2e-3)
    dense: StageSettings = StageSettings()
    path: PathSettings = PathSettings()
    relax: StageSettings = StageSettings(max_epochs=10)
    refit: StageSettings = StageSettings()
    max_refits: int = 4
    choice: PathChoice = OneStandardError()
    model_ema_decay: float = 0.99


class FitResult(NamedTuple):
    """What training leaves: the network of the kept features, its point, the path."""

    network: Network
    point: PathPoint
    path: LambdaPath


class Trainer:
    """Runs a plan on data."""

    def __init__(self, plan: Plan, build: Build, data: TrainingData, objective: Objective) -> None:
        self.plan = plan
        self.build = build
        self.data = data
        self.objective = objective

    def fit(self) -> FitResult:
        """Dense stage, path, refits, choice."""
        dense = self._dense_point()
        points = [dense, *self._path(dense)]
        path = LambdaPath(tuple(points), self.data.layout.n_features)
        refitted = self._refitted(self.plan.choice.eligible(points))
        candidates = self.plan.choice(refitted, self.data.validation.weight)
        # Within a standard error of the best may still be worse than the dense stage.
        point = next(
            (p for p in candidates if p.validation_loss <= dense.validation_loss), candidates[-1]
        )
        assert point.snapshot is not None
        self.objective.monitor.say(
            f"kept lambda {point.lam:.3g} with {point.n_features} columns, "
            f"validation {point.validation_loss:.5f}"
        )
        # By both: a range of one value visits the same lambda again and again.
        same = (p for p in points if (p.lam, p.features) == (point.lam, point.features))
        return FitResult(point.snapshot.network, next(same), path)

    def _train(
        self, name: str, network: Network, data: TrainingData, settings: StageSettings
    ) -> tuple[Snapshot, int]:
        """Train without lambda; best network met, and epochs spent."""
        stage = Stage(
            name,
            network,
            self.plan.optimizer.build(*network.split_parameters()),
            data,
            settings=settings,
            objective=self.objective,
            average=ModelAverage(network, self.plan.model_ema_decay),
        )
        return stage.run()

    def _dense_point(self) -> PathPoint:
        network = self._fresh(self.data)
        started = self.objective.monitor.seconds()
        best, n_epochs = self._train("dense", network, self.data, self.plan.dense)
        self.objective.monitor.say(
            f"dense stage: validation {best.loss:.5f}, "
            f"{self.data.layout.n_features} columns, {n_epochs} epochs"
        )
        gate = best.network.gate()
        return PathPoint(
            lam=0.0,
            validation_loss=best.loss,
            n_features=int(gate.support().sum()),
            n_epochs=n_epochs,
            seconds=self.objective.monitor.seconds() - started,
            features=tuple(range(self.data.layout.n_features)),
            norms=tuple(gate.norm().tolist()),
            snapshot=best,
        )

    def _path(self, dense: PathPoint) -> list[PathPoint]:
        """Walk the lambdas; nothing to walk for a table without features or a path of 0."""
        settings, loss = self.plan.path, self.objective.loss
        if settings.n_lambdas == 0 or not dense.features:
            return []
        assert dense.snapshot is not None
        network = dense.snapshot.network
        knockout = knock_out(network, self.data.validation, loss)
        walk = LambdaWalk(
            dense.snapshot,
            self.data,
            knockout,
            settings=settings,
            objective=self.objective,
            average_decay=self.plan.model_ema_decay,
        )
        return walk_path(walk, knockout, largest_pull(network, self.data.train, loss))

    def _refitted(self, points: Sequence[PathPoint]) -> list[PathPoint]:
        """One point per support, the likeliest ones refitted.

        Points must not be compared as the path leaves them: there the sparser ones have
        trained longer and under a tighter cap, and look better than denser ones that
        would win after equal training.
        """
        best: dict[tuple[int, ...], PathPoint] = {}
        for point in sorted(points, key=lambda p: (p.validation_loss, p.n_features)):
            best.setdefault(point.features, point)
        ranked = list(best.values())
        n = self.plan.max_refits
        return [*(self._refit(point) for point in ranked[:n]), *ranked[n:]]

    def _refit(self, point: PathPoint) -> PathPoint:
        """Train a support's survivors once more; the best of path, warm and fresh start.

        With all columns alive the dense stage was the fresh start; with none there is
        nothing to train.
        """
        if not 0 < point.n_features < self.data.layout.n_features:
            return point
        assert point.snapshot is not None
        data = self.data.keep(torch.tensor(point.features))
        starts = (
            (self.plan.relax, lambda: copy.deepcopy(point.snapshot.network)),
            (self.plan.refit, lambda: self._fresh(data)),
        )
        found = [point.snapshot]
        for settings, start in starts:
            if settings.max_epochs:
                found.append(self._train("refit", start(), data, settings)[0])
        self.objective.monitor.say(
            f"{point.n_features} columns: validation {' / '.join(f'{s.loss:.5f}' for s in found)} "
            "(path / refits)"
        )
        kept = min(found, key=lambda s: s.loss)
        return replace(point, validation_loss=kept.loss, snapshot=kept)

    def _fresh(self, data: TrainingData) -> Network:
        """Build a network and set its normalisation from the data."""
        network = self.build(data.layout).to(data.train.target.device)
        network.calibrate(data.train.codes.rows(slice(0, CALIBRATION_ROWS)))
        return network
