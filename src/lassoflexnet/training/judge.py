"""The judge: which support of the path is kept.

Called by the trainer once the path is walked.
"""

import copy
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.crossfit import cross_fitted_outputs, stratified_folds
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.history import columns
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.supports import likely_supports
from lassoflexnet.training.workshop import Build, Workshop

# Folds of fewer rows tell nothing; the validation rows alone then decide.
FOLD_ROWS = 10

Judged = dict[tuple[int, ...], float]
"""Cross-fitted error by the features it is of."""


@dataclass(frozen=True)
class Judge:
    """Compares supports on the same rows, after equal training.

    ``scout`` makes networks like those of the path.
    """

    plan: Plan
    workshop: Workshop
    scout: Build
    data: TrainingData

    def choose(self, points: list[PathPoint], dense: PathPoint) -> tuple[PathPoint, Judged]:
        """Refit the best liked support that is no worse than the dense stage.

        Also what the supports were judged by, where they were cross-fitted. If networks are
        trained afresh in the end, such a judgement is of their like, and is all there is to it.
        """
        supports = likely_supports(self.plan.choice.eligible(points), self.plan.max_supports)
        refit = functools.cache(lambda at: self.refit(supports[at]))
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
            softer = confidence(outputs, target, weight, self.workshop.objective.loss)
            outputs = softer * outputs if plan.ending.afresh else outputs
            errors = self.workshop.objective.metric(outputs, target)
            loss = weighted_mean(errors, weight)
            self.workshop.say(f"{columns(point.n_features)}: cross-fitted error {loss:.5f}")
            assert point.snapshot is not None
            judged = point.snapshot._replace(errors=errors, loss=loss)
            points.append(replace(point, validation_loss=loss, snapshot=judged))
        return points, weight

    def _train_folds(self, parts: Sequence[TrainingData]) -> list[Network]:
        named = [("fold", part) for part in parts]
        found = self.workshop.train_each(named, self.plan.fold, self.workshop.sketch)
        return [one.network for one in found]

    def refit(self, point: PathPoint) -> PathPoint:
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
            (self.plan.refit, lambda: self.workshop.fresh(data, self.scout)),
        )
        found = [point.snapshot]
        for settings, start in starts:
            if settings.max_epochs:
                found.append(self.workshop.train("refit", start(), data, settings)[0])
        self.workshop.say(
            f"{columns(point.n_features)}: validation {' / '.join(f'{s.loss:.5f}' for s in found)} "
            "(path / refits)"
        )
        kept = min(found, key=lambda s: s.loss)
        return replace(point, validation_loss=kept.loss, snapshot=kept)
