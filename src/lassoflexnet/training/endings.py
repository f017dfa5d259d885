"""The last stage, as parts: what becomes of the kept features once nothing is left to choose.

Called by the trainer with the network that was kept, and with a ``team`` if one was trained for
the challenge. Rows that the user gave to judge by are never trained on: they may be scored on.
``afresh`` says whether a part starts from new networks: those before only select then, and need not
be as wide; ``calibrated`` whether networks that predict classes are made as sure as rows that they
were not trained on allow; ``challenger`` trains the networks by which a sparser support may
challenge the one liked best, if it may. Here are the parts that go on with the network that was
kept; ``Members`` are new ones.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

from lassoflexnet.nn import Network, Trained
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.stage import Snapshot, StageSettings
from lassoflexnet.training.workshop import Workshop

Cut = Callable[[StageSettings], StageSettings]
Unseen = tuple[tuple[Network, Rows], ...]


class Team(NamedTuple):
    """Networks trained as those that predict: the first as it was judged, and others if any.

    All were validated on the validation rows; the others are with the rows beside them.
    """

    first: Snapshot
    others: Unseen = ()


class Challenger(Protocol):
    """Trains a network for a challenge: as those that predict, validated on the validation rows.

    ``whole`` says that it will likely predict, so others beside it are not wasted.
    """

    def __call__(self, data: TrainingData, workshop: Workshop, *, whole: bool) -> Team:
        """Train it, and the others where that costs hardly more."""
        ...


class Ended(NamedTuple):
    """The network that predicts, and its error on rows that it was not trained on.

    ``unseen`` has networks to read from, each with rows that it was not trained on.
    """

    network: Trained
    validation_loss: float
    unseen: Unseen

    @classmethod
    def with_kept(cls, kept: Snapshot, data: TrainingData) -> "Ended":
        """The kept network is what predicts."""
        return cls(kept.network, kept.loss, ((kept.network, data.validation),))


@dataclass(frozen=True)
class AsKept:
    """Predict with the kept network."""

    afresh: ClassVar[bool] = False
    calibrated: ClassVar[bool] = False
    challenger: ClassVar[None] = None

    def __call__(
        self,
        kept: Snapshot,
        data: TrainingData,
        workshop: Workshop,  # noqa: ARG002
        team: Team | None = None,  # noqa: ARG002
    ) -> Ended:
        """Hand it through."""
        return Ended.with_kept(kept, data)

    def within(self, cut: Cut) -> "AsKept":  # noqa: ARG002
        """It has no budget."""
        return self


@dataclass(frozen=True)
class TrainOn:
    """Train the kept network on, the rows held out for validation now among the others.

    ``budget`` is the most it may take; it takes at most as many epochs as did it good before.
    """

    budget: StageSettings = StageSettings(max_epochs=18)
    afresh: ClassVar[bool] = False
    calibrated: ClassVar[bool] = False
    challenger: ClassVar[None] = None

    def __call__(
        self,
        kept: Snapshot,
        data: TrainingData,
        workshop: Workshop,
        team: Team | None = None,  # noqa: ARG002
    ) -> Ended:
        """Train on, unless there is nothing to learn from."""
        n_epochs = min(self.budget.max_epochs, kept.epoch)
        ended = Ended.with_kept(kept, data)
        if not (n_epochs and data.held_out):
            return ended
        rows = data.joined()
        settings = replace(self.budget, max_epochs=n_epochs, evaluate_every=n_epochs)
        final, _ = workshop.train("final", copy.deepcopy(kept.network), rows, settings)
        workshop.say(f"trained on with all {rows.train.n_rows} rows, epochs: {n_epochs}")
        # No proof, since it was trained on them; but worse than before means that it is lost.
        return ended._replace(network=final.network) if final.loss <= kept.loss else ended

    def within(self, cut: Cut) -> "TrainOn":
        """The same with a changed budget."""
        return TrainOn(cut(self.budget))
