"""The whole of training: dense stage, path, choice, refit.

Called by estimators with coded data; knows nothing of tables.
"""

import copy
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from lassoflexnet.codes import CodeLayout
from lassoflexnet.nn import Network
from lassoflexnet.training.averaging import average_of, calibration_rows
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.crossfit import cross_fitted_outputs, stratified_folds
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.endings import Ended
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.history import columns
from lassoflexnet.training.joined import JoinedStage, worth_joining
from lassoflexnet.training.knockout import knock_out, largest_pull
from lassoflexnet.training.memory import available_bytes, check_memory, estimated_bytes
from lassoflexnet.training.path import LambdaWalk, walk_path
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import LambdaPath, PathPoint
from lassoflexnet.training.result import FitResult
from lassoflexnet.training.screening import ScreeningReport
from lassoflexnet.training.stage import Objective, Snapshot, Stage, StageSettings
from lassoflexnet.training.supports import likely_supports

# Folds of fewer rows tell nothing; the validation rows alone then decide.
FOLD_ROWS = 10

Build = Callable[[CodeLayout], Network]
Judged = dict[tuple[int, ...], float]
"""Cross-fitted error by the features it is of."""


class Trainer:
    """Runs a plan on data.

    Parameters
    ----------
    plan, build, data, objective
        What to do, how a network is made, on which rows, towards what.
    sketch : callable or None
        How networks are made that select columns and will not predict; None makes them as
        the others.
    """

    def __init__(
        self,
        plan: Plan,
        build: Build,
        data: TrainingData,
        objective: Objective,
        *,
        sketch: Build | None = None,
    ) -> None:
        self.plan = plan
        self.build = build
        self.sketch = sketch or build
        self.scout = self.sketch if plan.ending.afresh else build
        self.data = data
        self.objective = objective

    def fit(self) -> FitResult:
        """Dense stage, path, choice of a support, refit; of the columns that pass screening."""
        result = self._ended(self._fit_screened() if self._is_screened() else self._fit())
        if self._is_outdone(result):
            dense = result.dense
            self.say(f"worse than the dense stage ({dense.validation_loss:.5f}), which is kept")
            assert dense.snapshot is not None
            result = self._ended(result._replace(point=dense, validated=dense.snapshot))
        return self._relaxed(result)

    def _is_outdone(self, result: FitResult) -> bool:
        """Whether new networks are worse than the dense stage on the same rows, and it may stay."""
        if self.data.held_out or not self.plan.ending.afresh:
            return False
        may_stay = result.dense in self.plan.choice.eligible(result.path.points)
        return may_stay and result.validation_loss > result.dense.validation_loss

    def _relaxed(self, result: FitResult) -> FitResult:
        """The same, its kept network trained on without lambda unless it was: it is read from."""
        if not (self.plan.ending.afresh and self.plan.choice.paired and result.point.lam):
            return result
        refitted = self._refit(replace(result.point, snapshot=result.validated))
        assert refitted.snapshot is not None
        return result._replace(validated=refitted.snapshot)

    def _ended(self, result: FitResult) -> FitResult:
        network, loss = self._end(result.point.features, result.validated)
        return result._replace(network=network, validation_loss=loss)

    def say(self, text: str) -> None:
        """Tell the user."""
        self.objective.monitor.say(text)

    def _is_screened(self) -> bool:
        screening, layout = self.plan.screening, self.data.layout
        if screening is None:
            return False
        return screening.limit(layout.n_features, self.data.train.n_rows) < layout.n_features

    def _fit_screened(self) -> FitResult:
        """Fit what passes; as long as columns must be called back, fit again with them."""
        screening = self.plan.screening
        assert screening is not None
        d, loss = self.data.layout.n_features, self.objective.loss
        one = self.build(self.data.layout.keep(np.arange(1)))
        entered = screening.first(self.data, loss, one.gate().beta.shape[1])
        seen, called = entered, torch.empty(0, dtype=torch.long)
        for rounds_left in range(screening.max_rounds, -1, -1):
            self.say(f"screening: {len(entered)} of {d} columns enter, {len(called)} called back")
            data = self.data.keep(entered)
            inner = Trainer(self.plan, self.build, data, self.objective, sketch=self.sketch)
            result = inner._fit()
            kept = entered[list(result.point.features)]
            network = inner._relaxed(result).validated.network
            found = screening.recalled(self.data, seen, kept, network, loss)
            if not len(found) or not rounds_left:
                break
            seen, called = torch.cat([seen, found]), torch.cat([called, found])
            # Columns that the path has removed make room for those called back.
            entered = torch.cat([kept, found]).sort().values
        report = ScreeningReport(d, len(entered), tuple(called.sort().values.tolist()))
        return result.renumbered(entered.numpy(), d, report)

    def _fit(self) -> FitResult:
        plan, layout = self.plan, self.data.layout
        batch = min(plan.dense.batch_size, self.data.train.n_rows)
        needed = estimated_bytes(self.build, layout, batch, plan.path.n_lambdas)
        if self.data.train.target.device.type == "cpu":
            check_memory(needed, available_bytes())
        dense = self._dense_point()
        points = [dense, *self._path(dense)]
        kept, judged = self._choose(points, dense)
        assert kept.snapshot is not None
        points = [replace(p, cross_fitted_loss=judged.get(p.features, math.nan)) for p in points]
        self.say(
            f"kept lambda {kept.lam:.3g} with {columns(kept.n_features)}, "
            f"validation {kept.validation_loss:.5f}"
        )
        point = next(p for p in points if (p.lam, p.features) == (kept.lam, kept.features))
        path = LambdaPath(tuple(points), self.data.layout.n_features)
        loss = kept.validation_loss
        return FitResult(kept.snapshot.network, point, path, kept.snapshot, loss, points[0])

    def _end(self, features: tuple[int, ...], kept: Snapshot) -> Ended:
        """Make the network that predicts; without features there is nothing to train."""
        if not features:
            return Ended(kept.network, kept.loss)
        return self.plan.ending(kept, self.data.keep(torch.tensor(features)), self)

    def _choose(self, points: list[PathPoint], dense: PathPoint) -> tuple[PathPoint, Judged]:
        """Refit the best liked support that is no worse than the dense stage.

        Also what the supports were judged by, where they were cross-fitted. If networks are
        trained afresh in the end, such a judgement is of their like, and is all there is to it.
        """
        supports = likely_supports(self.plan.choice.eligible(points), self.plan.max_supports)
        refit = functools.cache(lambda at: self._refit(supports[at]))
        compared, weight, judged = self._compared(supports, refit)
        empty = min(points, key=lambda p: p.n_features).validation_loss
        found, liked = list(supports), self.plan.choice(compared, weight, empty)
        if judged and self.plan.ending.afresh:
            return supports[compared.index(liked[0])], judged
        for point in liked:
            found.append(refit(compared.index(point)))
            if found[-1].validation_loss <= dense.validation_loss:
                return found[-1], judged
        return min(found, key=lambda p: p.validation_loss), judged

    def _compared(
        self, supports: list[PathPoint], refit: Callable[[int], PathPoint]
    ) -> tuple[list[PathPoint], Tensor, Judged]:
        """Make the supports' errors comparable; and the weights of the rows they are on.

        The errors that the path leaves are good enough to find the likely supports, not to
        choose among them: the sparser ones have trained longer and under a tighter cap, and
        look better than denser ones that would win after equal training.
        """
        plan, many_rows = self.plan, self.data.train.n_rows >= FOLD_ROWS * self.plan.n_folds
        wanted = plan.choice.paired and plan.n_folds and plan.fold.max_epochs
        if wanted and many_rows and len(supports) > 1:
            points, weight = self._cross_fitted(supports)
            return points, weight, {p.features: p.validation_loss for p in points}
        return [refit(at) for at in range(len(supports))], self.data.validation.weight, {}

    def _cross_fitted(self, supports: list[PathPoint]) -> tuple[list[PathPoint], Tensor]:
        """Errors of networks from scratch on rows that they have not seen.

        Training rows are predicted by networks trained on the other folds, validation
        rows by all of them: many more rows to tell supports apart than validation has.
        Networks on many columns are too sure of themselves; where that is mended in the end,
        it is not held against them.
        """
        train, validation, plan = self.data.train, self.data.validation, self.plan
        deals = [stratified_folds(train.target, plan.n_folds) for _ in range(plan.n_deals)]
        weight = torch.cat([validation.weight, train.weight])
        target = torch.cat([validation.target, train.target])
        points = []
        for point in supports:
            data = self.data.keep(torch.tensor(point.features, dtype=torch.long))
            outputs = cross_fitted_outputs(data, deals, self._train_folds)
            softer = confidence(outputs, target, weight, self.objective.loss)
            outputs = softer * outputs if plan.ending.afresh else outputs
            errors = self.objective.metric(outputs, target)
            loss = weighted_mean(errors, weight)
            self.say(f"{columns(point.n_features)}: cross-fitted error {loss:.5f}")
            assert point.snapshot is not None
            judged = point.snapshot._replace(errors=errors, loss=loss)
            points.append(replace(point, validation_loss=loss, snapshot=judged))
        return points, weight

    def _train_folds(self, parts: Sequence[TrainingData]) -> list[Network]:
        named = [("fold", part) for part in parts]
        found = self.train_each(named, self.plan.fold, self.sketch)
        return [one.network for one in found]

    def train_each(
        self,
        named: Sequence[tuple[str, TrainingData]],
        settings: StageSettings,
        build: Build | None = None,
    ) -> list[Snapshot]:
        """Train a new network on each of several data, together if they are small."""
        return self._joined(named, settings, build) or [
            self.train(name, self.fresh(data, build), data, settings)[0] for name, data in named
        ]

    def _joined(
        self,
        named: Sequence[tuple[str, TrainingData]],
        settings: StageSettings,
        build: Build | None,
    ) -> list[Snapshot] | None:
        names, parts = zip(*named, strict=True)
        with torch.device("meta"):
            one = (build or self.build)(parts[0].layout)
        if not (self.plan.optimizer.by_weight and worth_joining(one, settings, parts)):
            return None
        networks = [self.fresh(part, build) for part in parts]
        stage = JoinedStage(names, networks, parts, settings=settings, objective=self.objective)
        stepper = self.plan.optimizer.build(*stage.crew.split_parameters())
        return stage.run(stepper, average_of(stage.crew, self.plan.model_ema_decay))

    def train(
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
            average=average_of(network, self.plan.model_ema_decay),
        )
        return stage.run()

    def _dense_point(self) -> PathPoint:
        network = self.fresh(self.data, self.scout)
        started = self.objective.monitor.seconds()
        best, n_epochs = self.train("dense", network, self.data, self.plan.dense)
        self.say(
            f"dense stage: validation {best.loss:.5f}, "
            f"{columns(self.data.layout.n_features)}, {n_epochs} epochs"
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

    def _refit(self, point: PathPoint) -> PathPoint:
        """Train a support's survivors once more; best of the path, a warm and a fresh start.

        With all columns alive the dense stage was the fresh start; with none there is
        nothing to train.
        """
        if not 0 < point.n_features < self.data.layout.n_features:
            return point
        assert point.snapshot is not None
        data = self.data.keep(torch.tensor(point.features))
        starts = (
            (self.plan.relax, lambda: copy.deepcopy(point.snapshot.network)),
            (self.plan.refit, lambda: self.fresh(data, self.scout)),
        )
        found = [point.snapshot]
        for settings, start in starts:
            if settings.max_epochs:
                found.append(self.train("refit", start(), data, settings)[0])
        self.say(
            f"{columns(point.n_features)}: validation {' / '.join(f'{s.loss:.5f}' for s in found)} "
            "(path / refits)"
        )
        kept = min(found, key=lambda s: s.loss)
        return replace(point, validation_loss=kept.loss, snapshot=kept)

    def fresh(self, data: TrainingData, build: Build | None = None) -> Network:
        """Build a network and set its normalisation from the data."""
        network = (build or self.build)(data.layout).to(data.train.target.device)
        network.calibrate(calibration_rows(data.train.codes))
        return network
