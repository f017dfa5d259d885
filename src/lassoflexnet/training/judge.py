"""The judge: what features are worth, and which support of the path is kept.

Called by the trainer before the path is walked, and after.
"""

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.crossfit import CrossFitted, Folds, cross_fit, stratified_folds
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.history import columns
from lassoflexnet.training.marginal import best_constant
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.supports import best_of_each_support, likely_supports, next_to_compare
from lassoflexnet.training.workshop import Build, Workshop
from lassoflexnet.training.worth import contributions, lower_bound, telling_rows

# Folds of fewer rows tell nothing; the validation rows alone then decide.
FOLD_ROWS = 10

# Share that counts of what others may stand in for, beside what is lost when a feature alone goes.
STAND_IN = 0.25

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

    @property
    def cross_fits(self) -> bool:
        """Whether networks are trained on some of the rows to be read on the others."""
        plan, n_rows = self.plan, self.data.train.n_rows
        wanted = plan.choice.cross_fitted and plan.n_folds and plan.fold.max_epochs
        return bool(wanted) and n_rows >= FOLD_ROWS * plan.n_folds

    @functools.cached_property
    def deals(self) -> list[Folds]:
        """Training rows dealt out to folds; the same for all supports."""
        plan, target = self.plan, self.data.train.target
        return [stratified_folds(target, plan.n_folds) for _ in range(plan.n_deals)]

    @functools.cached_property
    def whole(self) -> CrossFitted:
        """Cross-fitted networks on all features: of their worth, and the largest support."""
        return cross_fit(self.data, self.deals, self._train_folds)

    def worth(self, dense: Network, alone: Tensor) -> Tensor:
        """What each feature is worth, (d,), by rows that the networks have not seen.

        The larger of two lower bounds: some of what it takes off the error in random orders,
        and what the dense network is known to lose by it alone (``alone``), which sees what
        needs all rows to be learnt, or all other features to matter.
        """
        n_orders = self.plan.path.weights.n_orders
        if not n_orders:
            return torch.ones_like(alone)
        loss, draws = self.workshop.objective.loss, torch.Generator()
        draws.manual_seed(torch.initial_seed())

        def reader(network: Network, rows: Rows) -> Tensor:
            return contributions(network, rows, loss, n_orders, draws)

        most = telling_rows(self.data.layout.n_features)
        if self.cross_fits:
            found = self.whole.thinned(most).read(reader)
        else:
            found = reader(dense, self.data.validation.at(slice(0, most)))
        return torch.maximum(STAND_IN * lower_bound(found), alone)

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Points that may be kept."""
        return self.plan.choice.eligible(points)

    def choose(self, points: list[PathPoint], dense: PathPoint) -> tuple[PathPoint, Judged]:
        """Refit the best liked support that is no worse than the dense stage, if that may stay.

        Also what the supports were judged by, where they were cross-fitted. If networks are
        trained afresh in the end, such a judgement is of their like, and is all there is to it.
        """
        eligible = self.eligible(points)
        supports, may_stay = best_of_each_support(eligible), dense in eligible
        found = {point.features: point for point in supports}
        refit = functools.cache(lambda features: self.refit(found[features]))
        judged: Judged = {}
        if self.cross_fits and len(supports) > 1:
            compared, liked = self._searched(supports)
            judged = {p.features: p.validation_loss for p in compared}
            if self.plan.ending.afresh:
                return found[liked[0].features], judged
        else:
            likely = likely_supports(supports, self.plan.max_supports)
            compared = [refit(point.features) for point in likely]
            rows = self.data.validation
            constant = self._constant(rows, _n_outputs(likely[0]))
            liked = self.plan.choice(compared, rows.weight, constant)
        for point in liked:
            refitted = refit(point.features)
            if refitted.validation_loss <= dense.validation_loss or (judged and not may_stay):
                return refitted, judged
        tried = [found[p.features] for p in compared] + [refit(p.features) for p in liked]
        return min(tried, key=lambda p: p.validation_loss), judged

    def _searched(self, supports: list[PathPoint]) -> tuple[list[PathPoint], list[PathPoint]]:
        """Compare some supports by cross-fitted errors; all that were, and those best liked.

        The errors that the path leaves are of networks that have trained too long, all the
        more in its middle: only a low one says what new ones would do. So after the largest
        support that of the lowest error is compared, then others around the one best liked
        so far, denser and sparser, ever closer.
        """
        rows = self.data.validation.beside(self.data.train)
        constant = self._constant(rows, _n_outputs(supports[0]))
        ordered = sorted(supports, key=lambda p: -p.n_features)
        compared: dict[int, PathPoint] = {}
        at: int | None = 0
        lowest = ordered.index(supports[0])
        while at is not None and len(compared) <= self.plan.max_supports:
            compared[at] = self._cross_fitted(ordered[at], rows)
            liked = self.plan.choice([*compared.values()], rows.weight, constant)
            here = next(i for i, point in compared.items() if point is liked[0])
            after = next_to_compare(here, compared.keys(), len(ordered))
            at = after if lowest in compared else lowest
        return [*compared.values()], liked

    def _constant(self, rows: Rows, n_outputs: int) -> float:
        """Error of the best constant on these rows."""
        loss, metric, _ = self.workshop.objective
        outputs = best_constant(rows, loss, n_outputs).expand(rows.n_rows, -1)
        return weighted_mean(metric(outputs, rows.target), rows.weight)

    def _cross_fitted(self, point: PathPoint, rows: Rows) -> PathPoint:
        """A support with errors of networks from scratch on rows that they have not seen.

        Training rows are predicted by networks trained on the other folds, validation
        rows by all of them: many more rows to tell supports apart than validation has.
        The rows are those of validation, then those of training. Networks on many columns are
        too sure of themselves; where that is mended in the end, it is not held against them.
        """
        loss, metric, _ = self.workshop.objective
        outputs = self._cross_fit(point).outputs()
        if self.plan.ending.afresh:
            outputs = confidence(outputs, rows.target, rows.weight, loss) * outputs
        errors = metric(outputs, rows.target)
        error = weighted_mean(errors, rows.weight)
        self.workshop.say(f"{columns(point.n_features)}: cross-fitted error {error:.5f}")
        assert point.snapshot is not None
        judged = point.snapshot._replace(errors=errors, loss=error)
        return replace(point, validation_loss=error, snapshot=judged)

    def _cross_fit(self, point: PathPoint) -> CrossFitted:
        if len(point.features) == self.data.layout.n_features:
            return self.whole
        data = self.data.keep(torch.tensor(point.features, dtype=torch.long))
        return cross_fit(data, self.deals, self._train_folds)

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


def _n_outputs(point: PathPoint) -> int:
    assert point.snapshot is not None
    return point.snapshot.network.gate().beta.shape[1]
