"""The judge: which support of the path is kept.

Called by the trainer once the path is walked.
"""

import copy
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from lassoflexnet.nn import Network
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.crossfit import cross_fitted_outputs, stratified_folds
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.history import columns
from lassoflexnet.training.marginal import best_constant
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

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Points that may be kept."""
        return self.plan.choice.eligible(points, self.data.validation.weight)

    def choose(self, points: list[PathPoint], dense: PathPoint) -> tuple[PathPoint, Judged]:
        """Refit the best liked support that is no worse than the dense stage.

        Also what the supports were judged by, where they were cross-fitted. If networks are
        trained afresh in the end, such a judgement is of their like, and is all there is to it.
        """
        supports = likely_supports(self.eligible(points), self.plan.max_supports)
        refit = functools.cache(lambda at: self.refit(supports[at]))
        compared, rows, judged = self._compared(supports, refit)
        assert dense.snapshot is not None
        constant = self._constant(rows, dense.snapshot.network.gate().beta.shape[1])
        found, liked = list(supports), self.plan.choice(compared, rows.weight, constant)
        if judged and self.plan.ending.afresh:
            return supports[compared.index(liked[0])], judged
        for point in liked:
            found.append(refit(compared.index(point)))
            if found[-1].validation_loss <= dense.validation_loss:
                return found[-1], judged
        return min(found, key=lambda p: p.validation_loss), judged

    def _compared(
        self, supports: list[PathPoint], refit: Callable[[int], PathPoint]
    ) -> tuple[list[PathPoint], Rows, Judged]:
        """Make the supports' errors comparable; and the rows they are on.

        The errors that the path leaves are good enough to find the likely supports, not to
        choose among them: the sparser ones have trained longer and under a tighter cap, and
        look better than denser ones that would win after equal training.
        """
        plan, many_rows = self.plan, self.data.train.n_rows >= FOLD_ROWS * self.plan.n_folds
        wanted = plan.choice.paired and plan.n_folds and plan.fold.max_epochs
        if wanted and many_rows and len(supports) > 1:
            rows = self.data.validation.beside(self.data.train)
            points = self._cross_fitted(supports, rows)
            return points, rows, {p.features: p.validation_loss for p in points}
        return [refit(at) for at in range(len(supports))], self.data.validation, {}

    def _constant(self, rows: Rows, n_outputs: int) -> float:
        """Error of the best constant on these rows."""
        loss, metric, _ = self.workshop.objective
        outputs = best_constant(rows, loss, n_outputs).expand(rows.n_rows, -1)
        return weighted_mean(metric(outputs, rows.target), rows.weight)

    def _cross_fitted(self, supports: list[PathPoint], rows: Rows) -> list[PathPoint]:
        """Errors of networks from scratch on rows that they have not seen.

        Training rows are predicted by networks trained on the other folds, validation
        rows by all of them: many more rows to tell supports apart than validation has.
        The rows are those of validation, then those of training. Networks on many columns are
        too sure of themselves; where that is mended in the end, it is not held against them.
        """
        plan, (loss, metric, _) = self.plan, self.workshop.objective
        target = self.data.train.target
        deals = [stratified_folds(target, plan.n_folds) for _ in range(plan.n_deals)]
        points = []
        for point in supports:
            data = self.data.keep(torch.tensor(point.features, dtype=torch.long))
            outputs = cross_fitted_outputs(data, deals, self._train_folds)
            if plan.ending.afresh:
                outputs = confidence(outputs, rows.target, rows.weight, loss) * outputs
            errors = metric(outputs, rows.target)
            error = weighted_mean(errors, rows.weight)
            self.workshop.say(f"{columns(point.n_features)}: cross-fitted error {error:.5f}")
            assert point.snapshot is not None
            judged = point.snapshot._replace(errors=errors, loss=error)
            points.append(replace(point, validation_loss=error, snapshot=judged))
        return points

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
