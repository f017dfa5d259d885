"""Cross-fitting: outputs for training rows by networks that have not seen them.

Used to compare supports of the path on more rows than validation alone has.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.evaluation import predict

Folds = Sequence[Tensor]
"""Numbers of the training rows in each fold."""


def cross_fitted_outputs(
    data: TrainingData, deals: Sequence[Folds], train: Callable[[TrainingData], Network]
) -> Tensor:
    """Outputs of the validation rows, then of the training rows: (n, c).

    Parameters
    ----------
    data : TrainingData
        Training and validation rows; the latter stop each training and are predicted by
        every network.
    deals : sequence of folds
        One or more ways to deal out the training rows; outputs are averaged over them.
    train : callable
        Trains a network on such data.
    """
    return torch.stack([_outputs(data, folds, train) for folds in deals]).mean(dim=0)


def _outputs(data: TrainingData, folds: Folds, train: Callable[[TrainingData], Network]) -> Tensor:
    on_validation, on_folds = [], []
    for i, fold in enumerate(folds):
        # In the order they came: the first rows stand for all where a few must do.
        others = torch.cat([other for j, other in enumerate(folds) if j != i]).sort().values
        network = train(data._replace(train=data.train.at(others)))
        on_validation.append(predict(network, data.validation.codes))
        on_folds.append(predict(network, data.train.at(fold).codes))
    in_order = torch.cat(on_folds)[torch.cat([*folds]).argsort()]
    return torch.cat([torch.stack(on_validation).mean(dim=0), in_order])


def stratified_folds(target: Tensor, n_folds: int) -> list[Tensor]:
    """Random folds, each with its share of every class or range of the target.

    >>> [fold.numel() for fold in stratified_folds(torch.arange(7.0), 2)]
    [4, 3]
    """
    shuffled = torch.randperm(len(target), device=target.device)
    ordered = shuffled[target[shuffled].argsort(stable=True)]
    return [ordered[i::n_folds] for i in range(n_folds)]
