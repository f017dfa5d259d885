"""Tasks: what the outputs mean, and what a row's error is.

Used by stages (loss), by the choice on the path (metric per row) and by estimators.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

RowMetric = Callable[[Tensor, Tensor], Tensor]


def squared_error(outputs: Tensor, target: Tensor) -> Tensor:
    """(y - y_hat)^2 per row: (n, 1), (n,) -> (n,)."""
    return (outputs.squeeze(1) - target).square()


def absolute_error(outputs: Tensor, target: Tensor) -> Tensor:
    """|y - y_hat| per row."""
    return (outputs.squeeze(1) - target).abs()


def binary_log_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Log loss of one logit against {0, 1}."""
    return F.binary_cross_entropy_with_logits(
        outputs.squeeze(1), target.to(outputs.dtype), reduction="none"
    )


def log_loss(outputs: Tensor, target: Tensor) -> Tensor:
    """Log loss of c logits against a class number."""
    return F.cross_entropy(outputs, target, reduction="none")


def softened(loss: RowMetric, factor: float) -> RowMetric:
    """The loss of outputs that are multiplied by a factor before."""
    return lambda outputs, target: loss(factor * outputs, target)


def binary_probabilities(outputs: Tensor) -> Tensor:
    """One logit -> two probabilities: (n, 1) -> (n, 2)."""
    p = torch.sigmoid(outputs.squeeze(1))
    return torch.stack([1 - p, p], dim=1)


def probabilities(outputs: Tensor) -> Tensor:
    """Logits -> probabilities: (n, c) -> (n, c)."""
    return torch.softmax(outputs, dim=1)


def _error_rate(link: Callable[[Tensor], Tensor]) -> RowMetric:
    return lambda outputs, target: (link(outputs).argmax(dim=1) != target).float()


def _brier(link: Callable[[Tensor], Tensor]) -> RowMetric:
    def brier(outputs: Tensor, target: Tensor) -> Tensor:
        p = link(outputs)
        return (p - F.one_hot(target, p.shape[1])).square().sum(dim=1)

    return brier


@dataclass(frozen=True)
class Task:
    """A loss per row to train on, and the metrics per row one may stop and choose by.

    Attributes
    ----------
    n_outputs : int
        Outputs of the network, c.
    loss : callable
        (outputs (n, c), target (n,)) -> (n,), differentiable.
    metrics : dict
        Names a user may give as ``eval_metric``; lower is better.
    """

    n_outputs: int
    loss: RowMetric
    metrics: dict[str, RowMetric]


REGRESSION = Task(1, squared_error, {"mse": squared_error, "mae": absolute_error})

BINARY = Task(
    1,
    binary_log_loss,
    {
        "log_loss": binary_log_loss,
        "error": _error_rate(binary_probabilities),
        "brier": _brier(binary_probabilities),
    },
)


def multiclass(n_classes: int) -> Task:
    """One output per class."""
    metrics = {
        "log_loss": log_loss,
        "error": _error_rate(probabilities),
        "brier": _brier(probabilities),
    }
    return Task(n_classes, log_loss, metrics)
