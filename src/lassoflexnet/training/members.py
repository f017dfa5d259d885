"""Members: several networks from scratch on the kept features, which predict together.

The ending by default. Those that select have learnt from half of the rows, or under lambda.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import torch
from torch import Tensor

from lassoflexnet.nn import Committee
from lassoflexnet.optim import MuonSettings, OptimizerSettings
from lassoflexnet.training.crossfit import stratified_folds
from lassoflexnet.training.data import TELLING_ROWS, Rows, TrainingData
from lassoflexnet.training.endings import (
    AsKept,
    Challenger,
    Cut,
    Ended,
    Team,
    TrainOn,
    Unseen,
)
from lassoflexnet.training.evaluation import (
    CLEAR,
    clearly_worse,
    predict,
    row_errors,
    weighted_mean,
)
from lassoflexnet.training.stage import Objective, Snapshot, StageSettings
from lassoflexnet.training.workshop import Workshop

# Two folds of two rows.
FEWEST_ROWS = 4

# Enough to say when a member has learnt its best; what more there is, it learns from.
STOPPING_ROWS = 800


@dataclass(frozen=True)
class Members:
    """Train several networks from scratch and average them.

    Where rows were held out, all rows are dealt out again, for each member others to be
    validated on: as large a share as was held out before, of many rows a smaller one. Where
    rows were given to judge by, all members are validated on these; if they are few, each on
    some of the training rows as well. If ``calibrated``, members that are together too sure of a
    class, as these rows show, are made less so, and each is stopped at the epoch at which it would
    be best if it were made less sure, too.

    They have an optimiser of their own: networks that select do not gain by a costlier one.
    """

    n_members: int = 4
    budget: StageSettings = StageSettings()
    optimizer: OptimizerSettings = MuonSettings()
    calibrated: bool = True
    challenged: bool = True
    afresh: ClassVar[bool] = True

    def __call__(
        self,
        kept: Snapshot,
        data: TrainingData,
        workshop: Workshop,
        team: Team | None = None,
    ) -> Ended:
        """Train them; without a budget, or rows to deal out, the kept network predicts."""
        if not self.budget.max_epochs or _dealt_out(data).n_rows < FEWEST_ROWS:
            return Ended.with_kept(kept, data)
        before = () if team is None else ((team.first.network, data.validation), *team.others)
        if data.tells:
            return self._judged(kept, data, workshop, before)
        return self._dealt(data, workshop, before)

    @property
    def challenger(self) -> Challenger | None:
        """Trains the first member; with it all, if they are trained as one on the same rows."""
        return self._team if self.challenged and self.budget.max_epochs else None

    def _team(self, data: TrainingData, workshop: Workshop, *, whole: bool) -> Team:
        workshop = self._own(workshop)
        n = self.n_members if whole and data.tells else 1
        if not workshop.joins([data] * n, self.budget):
            n = 1
        names = ["challenge", *(f"member {i}" for i in range(1, n))]
        # The first is judged beside those of rivals, which are trained alone.
        found = workshop.train_each([(name, data) for name in names], self.budget, n_alone=1)
        return Team(found[0], tuple((one.network, data.validation) for one in found[1:]))

    def within(self, cut: Cut) -> "Members":
        """The same with a changed budget."""
        return replace(self, budget=cut(self.budget))

    def _dealt(self, data: TrainingData, workshop: Workshop, before: Unseen) -> Ended:
        """Members validated on rows of their own; their error is that on all of these.

        Where rows were given to judge by, it is that on them.
        """
        workshop = self._own(workshop)
        unseen = (*before, *self._members([*self.parts(data)][len(before) :], workshop))
        outputs = torch.cat([predict(network, rows.codes) for network, rows in unseen])
        target = torch.cat([rows.target for _, rows in unseen])
        weight = torch.cat([rows.weight for _, rows in unseen])
        ended, _ = _together(unseen, outputs, target, weight, workshop.objective)
        if not data.held_out:
            errors = row_errors(ended.network, data.validation, workshop.objective.metric)
            error = weighted_mean(errors, data.validation.weight)
            ended = ended._replace(validation_loss=error)
        _say(ended, workshop)
        return ended

    def _judged(
        self, kept: Snapshot, data: TrainingData, workshop: Workshop, before: Unseen
    ) -> Ended:
        """Members validated on the same rows; the kept network stays if it is clearly better."""
        workshop, rows = self._own(workshop), data.validation
        unseen = (*before, *self._members([data] * (self.n_members - len(before)), workshop))
        outputs = predict(Committee([network for network, _ in unseen]), rows.codes)
        ended, errors = _together(unseen, outputs, rows.target, rows.weight, workshop.objective)
        _say(ended, workshop)
        if not gives_way(errors, kept.errors, rows.weight):
            return ended
        workshop.say(f"the kept network is clearly better ({kept.loss:.5f}) and predicts alone")
        return Ended.with_kept(kept, data)

    def _own(self, workshop: Workshop) -> Workshop:
        """The workshop that trains and judges members."""
        objective = workshop.objective._replace(calibrated=self.calibrated)
        return replace(workshop, optimizer=self.optimizer, objective=objective)

    def _members(self, parts: Sequence[TrainingData], workshop: Workshop) -> Unseen:
        if not parts:
            return ()
        named = [(f"member {i}", part) for i, part in enumerate(parts, start=1)]
        pairs = zip(workshop.train_each(named, self.budget), parts, strict=True)
        return tuple((one.network, part.validation) for one, part in pairs)

    def parts(self, data: TrainingData) -> Iterator[TrainingData]:
        """Rows for each member, some of them set apart: a fold, in turn, and the given ones."""
        rows, given = _dealt_out(data), data.validation
        as_many = given.n_rows if data.held_out else max(TELLING_ROWS - given.n_rows, 1)
        as_before, many = math.ceil(rows.n_rows / as_many), rows.n_rows // STOPPING_ROWS
        n_folds = min(max(self.n_members, as_before, many), rows.n_rows // 2)
        folds = stratified_folds(rows.target, n_folds)
        for i in range(self.n_members):
            train, apart = rows.parted(folds[i % n_folds])
            validation = apart if data.held_out else apart.beside(given)
            yield data._replace(train=train, validation=validation)


def _dealt_out(data: TrainingData) -> Rows:
    """Rows that members may be trained on."""
    return data.joined().train if data.held_out else data.train


def gives_way(errors: Tensor, single: Tensor, weight: Tensor) -> bool:
    """Whether several networks, by their errors, give way to a single one.

    A little worse is no reason: the single one's best epoch was chosen on the rows that compare
    them, which flatters it.
    """
    return clearly_worse(errors, single, weight, CLEAR)


def _together(
    unseen: Unseen, outputs: Tensor, target: Tensor, weight: Tensor, objective: Objective
) -> tuple[Ended, Tensor]:
    """Committee as sure as rows that it was not trained on allow, and its errors there."""
    factor = objective.factor(outputs, target, weight)
    errors = objective.metric(factor * outputs, target)
    committee = Committee([network for network, _ in unseen], factor)
    return Ended(committee, weighted_mean(errors, weight), unseen), errors


def _say(ended: Ended, workshop: Workshop) -> None:
    factor = cast("Committee", ended.network).factor
    softer = f", less sure by a factor of {factor:.2f}" if factor < 1 else ""
    error = ended.validation_loss
    workshop.say(f"{len(ended.unseen)} networks: validation {error:.5f}{softer}")


Ending = AsKept | TrainOn | Members
"""Kept network and data of its features -> the network that predicts."""
