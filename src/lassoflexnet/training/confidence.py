"""How sure networks may be of a class: one factor for all their outputs.

Used by stages, the judge and the last stage. Networks of few rows are too sure; that shows on
rows they were not trained on.
"""

from torch import Tensor

from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.tasks import RowMetric, binary_log_loss, log_loss

LOG_LOSSES = (binary_log_loss, log_loss)

# The loss is convex in the factor and flat around its least.
FACTORS = tuple(percent / 100 for percent in range(100, 9, -1))


def confidence(outputs: Tensor, target: Tensor, weight: Tensor, loss: RowMetric) -> float:
    """Factor of the logits with the least log loss, at most 1; 1 for any other loss.

    Not above 1: training was stopped where these rows liked it best, so they flatter it.

    >>> import torch
    >>> sure, both = torch.tensor([[9.0], [9.0]]), torch.ones(2)
    >>> confidence(sure, torch.tensor([1, 0]), both, binary_log_loss)
    0.1
    >>> confidence(sure, torch.tensor([1, 1]), both, binary_log_loss)
    1.0
    """
    if loss not in LOG_LOSSES:
        return 1.0
    low, high = 0, len(FACTORS) - 1
    while low < high:
        middle = (low + high) // 2
        here, below = (
            weighted_mean(loss(factor * outputs, target), weight)
            for factor in FACTORS[middle : middle + 2]
        )
        low, high = (middle + 1, high) if below < here else (low, middle)
    return FACTORS[low]
