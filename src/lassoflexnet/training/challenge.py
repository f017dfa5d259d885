"""The last word on a support: sparser ones may challenge it, each by a network that could predict.

Called by the judge where such networks are trained afresh. Those that compare supports learn from
half of the rows, for half as long, and those of the path have seen too many columns: what takes few
columns, all rows and a whole training to be learnt, neither can show.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch

from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.endings import Challenger, Team
from lassoflexnet.training.evaluation import CLEAR, clearly_worse, predict
from lassoflexnet.training.history import counted
from lassoflexnet.training.knockout import knock_out
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.stage import Snapshot, snapshot
from lassoflexnet.training.supports import likely_rival
from lassoflexnet.training.tasks import softened
from lassoflexnet.training.workshop import Workshop


class Held(NamedTuple):
    """A support that has held its place, and the networks by which it did, if there were any."""

    point: PathPoint
    team: Team | None = None


@dataclass(frozen=True)
class Challenge:
    """Sparser supports against the one liked best, on the validation rows.

    Attributes
    ----------
    data, workshop : TrainingData, Workshop
        All features; who trains, and what networks are judged by.
    train : callable
        Trains networks on data as those that predict.
    supports : sequence of PathPoint
        Supports of the path, with their networks there.
    """

    data: TrainingData
    workshop: Workshop
    train: Challenger
    supports: Sequence[PathPoint]

    def held(self, liked: PathPoint) -> Held:
        """The support that holds its place: the one liked best, or one that beat it."""
        weight = self.data.validation.weight
        held, team = liked, self._team(liked, whole=True)
        while (rival := self._rival(held, team.first)) is not None:
            other = self._team(rival)
            if not clearly_worse(team.first.errors, other.first.errors, weight, CLEAR):
                break
            held, team = self._placed(rival, other.first), other
        return Held(held, team)

    def _rival(self, held: PathPoint, member: Snapshot) -> PathPoint | None:
        """The likely one of the path, or else the support less what its network does not need."""
        rival = likely_rival(held, self.supports, self.data.validation.weight)
        needed = self._needed(held, member) if rival is None else ()
        if not needed:
            return rival
        return replace(
            held,
            features=needed,
            n_features=len(needed),
            norms=(),
            validation_loss=math.nan,
            cross_fitted_loss=math.nan,
            snapshot=None,
        )

    def _needed(self, point: PathPoint, member: Snapshot) -> tuple[int, ...]:
        """Features but those that rows cannot tell from useless, or but the least useful."""
        objective = self.workshop.objective
        rows = self._rows(point)
        # As sure as rows allow: one that is too sure loses by its best features.
        factor = objective.factor(predict(member.network, rows.codes), rows.target, rows.weight)
        found = knock_out(member.network, rows, softened(objective.loss, factor))
        useful = found.sure > 0
        if useful.all():
            useful[found.rise.argmin()] = False
        return tuple(
            f for f, is_useful in zip(point.features, useful.tolist(), strict=True) if is_useful
        )

    def _team(self, point: PathPoint, *, whole: bool = False) -> Team:
        data = self.data.keep(torch.tensor(point.features))
        found = self.train(data, self.workshop, whole=whole)
        size = counted(point.n_features)
        self.workshop.say(f"challenge: validation {found.first.loss:.5f} of one network on {size}")
        return found

    def _placed(self, rival: PathPoint, member: Snapshot) -> PathPoint:
        """A rival as a point to keep: one that is not on the path has no other network.

        If that predicts alone in the end, it is as sure as it is.
        """
        if rival.snapshot is not None:
            return rival
        plain = self.workshop.objective._replace(calibrated=False)
        kept = snapshot(member.network, self._rows(rival), plain)._replace(epoch=member.epoch)
        norms = tuple(member.network.gate().norm().tolist())
        return replace(rival, snapshot=kept, validation_loss=kept.loss, norms=norms)

    def _rows(self, point: PathPoint) -> Rows:
        """The rows that judge it."""
        return self.data.keep(torch.tensor(point.features)).validation
