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
    data: TrainingData,
    deals: Sequence[Folds],
    train: Callable[[Sequence[TrainingData]], Sequence[Network]],
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
        Trains a network on each of such data.
    """
    rest = [data._replace(train=data.train.parted(fold)[0]) for folds in deals for fold in folds]
    networks = iter(train(rest))
    outputs = [_outputs(data, folds, [next(networks) for _ in folds]) for folds in deals]
    return torch.stack(outputs).mean(dim=0)


def _outputs(data: TrainingData, folds: Folds, networks: Sequence[Network]) -> Tensor:
    """Each fold by the network that was trained without it, validation rows by all."""
    pairs = zip(networks, folds, strict=True)
    on_folds = torch.cat([predict(one, data.train.at(fold).codes) for one, fold in pairs])
    on_validation = torch.stack([predict(one, data.validation.codes) for one in networks])
    return torch.cat([on_validation.mean(dim=0), on_folds[torch.cat([*folds]).argsort()]])


def stratified_folds(target: Tensor, n_folds: int) -> list[Tensor]:
    """Random folds, each with its share of every class or range of the target.

    >>> [fold.numel() for fold in stratified_folds(torch.arange(7.0), 2)]
    [4, 3]
    """
    shuffled = torch.randperm(len(target), device=target.device)
    ordered = shuffled[target[shuffled].argsort(stable=True)]
    return [ordered[i::n_folds] for i in range(n_folds)]
