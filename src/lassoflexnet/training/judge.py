"""The judge: which support of the path is kept.

Called by the trainer once the path is walked.
"""

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from lassoflexnet.training.challenge import Challenge, Held
from lassoflexnet.training.constant import best_constant
from lassoflexnet.training.data import TELLING_ROWS, Rows, TrainingData
from lassoflexnet.training.endings import Team
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.history import counted
from lassoflexnet.training.panel import Panel
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.stage import Objective
from lassoflexnet.training.supports import best_of_each_support, likely_supports, next_to_compare
from lassoflexnet.training.workshop import Build, Workshop

Judged = dict[tuple[int, ...], float]
"""Cross-fitted error by the features it is of."""


class Chosen(NamedTuple):
    """The point that is kept, what supports were judged by, networks of a challenge if any."""

    point: PathPoint
    judged: Judged
    team: Team | None = None


@dataclass(frozen=True)
class Judge:
    """Compares supports on the same rows, after equal training.

    By the panel, where it sits. ``scout`` makes networks like those of the path.
    """

    plan: Plan
    workshop: Workshop
    scout: Build
    data: TrainingData
    panel: Panel

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Points that may be kept."""
        return self.plan.choice.eligible(points)

    def choose(self, points: list[PathPoint], dense: PathPoint) -> Chosen:
        """Refit the best liked support that is no worse than the dense stage, if that may stay.

        Also what the supports were judged by, where they were cross-fitted. If networks are
        trained afresh in the end, such a judgement is of their like, and only a sparser support
        may challenge it.
        """
        eligible = self.eligible(points)
        supports, may_stay = best_of_each_support(eligible), dense in eligible
        found = {point.features: point for point in supports}
        refit = functools.cache(lambda features: self.refit(found[features]))
        judged: Judged = {}
        if self.panel.sits and len(supports) > 1:
            compared, liked = self._searched(supports)
            judged = {p.features: p.validation_loss for p in compared}
            if self.plan.ending.afresh:
                held = self._challenged(found[liked[0].features], supports)
                return Chosen(held.point, judged, held.team)
        else:
            likely = likely_supports(supports, self.plan.max_supports)
            compared = [refit(point.features) for point in likely]
            rows = self.data.validation
            constant = self._constant(rows, _n_outputs(likely[0]))
            liked = self.plan.choice(compared, rows.weight, constant)
        for point in liked:
            refitted = refit(point.features)
            if refitted.validation_loss <= dense.validation_loss or (judged and not may_stay):
                return Chosen(refitted, judged)
        tried = [found[p.features] for p in compared] + [refit(p.features) for p in liked]
        return Chosen(min(tried, key=lambda p: p.validation_loss), judged)

    def _challenged(self, liked: PathPoint, supports: list[PathPoint]) -> Held:
        """The support, or a sparser one that proves better, if there are rows to tell."""
        train, n_rows = self.plan.ending.challenger, self.data.validation.n_rows
        if train is None or n_rows < TELLING_ROWS or not liked.n_features:
            return Held(liked)
        workshop = replace(self.workshop, objective=self._judging)
        return Challenge(self.data, workshop, train, supports).held(liked)

    @property
    def _judging(self) -> Objective:
        """What networks are judged by that are like those in the end.

        Networks on many columns are too sure of themselves; where that is mended in the end, it
        is not held against them.
        """
        return self.workshop.objective._replace(calibrated=self.plan.ending.calibrated)

    def _searched(self, supports: list[PathPoint]) -> tuple[list[PathPoint], list[PathPoint]]:
        """Compare some supports by cross-fitted errors; all that were, and those best liked.

        The errors that the path leaves are of networks that have trained too long, all the
        more in its middle: only a low one says what new ones would do. So after the largest
        support that of the lowest error is compared, then others around the one best liked
        so far, denser and sparser, ever closer.
        """
        n_networks = self.plan.n_folds * self.plan.n_deals
        self.workshop.say(f"supports are compared by {n_networks} cross-fitted networks each")
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
        objective = self.workshop.objective
        outputs = best_constant(rows, objective.loss, n_outputs).expand(rows.n_rows, -1)
        return weighted_mean(objective.metric(outputs, rows.target), rows.weight)

    def _cross_fitted(self, point: PathPoint, rows: Rows) -> PathPoint:
        """A support with errors of networks from scratch on rows that they have not seen.

        Training rows are predicted by networks trained on the other folds, validation
        rows by all of them: many more rows to tell supports apart than validation has.
        The rows are those of validation, then those of training.
        """
        outputs = self.panel.on(point.features).outputs()
        errors = self._judging.errors(outputs, rows.target, rows.weight)
        error = weighted_mean(errors, rows.weight)
        self.workshop.say(f"{counted(point.n_features)}: cross-fitted error {error:.5f}")
        assert point.snapshot is not None
        judged = point.snapshot._replace(errors=errors, loss=error)
        return replace(point, validation_loss=error, snapshot=judged)

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
            f"{counted(point.n_features)}: validation {' / '.join(f'{s.loss:.5f}' for s in found)} "
            "(path / refits)"
        )
        kept = min(found, key=lambda s: s.loss)
        return replace(point, validation_loss=kept.loss, snapshot=kept)


def _n_outputs(point: PathPoint) -> int:
    assert point.snapshot is not None
    return point.snapshot.network.gate().beta.shape[1]
