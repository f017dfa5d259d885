"""The last stage, as parts: what becomes of the kept features once nothing is left to choose.

Called by the trainer with the network that was kept. Rows that the user gave to judge by
are never trained on: they may be scored on. ``afresh`` says whether a part starts from new
networks: those before only select then, and need not be as wide.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

import torch

from lassoflexnet.nn import Committee, Network, Predictor
from lassoflexnet.training.crossfit import stratified_folds
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.stage import Snapshot, StageSettings

Cut = Callable[[StageSettings], StageSettings]


class Workshop(Protocol):
    """What an ending needs of the trainer."""

    def fresh(self, data: TrainingData) -> Network: ...  # noqa: D102
    def train(  # noqa: D102
        self, name: str, network: Network, data: TrainingData, settings: StageSettings
    ) -> tuple[Snapshot, int]: ...
    def loss(self, network: Predictor, data: TrainingData) -> float: ...  # noqa: D102
    def say(self, text: str) -> None: ...  # noqa: D102


class Ended(NamedTuple):
    """The network that predicts, and its error on rows that it was not trained on."""

    network: Predictor
    validation_loss: float


@dataclass(frozen=True)
class AsKept:
    """Predict with the kept network."""

    afresh: ClassVar[bool] = False

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:  # noqa: ARG002
        """Hand it through."""
        return Ended(kept.network, kept.loss)

    def within(self, cut: Cut) -> "AsKept":  # noqa: ARG002
        """It has no budget."""
        return self


@dataclass(frozen=True)
class TrainOn:
    """Train the kept network on, the rows held out for validation now among the others.

    ``budget`` is the most it may take; it takes at most as many epochs as did it good before.
    """

    budget: StageSettings = StageSettings(max_epochs=24)
    afresh: ClassVar[bool] = False

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:
        """Train on, unless there is nothing to learn from."""
        n_epochs = min(self.budget.max_epochs, kept.epoch)
        if not (n_epochs and data.held_out):
            return Ended(kept.network, kept.loss)
        rows = data.joined()
        settings = replace(self.budget, max_epochs=n_epochs, evaluate_every=n_epochs)
        final, _ = workshop.train("final", copy.deepcopy(kept.network), rows, settings)
        workshop.say(f"{n_epochs} epochs on all {rows.train.n_rows} rows")
        # No proof, since it was trained on them; but worse than before means that it is lost.
        return Ended(final.network if final.loss <= kept.loss else kept.network, kept.loss)

    def within(self, cut: Cut) -> "TrainOn":
        """The same with a changed budget."""
        return TrainOn(cut(self.budget))


@dataclass(frozen=True)
class Members:
    """Train several networks from scratch and average them.

    Where rows were held out, all rows are dealt into as many folds as there are members,
    and each member is validated on a fold of its own: every row is learnt from by all
    members but one.
    """

    n_members: int = 4
    budget: StageSettings = StageSettings()
    afresh: ClassVar[bool] = True

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:
        """Train them; the kept network stays if it predicts the same rows better."""
        found = [
            workshop.train("member", workshop.fresh(part), part, self.budget)[0]
            for part in self._parts(data)
        ]
        losses = [one.loss for one in found]
        committee = Committee([one.network for one in found])
        together = sum(losses) / len(losses) if data.held_out else workshop.loss(committee, data)
        each = ", ".join(f"{loss:.5f}" for loss in losses)
        workshop.say(f"{len(found)} networks: validation {each}; together {together:.5f}")
        if not data.held_out and together > kept.loss:
            return Ended(kept.network, kept.loss)
        return Ended(committee, together)

    def within(self, cut: Cut) -> "Members":
        """The same with a changed budget."""
        return replace(self, budget=cut(self.budget))

    def _parts(self, data: TrainingData) -> Iterator[TrainingData]:
        if not data.held_out:
            yield from [data] * self.n_members
            return
        rows = data.joined().train
        for fold in stratified_folds(rows.target, self.n_members):
            others = torch.ones(rows.n_rows, dtype=torch.bool, device=fold.device)
            others[fold] = False
            yield data._replace(train=rows.at(others.nonzero()[:, 0]), validation=rows.at(fold))


Ending = AsKept | TrainOn | Members
"""Kept network and data of its features -> the network that predicts."""
