"""The last stage, as parts: what becomes of the kept features once nothing is left to choose.

Called by the trainer with the network that was kept. Rows that the user gave to judge by
are never trained on: they may be scored on.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import torch

from lassoflexnet.nn import Committee, Network
from lassoflexnet.training.crossfit import stratified_folds
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.stage import Snapshot, StageSettings


class Workshop(Protocol):
    """What an ending needs of the trainer."""

    def fresh(self, data: TrainingData) -> Network: ...  # noqa: D102
    def train(  # noqa: D102
        self, name: str, network: Network, data: TrainingData, settings: StageSettings
    ) -> tuple[Snapshot, int]: ...
    def say(self, text: str) -> None: ...  # noqa: D102


class Ending(Protocol):
    """Kept network and data of its features -> the network that predicts."""

    def __call__(
        self, kept: Snapshot, data: TrainingData, workshop: Workshop
    ) -> Network | Committee:
        """Make the network that predicts."""
        ...


@dataclass(frozen=True)
class AsKept:
    """Predict with the kept network."""

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Network:  # noqa: ARG002
        """Hand it through."""
        return kept.network


@dataclass(frozen=True)
class TrainOn:
    """Train the kept network on, the rows held out for validation now among the others.

    ``budget`` is the most it may take; it takes at most as many epochs as did it good before.
    """

    budget: StageSettings = StageSettings(max_epochs=24)

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Network:
        """Train on, unless there is nothing to learn from."""
        n_epochs = min(self.budget.max_epochs, kept.epoch)
        if not (n_epochs and data.held_out):
            return kept.network
        rows = data.joined()
        settings = replace(self.budget, max_epochs=n_epochs, evaluate_every=n_epochs)
        final, _ = workshop.train("final", copy.deepcopy(kept.network), rows, settings)
        workshop.say(f"{n_epochs} epochs on all {rows.train.n_rows} rows")
        # No proof, since it was trained on them; but worse than before means that it is lost.
        return final.network if final.loss <= kept.loss else kept.network


@dataclass(frozen=True)
class Members:
    """Train several networks from scratch and average them.

    Where rows were held out, all rows are dealt into as many folds as there are members,
    and each member is validated on a fold of its own: every row is learnt from by all
    members but one.
    """

    n_members: int = 5
    budget: StageSettings = StageSettings()

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Committee:  # noqa: ARG002
        """Train them."""
        found = [
            workshop.train("member", workshop.fresh(part), part, self.budget)[0]
            for part in self._parts(data)
        ]
        losses = ", ".join(f"{one.loss:.5f}" for one in found)
        workshop.say(f"{len(found)} networks, each on rows of its own: validation {losses}")
        return Committee([one.network for one in found])

    def _parts(self, data: TrainingData) -> Iterator[TrainingData]:
        if not data.held_out:
            yield from [data] * self.n_members
            return
        rows = data.joined().train
        for fold in stratified_folds(rows.target, self.n_members):
            others = torch.ones(rows.n_rows, dtype=torch.bool, device=fold.device)
            others[fold] = False
            yield data._replace(train=rows.at(others.nonzero()[:, 0]), validation=rows.at(fold))
