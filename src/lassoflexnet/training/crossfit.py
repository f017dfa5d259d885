"""Cross-fitting: errors on training rows by networks that have not seen them.

Used to compare supports of the path on more rows than validation alone has.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.evaluation import row_errors
from lassoflexnet.training.tasks import RowMetric


def cross_fitted_errors(
    data: TrainingData,
    folds: Sequence[Tensor],
    train: Callable[[TrainingData], Network],
    metric: RowMetric,
) -> Tensor:
    """Errors of the validation rows, then of the training rows fold by fold.

    Parameters
    ----------
    data : TrainingData
        Training and validation rows; the latter stop each training and are predicted by
        every network, their errors averaged.
    folds : sequence of Tensor
        Numbers of the training rows in each fold.
    train : callable
        Trains a network on such data.
    metric : callable
        Error per row.
    """
    on_validation, on_folds = [], []
    for i, fold in enumerate(folds):
        others = torch.cat([other for j, other in enumerate(folds) if j != i])
        network = train(data._replace(train=data.train.at(others)))
        on_validation.append(row_errors(network, data.validation, metric))
        on_folds.append(row_errors(network, data.train.at(fold), metric))
    return torch.cat([torch.stack(on_validation).mean(dim=0), *on_folds])


def stratified_folds(target: Tensor, n_folds: int) -> list[Tensor]:
    """Random folds, each with its share of every class or range of the target.

    >>> [fold.numel() for fold in stratified_folds(torch.arange(7.0), 2)]
    [4, 3]
    """
    shuffled = torch.randperm(len(target), device=target.device)
    ordered = shuffled[target[shuffled].argsort(stable=True)]
    return [ordered[i::n_folds] for i in range(n_folds)]
