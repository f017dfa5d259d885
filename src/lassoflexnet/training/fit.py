"""The whole of training: screening, dense stage, path, choice, ending.

Called by estimators with coded data; knows nothing of tables.
"""

import math
from dataclasses import replace

import numpy as np
import torch

from lassoflexnet.nn import Network
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.endings import Ended, Team
from lassoflexnet.training.evaluation import row_errors
from lassoflexnet.training.history import counted
from lassoflexnet.training.judge import Judge
from lassoflexnet.training.knockout import knock_out, largest_pull
from lassoflexnet.training.members import gives_way
from lassoflexnet.training.memory import available_bytes, check_memory, estimated_bytes
from lassoflexnet.training.panel import Panel
from lassoflexnet.training.path import LambdaWalk, walk_path
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import LambdaPath, PathPoint
from lassoflexnet.training.result import FitResult
from lassoflexnet.training.screening import ScreeningReport
from lassoflexnet.training.stage import Objective, Snapshot
from lassoflexnet.training.workshop import Build, Workshop


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
        self.data = data
        self.objective = objective
        self.workshop = Workshop(
            build, sketch or build, objective, plan.optimizer, plan.model_ema_decay
        )
        self.scout = self.workshop.sketch if plan.ending.afresh else build
        self.panel = Panel(plan, self.workshop, data)
        self.judge = Judge(plan, self.workshop, self.scout, data, self.panel)

    def fit(self) -> FitResult:
        """Dense stage, path, choice of a support, refit; of the columns that pass screening."""
        result = self._ended(self._fit_screened() if self._is_screened() else self._fit())
        if self._is_outdone(result):
            dense = result.dense
            loss = dense.validation_loss
            self.workshop.say(f"clearly worse than the dense stage ({loss:.5f}): its columns stay")
            assert dense.snapshot is not None
            result = self._ended(result._replace(point=dense, validated=dense.snapshot, team=None))
        return result

    def _is_outdone(self, result: FitResult) -> bool:
        """Whether new networks are clearly worse than the dense stage, and it may stay."""
        if not (self.data.tells and self.plan.ending.afresh and result.dense_may_stay):
            return False
        rows = self.data.keep(torch.tensor(result.point.features, dtype=torch.long)).validation
        errors = row_errors(result.network, rows, self.objective.metric)
        assert result.dense.snapshot is not None
        return gives_way(errors, result.dense.snapshot.errors, rows.weight)

    def _relaxed(self, result: FitResult) -> Network:
        """A network of the kept features, trained without lambda: residuals are told by it.

        The one of the challenge, or the kept one, which is trained on unless it was: it was not
        where networks that will predict are new and supports were cross-fitted.
        """
        if result.team is not None:
            return result.team.first.network
        if not self.plan.ending.afresh or math.isnan(result.point.cross_fitted_loss):
            return result.validated.network
        refitted = self.judge.refit(replace(result.point, snapshot=result.validated))
        assert refitted.snapshot is not None
        return refitted.snapshot.network

    def _ended(self, result: FitResult) -> FitResult:
        network, loss, unseen = self._end(result.point.features, result.validated, result.team)
        return result._replace(network=network, validation_loss=loss, unseen=unseen)

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
        one = self.workshop.build(self.data.layout.keep(np.arange(1)))
        entered = screening.first(self.data, loss, one.gate().beta.shape[1])
        seen, called = entered, torch.empty(0, dtype=torch.long)
        for rounds_left in range(screening.max_rounds, -1, -1):
            self.workshop.say(f"screening: {len(entered)} of {d} columns enter")
            inner = self._on(self.data.keep(entered))
            result = inner._fit()
            kept = entered[list(result.point.features)]
            network = inner._relaxed(result)
            found = screening.recalled(self.data, seen, kept, network, loss)
            self.workshop.say(f"screening: {counted(len(found))} left out explain more")
            if not len(found) or not rounds_left:
                break
            seen, called = torch.cat([seen, found]), torch.cat([called, found])
            # Columns that the path has removed make room for those called back.
            entered = torch.cat([kept, found]).sort().values
        report = ScreeningReport(d, len(entered), tuple(called.sort().values.tolist()))
        return result.renumbered(entered.numpy(), d, report)

    def _on(self, data: TrainingData) -> "Trainer":
        """The same trainer with other data."""
        build, sketch = self.workshop.build, self.workshop.sketch
        return Trainer(self.plan, build, data, self.objective, sketch=sketch)

    def _fit(self) -> FitResult:
        plan, layout = self.plan, self.data.layout
        batch = min(plan.dense.batch_size, self.data.train.n_rows)
        needed = estimated_bytes(self.workshop.build, layout, batch, plan.path.n_lambdas)
        if self.data.train.target.device.type == "cpu":
            check_memory(needed, available_bytes())
        dense = self._dense_point()
        points = [dense, *self._path(dense)]
        may_stay = dense in self.judge.eligible(points)
        kept, judged, team = self.judge.choose(points, dense)
        assert kept.snapshot is not None
        points = [replace(p, cross_fitted_loss=judged.get(p.features, math.nan)) for p in points]
        self.workshop.say(
            f"kept lambda {kept.lam:.3g} with {counted(kept.n_features)}, "
            f"validation {kept.validation_loss:.5f}"
        )
        # As the path has it; a challenger may be none of its supports.
        same = (p for p in points if (p.lam, p.features) == (kept.lam, kept.features))
        point = next(same, kept)
        path = LambdaPath(tuple(points), self.data.layout.n_features)
        loss = kept.validation_loss
        network, dense = kept.snapshot.network, points[0]
        return FitResult(network, point, path, kept.snapshot, loss, dense, may_stay, team)

    def _end(self, features: tuple[int, ...], kept: Snapshot, team: Team | None = None) -> Ended:
        """Make the network that predicts; without features there is nothing to train."""
        if not features:
            return Ended(kept.network, kept.loss, ())
        return self.plan.ending(kept, self.data.keep(torch.tensor(features)), self.workshop, team)

    def _dense_point(self) -> PathPoint:
        network = self.workshop.fresh(self.data, self.scout)
        started = self.objective.monitor.seconds()
        best, n_epochs = self.workshop.train("dense", network, self.data, self.plan.dense)
        self.workshop.say(
            f"dense stage: validation {best.loss:.5f}, "
            f"{counted(self.data.layout.n_features)}, {counted(n_epochs, 'epoch')}"
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
        worth = self.panel.worth(network, knockout.sure)
        if settings.weights.n_orders:
            self.workshop.say("worth of each column: measured on rows not trained on")
        walk = LambdaWalk(
            dense.snapshot,
            self.data,
            worth,
            settings=settings,
            objective=self.objective,
            average_decay=self.plan.model_ema_decay,
        )
        return walk_path(walk, knockout, largest_pull(network, self.data.train, loss))
