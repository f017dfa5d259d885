"""Coded rows with their targets and weights, on the device that trains.

Made by estimators; read by stages and the path.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from lassoflexnet.codes import CodeLayout, Codes

# Fewer say little of when to stop, how sure to be and which network is better.
TELLING_ROWS = 100


def n_batches(n_rows: int, batch_size: int) -> int:
    """Number of batches of about this size, with two rows each at least.

    A batch of one row would break BatchNorm.

    >>> [n_batches(n, 32) for n in (3, 100, 1000)]
    [1, 3, 31]
    """
    return max(1, min(round(n_rows / batch_size), n_rows // 2))


class Rows(NamedTuple):
    """Codes (p, n), target (n,) and weight (n,) of some rows, in random order.

    Weights average 1 over all training rows.
    """

    codes: Codes
    target: Tensor
    weight: Tensor

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return len(self.target)

    def at(self, index: Tensor | slice) -> "Rows":
        """Some of the rows."""
        return Rows(self.codes.rows(index), self.target[index], self.weight[index])

    def parted(self, some: Tensor) -> tuple["Rows", "Rows"]:
        """All rows but those of these numbers, in order, and those."""
        others = torch.ones(self.n_rows, dtype=torch.bool, device=some.device)
        others[some] = False
        return self.at(others.nonzero()[:, 0]), self.at(some)

    def beside(self, others: "Rows") -> "Rows":
        """These and others."""
        codes = Codes(*map(torch.hstack, zip(self.codes, others.codes, strict=True)))
        target, weight = map(torch.hstack, zip(self[1:], others[1:], strict=True))
        return Rows(codes, target, weight)

    def n_batches(self, batch_size: int) -> int:
        """Number of batches of about this size."""
        return n_batches(self.n_rows, batch_size)

    def batches(self, batch_size: int) -> Iterator["Rows"]:
        """Shuffled batches of nearly equal size; no row is left out."""
        order = torch.randperm(self.n_rows, device=self.target.device)
        for index in order.tensor_split(self.n_batches(batch_size)):
            yield self.at(index)


class TrainingData(NamedTuple):
    """Training and validation rows.

    ``held_out`` says whether the latter were taken from the same table as the former, and
    not given to judge by; ``learnt`` that they are among the former.
    """

    layout: CodeLayout
    train: Rows
    validation: Rows
    held_out: bool = False
    learnt: bool = False

    @property
    def tells(self) -> bool:
        """Whether the validation rows were given to judge by, and are enough for it."""
        return not self.held_out and self.validation.n_rows >= TELLING_ROWS

    def keep(self, features: Tensor) -> "TrainingData":
        """Cut the table down to these features (ascending)."""
        pieces = self.layout.pieces_of(features.numpy())
        train, validation = (rows._replace(codes=rows.codes.pieces(pieces)) for rows in self[1:3])
        layout = self.layout.keep(features.numpy())
        return self._replace(layout=layout, train=train, validation=validation)

    def joined(self) -> "TrainingData":
        """The same with the validation rows among the training rows too."""
        return self._replace(train=self.train.beside(self.validation), learnt=True)
