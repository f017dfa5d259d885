"""The last stage, as parts: what becomes of the kept features once nothing is left to choose.

Called by the trainer with the network that was kept. Rows that the user gave to judge by
are never trained on: they may be scored on. ``afresh`` says whether a part starts from new
networks: those before only select then, and need not be as wide.
"""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from lassoflexnet.nn import Committee, Network, Trained
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.crossfit import stratified_folds
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.evaluation import predict, weighted_mean
from lassoflexnet.training.stage import Snapshot, StageSettings
from lassoflexnet.training.workshop import Workshop

# Two folds of two rows.
FEWEST_ROWS = 4

# Enough to say when a member has learnt its best; what more there is, it learns from.
STOPPING_ROWS = 800

Cut = Callable[[StageSettings], StageSettings]
Unseen = tuple[tuple[Network, Rows], ...]


class Ended(NamedTuple):
    """The network that predicts, and its error on rows that it was not trained on.

    ``unseen`` has networks to read from, each with rows that it was not trained on.
    """

    network: Trained
    validation_loss: float
    unseen: Unseen


def as_kept(kept: Snapshot, data: TrainingData) -> Ended:
    """The kept network as what predicts."""
    return Ended(kept.network, kept.loss, ((kept.network, data.validation),))


@dataclass(frozen=True)
class AsKept:
    """Predict with the kept network."""

    afresh: ClassVar[bool] = False

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:  # noqa: ARG002
        """Hand it through."""
        return as_kept(kept, data)

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
        ended = as_kept(kept, data)
        if not (n_epochs and data.held_out):
            return ended
        rows = data.joined()
        settings = replace(self.budget, max_epochs=n_epochs, evaluate_every=n_epochs)
        final, _ = workshop.train("final", copy.deepcopy(kept.network), rows, settings)
        workshop.say(f"{n_epochs} epochs on all {rows.train.n_rows} rows")
        # No proof, since it was trained on them; but worse than before means that it is lost.
        return ended._replace(network=final.network) if final.loss <= kept.loss else ended

    def within(self, cut: Cut) -> "TrainOn":
        """The same with a changed budget."""
        return TrainOn(cut(self.budget))


@dataclass(frozen=True)
class Members:
    """Train several networks from scratch and average them.

    Where rows were held out, all rows are dealt out again, for each member others to be
    validated on: as large a share as was held out before, of many rows a smaller one. Where
    rows were given to judge by, these are; beside them, if they are few, others for each
    member. Classifiers that are too sure of themselves on these rows are made less so.
    """

    n_members: int = 4
    budget: StageSettings = StageSettings()
    afresh: ClassVar[bool] = True

    def __call__(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:
        """Train them; without a budget, or rows to deal out, the kept network predicts."""
        if not self.budget.max_epochs or _dealt_out(data).n_rows < FEWEST_ROWS:
            return as_kept(kept, data)
        return (self._judged if data.tells else self._dealt)(kept, data, workshop)

    def within(self, cut: Cut) -> "Members":
        """The same with a changed budget."""
        return replace(self, budget=cut(self.budget))

    def _dealt(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:  # noqa: ARG002
        """Members validated on rows of their own; their error is that on all of these.

        Where rows were given to judge by, it is that on them.
        """
        parts = list(self.parts(data))
        found = self._members(parts, workshop)
        unseen = _unseen(found, parts)
        outputs = torch.cat([predict(network, rows.codes) for network, rows in unseen])
        target = torch.cat([rows.target for _, rows in unseen])
        weight = torch.cat([rows.weight for _, rows in unseen])
        ended = _settled(unseen, outputs, target, weight, workshop)
        if data.held_out:
            return ended
        given = data.validation
        errors = workshop.objective.metric(predict(ended.network, given.codes), given.target)
        return ended._replace(validation_loss=weighted_mean(errors, given.weight))

    def _judged(self, kept: Snapshot, data: TrainingData, workshop: Workshop) -> Ended:
        """Members validated on the same rows; the kept network stays if it is better there."""
        parts, rows = [data] * self.n_members, data.validation
        found = self._members(parts, workshop)
        outputs = predict(Committee([one.network for one in found]), rows.codes)
        ended = _settled(_unseen(found, parts), outputs, rows.target, rows.weight, workshop)
        if ended.validation_loss <= kept.loss:
            return ended
        workshop.say(f"the kept network is better ({kept.loss:.5f}) and predicts alone")
        return as_kept(kept, data)

    def _members(self, parts: Sequence[TrainingData], workshop: Workshop) -> list[Snapshot]:
        named = [(f"member {i}", part) for i, part in enumerate(parts, start=1)]
        return workshop.train_each(named, self.budget)

    def parts(self, data: TrainingData) -> Iterator[TrainingData]:
        """Rows for each member, some of them set apart: a fold, in turn, and the given ones."""
        rows = _dealt_out(data)
        share = data.validation.n_rows / rows.n_rows
        as_before, many = math.ceil(1 / share), rows.n_rows // STOPPING_ROWS
        n_folds = min(max(self.n_members, as_before, many), rows.n_rows // 2)
        folds = stratified_folds(rows.target, n_folds)
        for i in range(self.n_members):
            others = torch.ones(rows.n_rows, dtype=torch.bool, device=rows.target.device)
            others[folds[i % n_folds]] = False
            train, apart = rows.at(others.nonzero()[:, 0]), rows.at(folds[i % n_folds])
            validation = apart if data.held_out else apart.beside(data.validation)
            yield data._replace(train=train, validation=validation)


def _dealt_out(data: TrainingData) -> Rows:
    """Rows that members may be trained on."""
    return data.joined().train if data.held_out else data.train


def _unseen(found: Sequence[Snapshot], parts: Sequence[TrainingData]) -> Unseen:
    pairs = zip(found, parts, strict=True)
    return tuple((one.network, part.validation) for one, part in pairs)


def _settled(
    unseen: Unseen, outputs: Tensor, target: Tensor, weight: Tensor, workshop: Workshop
) -> Ended:
    """Committee as sure as rows that it was not trained on allow, and its error there."""
    loss, metric, _ = workshop.objective
    factor = confidence(outputs, target, weight, loss)
    error = weighted_mean(metric(factor * outputs, target), weight)
    softer = f", outputs times {factor:.2f}" if factor < 1 else ""
    workshop.say(f"{len(unseen)} networks: validation {error:.5f}{softer}")
    return Ended(Committee([network for network, _ in unseen], factor), error, unseen)


Ending = AsKept | TrainOn | Members
"""Kept network and data of its features -> the network that predicts."""
