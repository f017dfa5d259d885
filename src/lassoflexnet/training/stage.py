"""One stage of training: epochs until patience or the budget ends.

Used for the dense stage, for each lambda of the path and for the refit.
"""

import copy
import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lassoflexnet.exceptions import TrainingDiverged
from lassoflexnet.nn import Network
from lassoflexnet.optim import Stepper
from lassoflexnet.optim.schedules import Constant, WarmupCosine
from lassoflexnet.training.averaging import ModelAverage, NoAverage
from lassoflexnet.training.confidence import confidence
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.evaluation import predict, weighted_mean
from lassoflexnet.training.history import Epoch, Monitor
from lassoflexnet.training.state import copied, is_finite
from lassoflexnet.training.tasks import RowMetric

# A non-finite loss is answered by going back one epoch with a tenth of the step.
MAX_ROLLBACKS = 3
ROLLBACK_FACTOR = 0.1


@dataclass(frozen=True)
class StageSettings:
    """Budget of a stage.

    Attributes
    ----------
    max_epochs, patience : int
        At most so many epochs, and so many without a better validation error.
    batch_size : int
        Rows per step.
    schedule : part
        Learning rate over the stage.
    gradient_clip : float
        Largest gradient norm of a step.
    evaluate_every : int
        Epochs from one look at the validation rows to the next; the last epoch is always
        looked at.
    """

    max_epochs: int = 30
    patience: int = 10
    batch_size: int = 512
    schedule: Constant | WarmupCosine = WarmupCosine()
    gradient_clip: float = math.inf
    evaluate_every: int = 1

    def is_due(self, epoch: int) -> bool:
        """Whether the validation rows are looked at after this epoch."""
        return epoch % self.evaluate_every == 0 or epoch == self.max_epochs


