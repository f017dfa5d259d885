"""Training of plain networks, by the protocol of the feature-selection benchmark.

Used by the MLP, the FT-Transformer and DeepFM, and with other objectives by selectors.
"""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.nn import functional as F

from lassoflexnet.bench.rows import Task

_CHUNK = 8192


class Batch(NamedTuple):
    """Inputs of a network, in the order it takes them, and targets."""

    inputs: tuple[Tensor, ...]
    target: Tensor

    def at(self, rows: Tensor) -> "Batch":
        """Some of its rows."""
        return Batch(tuple(values[rows] for values in self.inputs), self.target[rows])


class Goal(NamedTuple):
    """What a network is trained for.

    Attributes
    ----------
    loss : callable
        Outputs (n, c) and targets -> mean loss.
    score : callable
        Outputs and targets -> what early stopping looks at, higher is better.
    answer : callable
        Outputs -> predictions.
    dtype : dtype
        Type of targets.
    """

    loss: Callable[[Tensor, Tensor], Tensor]
    score: Callable[[Tensor, Tensor], float]
    answer: Callable[[Tensor], Tensor]
    dtype: torch.dtype


def _accuracy(outputs: Tensor, target: Tensor) -> float:
    return float((outputs.argmax(dim=1) == target).float().mean())


def _auc(outputs: Tensor, target: Tensor) -> float:
    if len(target.unique()) < 2:
        # There is no AUC of one class.
        return -float(F.binary_cross_entropy_with_logits(outputs[:, 0], target))
    return float(roc_auc_score(target.numpy(), np.nan_to_num(outputs[:, 0].double().numpy())))


def _probabilities(outputs: Tensor) -> Tensor:
    one = outputs[:, 0].double().sigmoid()
    return torch.stack([1 - one, one], dim=1)


GOALS: dict[Task, Goal] = {
    "regression": Goal(
        loss=lambda outputs, target: F.mse_loss(outputs[:, 0], target),
        score=lambda outputs, target: -float(F.mse_loss(outputs[:, 0], target).sqrt()),
        answer=lambda outputs: outputs[:, 0].double(),
        dtype=torch.float32,
    ),
    "binary": Goal(
        loss=lambda outputs, y: F.binary_cross_entropy_with_logits(outputs[:, 0], y),
        score=_auc,
        answer=_probabilities,
        dtype=torch.float32,
    ),
    "multiclass": Goal(
        loss=F.cross_entropy,
        score=_accuracy,
        answer=lambda outputs: outputs.double().softmax(dim=1),
        dtype=torch.int64,
    ),
}
"""Loss and score of each task: mean squared error and RMSE, log loss and AUC or accuracy."""


def _by_loss(goal: Goal) -> Goal:
    return goal._replace(score=lambda outputs, target: -float(goal.loss(outputs, target)))


STOPPING: dict[str, dict[Task, Goal]] = {
    "score": GOALS,
    "loss": {**GOALS, **{task: _by_loss(GOALS[task]) for task in ("binary", "multiclass")}},
}
"""Goals by what early stopping looks at; a regression has its RMSE either way."""

Objective = Callable[[nn.Module, Batch, Goal], Tensor]


def plain(module: nn.Module, batch: Batch, goal: Goal) -> Tensor:
    """The loss alone."""
    return goal.loss(module(*batch.inputs), batch.target)


@dataclass(frozen=True)
class Budget:
    """How long to train, and how fast."""

    learning_rate: float
    weight_decay: float
    max_epochs: int = 200
    patience: int = 20
    batch_size: int = 512
    warmup_epochs: int = 5
    milestones: tuple[int, ...] = (40, 80)

    def rate(self, epoch: int) -> float:
        """Learning rate of an epoch, counted from 0: warm-up, then a tenth at milestones.

        >>> [Budget(1.0, 0.0).rate(epoch) for epoch in (0, 4, 39, 40)]
        [0.2, 1.0, 1.0, 0.1]
        """
        steps = sum(epoch >= milestone for milestone in self.milestones)
        return self.learning_rate * min(1.0, (epoch + 1) / self.warmup_epochs) * 0.1**steps


class Trained(NamedTuple):
    """Score of the best epoch, and epochs spent."""

    score: float
    n_epochs: int


def train(
    module: nn.Module,
    rows: tuple[Batch, Batch],
    goal: Goal,
    budget: Budget,
    *,
    objective: Objective = plain,
    parameters: Iterable[Any] | None = None,
) -> Trained:
    """Train on the first rows until the score on the second stops rising.

    The module is left with the weights of its best epoch. `parameters` are those of the
    module unless groups of them are given.
    """
    # Differs from the benchmark: of two epochs with one score that of lower loss is better.
    # On an easy table AUC is 1 at once, while probabilities are still far off.
    train_rows, validation = rows
    groups = list(module.parameters() if parameters is None else parameters)
    optimizer = torch.optim.AdamW(groups, lr=budget.learning_rate, weight_decay=budget.weight_decay)
    best, best_epoch, n_epochs = (-np.inf, -np.inf), 0, 0
    weights = copy.deepcopy(module.state_dict())
    while n_epochs < budget.max_epochs and n_epochs - best_epoch <= budget.patience:
        for group in optimizer.param_groups:
            group["lr"] = budget.rate(n_epochs)
        _epoch(module, train_rows, goal, optimizer, budget.batch_size, objective)
        n_epochs += 1
        now = _judged(module, validation, goal)
        if now > best:
            best, best_epoch = now, n_epochs
            weights = copy.deepcopy(module.state_dict())
    module.load_state_dict(weights)
    return Trained(best[0], n_epochs)


def _judged(module: nn.Module, rows: Batch, goal: Goal) -> tuple[float, float]:
    """Score, and minus the loss; higher is better."""
    found = outputs(module, rows.inputs)
    return goal.score(found, rows.target), -float(goal.loss(found, rows.target))


def _epoch(
    module: nn.Module,
    rows: Batch,
    goal: Goal,
    optimizer: torch.optim.Optimizer,
    batch_size: int,
    objective: Objective,
) -> None:
    module.train()
    n = len(rows.target)
    size = min(batch_size, n)
    order = torch.randperm(n)
    # A last batch that is not full is left out, as in the benchmark.
    for start in range(0, n - size + 1, size):
        optimizer.zero_grad()
        objective(module, rows.at(order[start : start + size]), goal).backward()
        optimizer.step()


def outputs(module: nn.Module, inputs: tuple[Tensor, ...]) -> Tensor:
    """What a network gives for some rows, without dropout: (n, c)."""
    module.eval()
    with torch.no_grad():
        pieces = zip(*(values.split(_CHUNK) for values in inputs), strict=True)
        return torch.cat([module(*piece) for piece in pieces])
