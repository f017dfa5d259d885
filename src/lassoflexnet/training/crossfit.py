"""Cross-fitting: reading training rows by networks that have not seen them.

Used by the panel, to know what features are worth and to compare supports of the path on
more rows than validation alone has.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.evaluation import predict

Folds = Sequence[Tensor]
"""Numbers of the training rows in each fold."""

Reader = Callable[[Network, Rows], Tensor]
"""Network and rows it has not seen -> what it says of them, (n, k)."""


class CrossFitted(NamedTuple):
    """Networks that were each trained without one fold of the training rows.

    Attributes
    ----------
    data : TrainingData
        Training and validation rows; the latter stopped each training.
    deals : sequence of folds
        One or more ways to deal out the training rows.
    networks : sequence of Network
        One for each fold of each deal.
    """

    data: TrainingData
    deals: Sequence[Folds]
    networks: Sequence[Network]

    def read(self, reader: Reader) -> Tensor:
        """What is read of validation rows, then of training rows: (n, k).

        Training rows are read by the network that has not seen them, validation rows by
        all; averaged over deals.
        """
        networks = iter(self.networks)
        found = [self._read(reader, folds, [next(networks) for _ in folds]) for folds in self.deals]
        return torch.stack(found).mean(dim=0)

    def _read(self, reader: Reader, folds: Folds, networks: Sequence[Network]) -> Tensor:
        train, validation = self.data.train, self.data.validation
        pairs = zip(networks, folds, strict=True)
        on_folds = torch.cat([reader(one, train.at(fold)) for one, fold in pairs])
        on_validation = torch.stack([reader(one, validation) for one in networks])
        return torch.cat([on_validation.mean(dim=0), on_folds[torch.cat([*folds]).argsort()]])

    def outputs(self) -> Tensor:
        """Outputs on the link scale: (n, c)."""
        return self.read(lambda network, rows: predict(network, rows.codes))

    def thinned(self, most: int) -> "CrossFitted":
        """The same with every so many-th row only, so that about ``most`` are read at most.

        Training rows are read once for each deal, validation rows by every network.
        """
        validation = self.data.validation
        n_read = len(self.deals) * self.data.train.n_rows + len(self.networks) * validation.n_rows
        step = -(-n_read // most)
        deals = [[fold[fold % step == 0] for fold in folds] for folds in self.deals]
        data = self.data._replace(validation=validation.at(slice(None, None, step)))
        return self._replace(data=data, deals=deals)


def cross_fit(
    data: TrainingData,
    deals: Sequence[Folds],
    train: Callable[[Sequence[TrainingData]], Sequence[Network]],
) -> CrossFitted:
    """Train a network on all folds but one, for each fold of each deal."""
    rest = [data._replace(train=data.train.parted(fold)[0]) for folds in deals for fold in folds]
    return CrossFitted(data, deals, train(rest))


def stratified_folds(target: Tensor, n_folds: int) -> list[Tensor]:
    """Random folds, each with its share of every class or range of the target.

    >>> [fold.numel() for fold in stratified_folds(torch.arange(7.0), 2)]
    [4, 3]
    """
    shuffled = torch.randperm(len(target), device=target.device)
    ordered = shuffled[target[shuffled].argsort(stable=True)]
    return [ordered[i::n_folds] for i in range(n_folds)]
