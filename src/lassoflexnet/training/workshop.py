"""The workshop: makes new networks and trains them, without lambda.

Used by the trainer, the panel, the judge and the endings.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from lassoflexnet.codes import CodeLayout
from lassoflexnet.nn import Network
from lassoflexnet.optim import OptimizerSettings
from lassoflexnet.training.averaging import average_of, moment_rows
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.joined import JoinedStage, worth_joining
from lassoflexnet.training.stage import Objective, Snapshot, Stage, StageSettings

Build = Callable[[CodeLayout], Network]
"""How a network is made."""


@dataclass(frozen=True)
class Workshop:
    """How networks are made, and trained towards what.

    ``sketch`` makes networks that select columns and will not predict.
    """

    build: Build
    sketch: Build
    objective: Objective
    optimizer: OptimizerSettings
    model_ema_decay: float

    def say(self, text: str) -> None:
        """Tell the user."""
        self.objective.monitor.say(text)

    def fresh(self, data: TrainingData, build: Build | None = None) -> Network:
        """Build a network and set its normalisation from the data."""
        network = (build or self.build)(data.layout).to(data.train.target.device)
        network.set_moments(moment_rows(data.train.codes))
        return network

    def train(
        self, name: str, network: Network, data: TrainingData, settings: StageSettings
    ) -> tuple[Snapshot, int]:
        """Train without lambda; best network met, and epochs spent."""
        stage = Stage(
            name,
            network,
            self.optimizer.build(*network.split_parameters()),
            data,
            settings=settings,
            objective=self.objective,
            average=average_of(network, self.model_ema_decay),
        )
        return stage.run()

    def train_each(
        self,
        named: Sequence[tuple[str, TrainingData]],
        settings: StageSettings,
        build: Build | None = None,
        n_alone: int = 0,
    ) -> list[Snapshot]:
        """Train a new network on each of several data, together if they are small.

        The first ``n_alone`` are then given up as if each was trained by itself.
        """
        return self._joined(named, settings, build, n_alone) or [
            self.train(name, self.fresh(data, build), data, settings)[0] for name, data in named
        ]

    def joins(
        self, parts: Sequence[TrainingData], settings: StageSettings, build: Build | None = None
    ) -> bool:
        """Whether networks on such data are trained as one."""
        with torch.device("meta"):
            one = (build or self.build)(parts[0].layout)
        return self.optimizer.separable and worth_joining(one, settings, parts)

    def _joined(
        self,
        named: Sequence[tuple[str, TrainingData]],
        settings: StageSettings,
        build: Build | None,
        n_alone: int,
    ) -> list[Snapshot] | None:
        names, parts = zip(*named, strict=True)
        if not self.joins(parts, settings, build):
            return None
        networks = [self.fresh(part, build) for part in parts]
        stage = JoinedStage(
            names, networks, parts, settings=settings, objective=self.objective, n_alone=n_alone
        )
        stepper = self.optimizer.build(*stage.crew.split_parameters())
        epochs = self.objective.monitor.epochs
        n_before = len(epochs)
        found = stage.run(stepper, average_of(stage.crew, self.model_ema_decay))
        if found is None:
            del epochs[n_before:]
            self.say("a loss is not finite: networks are trained one by one")
        return found