class Objective(NamedTuple):
    """Loss to train on and metric to judge by, per row; monitor to report to.

    ``calibrated`` says that networks are judged as sure as the rows that judge them allow. A
    network goes on to learn classes apart long after it has become too sure of them.
    """

    loss: RowMetric
    metric: RowMetric
    monitor: Monitor
    calibrated: bool = False

    def factor(self, outputs: Tensor, target: Tensor, weight: Tensor) -> float:
        """What outputs (n, c) are multiplied by before they are judged."""
        return confidence(outputs, target, weight, self.loss) if self.calibrated else 1.0

    def errors(self, outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        """Error of each row: (n,)."""
        return self.metric(self.factor(outputs, target, weight) * outputs, target)


class Snapshot(NamedTuple):
    """A network as it was after this epoch of its stage; validation errors and their mean."""

    network: Network
    errors: Tensor
    loss: float
    epoch: int = 0


class State(NamedTuple):
    """Everything an epoch changes, and the multiple of the learning rate it ended at."""

    network: dict
    stepper: dict
    average: dict
    multiple: float


class Evaluation(NamedTuple):
    """Live network and, beside it, the averaged one (or the live one again)."""

    live: Snapshot
    averaged: Snapshot

    @property
    def best(self) -> Snapshot:
        """The better of the two."""
        return min(self, key=lambda s: s.loss)


class Stage:
    """Runs the epochs of a stage on a network, in place."""

    def __init__(
        self,
        name: str,
        network: Network,
        stepper: Stepper,
        data: TrainingData,
        *,
        settings: StageSettings,
        objective: Objective,
        average: ModelAverage[Network] | NoAverage[Network],
        lam: float = 0.0,
    ) -> None:
        self.name = name
        self.network = network
        self.stepper = stepper
        self.data = data
        self.settings = settings
        self.objective = objective
        self.average = average
        self.lam = lam
        self.multiple = 1.0

    def run(self) -> tuple[Snapshot, int]:
        """Train until patience or the budget ends; best network met, and epochs spent."""
        best, weights = Snapshot(self.network, torch.empty(0), math.inf), {}
        waited, n_epochs, rollbacks = 0, 0, 0
        good = self._state()
        while n_epochs < self.settings.max_epochs and waited < self.settings.patience:
            train_loss = self._epoch(n_epochs)
            now = self.evaluate() if self.settings.is_due(n_epochs + 1) else None
            state = self._state()
            if not (math.isfinite(train_loss) and _is_sound(now, state)):
                rollbacks += 1
                self._roll_back(good, rollbacks, n_epochs + 1)
                continue
            n_epochs += 1
            self._record(n_epochs, train_loss, now)
            if now and now.best.loss < best.loss:
                best = now.best._replace(epoch=n_epochs)
                weights = copied(now.best.network.state_dict())
            # Patience ends a stage at a look only: what was not judged cannot be kept.
            waited = n_epochs - best.epoch if now else 0
            good = state
        self._set_rate(1.0)
        best = frozen(best if n_epochs else self.evaluate().best)
        best.network.load_state_dict(weights or best.network.state_dict())
        return best, n_epochs

    def _epoch(self, n_done: int) -> float:
        """Take one pass over the training rows; mean loss, NaN as soon as a batch is not finite."""
        self.network.train()
        train, size = self.data.train, self.settings.batch_size
        n_steps = train.n_batches(size)
        total = 0.0
        for i, rows in enumerate(train.batches(size)):
            # The middle of the step: at either end of a stage a schedule may be zero.
            done = (n_done + (i + 0.5) / n_steps) / self.settings.max_epochs
            self._set_rate(self.settings.schedule(done))
            loss = (self.objective.loss(self.network(rows.codes), rows.target) * rows.weight).mean()
            value = loss.item()
            if not math.isfinite(value):
                return math.nan
            self.stepper.zero_grad()
            loss.backward()
            if math.isfinite(self.settings.gradient_clip):
                nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.gradient_clip)
            self.stepper.step()
            self.average.update()
            total += value * rows.n_rows
        return total / train.n_rows

    def _set_rate(self, multiple: float) -> None:
        """Bring the learning rate to a multiple of the stage's; optimisers may adapt it too."""
        for group in self.stepper.param_groups:
            group["lr"] *= multiple / self.multiple
        self.multiple = multiple

    def evaluate(self) -> Evaluation:
        """Errors on the validation rows, live and averaged."""
        rows, objective = self.data.validation, self.objective
        live = snapshot(self.network, rows, objective)
        averaged = self.average.settle(self.data.train.codes)
        if averaged is self.network:
            return Evaluation(live, live)
        return Evaluation(live, snapshot(averaged, rows, objective))

    def _record(self, n_epochs: int, train_loss: float, now: Evaluation | None) -> None:
        monitor = self.objective.monitor
        # Rows that are trained on tell nothing of others.
        told = None if self.data.learnt else now
        row = Epoch(
            stage=self.name,
            lam=self.lam,
            epoch=n_epochs,
            train_loss=train_loss,
            validation_loss=told.live.loss if told else math.nan,
            average_loss=told.averaged.loss if told else math.nan,
            n_features=int(self.network.gate().support().sum()),
            learning_rate=self.stepper.param_groups[0]["lr"],
            seconds=monitor.seconds(),
        )
        monitor.epoch(row)

    def _state(self) -> State:
        """Copies of everything an epoch changes."""
        parts = (self.network, self.stepper, self.average)
        network, stepper, average = copied([part.state_dict() for part in parts])
        return State(network, stepper, average, self.multiple)

    def _roll_back(self, good: State, rollbacks: int, epoch: int) -> None:
        """Go back to the last good state with a smaller step, or give up."""
        if rollbacks > MAX_ROLLBACKS:
            raise TrainingDiverged(
                f"the loss is not finite in the {self.name} stage, epoch {epoch}, "
                f"lambda {self.lam:.3g}, even after {MAX_ROLLBACKS} restarts with smaller steps. "
                "Lower `learning_rate`, or check the target for extreme values."
            )
        state: State = copied(good)
        self.multiple = state.multiple
        self.network.load_state_dict(state.network)
        self.stepper.load_state_dict(state.stepper)
        self.average.load_state_dict(state.average)
        for group in self.stepper.param_groups:
            group["lr"] *= ROLLBACK_FACTOR**rollbacks


def snapshot(network: Network, rows: Rows, objective: Objective) -> Snapshot:
    """Evaluate a network; the snapshot still refers to it."""
    errors = objective.errors(predict(network, rows.codes), rows.target, rows.weight)
    return Snapshot(network, errors, weighted_mean(errors, rows.weight))


def _is_sound(now: Evaluation | None, state: State) -> bool:
    """Whether an epoch has left finite numbers: in the error, if it was looked at, and the state.

    What no weight shows yet may be in the optimiser's averages.
    """
    return (now is None or math.isfinite(now.live.loss)) and is_finite(state)


def frozen(now: Snapshot) -> Snapshot:
    """Copy the snapshot's network, which goes on changing otherwise."""
    return now._replace(network=copy.deepcopy(now.network))
