"""The protocol of TabZilla (McElfresh et al., 2023): ten folds.

OpenML's own folds of a task are not part of the data sets, so folds are made the way
TabZilla makes them for data from elsewhere.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from lassoflexnet.bench.protocols.base import SplitProtocol, check_number, check_rows
from lassoflexnet.bench.protocols.parts import Parts, capped, cut, standardised
from lassoflexnet.bench.protocols.scores import BY_LOSS, Headline
from lassoflexnet.bench.rows import Split, Table, Task
from lassoflexnet.exceptions import InvalidInput

N_FOLDS = 10


@dataclass(frozen=True)
class TabZilla(SplitProtocol):
    """Test on a fold, validate on the next, train on the other eight.

    The run's seed changes nothing here. A numeric target is in units of its spread over
    the training rows.

    Attributes
    ----------
    fold : int
        Fold to test on, 0 to 9.
    max_train_rows : int or None
        Train on a random subset, and validate on one in proportion.
    """

    fold: int = 0
    max_train_rows: int | None = None
    scores: ClassVar[Mapping[Task, Headline]] = BY_LOSS

    def __post_init__(self) -> None:
        check_number("fold", self.fold, N_FOLDS)
        check_rows("max_train_rows", self.max_train_rows)

    def split(self, table: Table, seed: int) -> Split:  # noqa: ARG002
        """Number the folds and cut the table by them."""
        numbers = folds(table)
        is_test, is_validation = numbers == self.fold, numbers == (self.fold + 1) % N_FOLDS
        masks = (~is_test & ~is_validation, is_validation, is_test)
        parts = Parts(*(np.flatnonzero(mask) for mask in masks))
        table = standardised(table, parts.train)
        return cut(table, capped(parts, self.max_train_rows))


def folds(table: Table) -> np.ndarray:
    """Fold of each row (n,): shuffled by seed 0, classes in their shares."""
    n_rows = len(table.y)
    if n_rows < N_FOLDS:
        raise InvalidInput(f"`{table.name}` has {n_rows} rows; {N_FOLDS} folds need as many.")
    # A class may be too rare to be in every fold, but one at least must not be.
    common = table.task != "regression" and np.bincount(table.y).max() >= N_FOLDS
    splitter = (StratifiedKFold if common else KFold)(N_FOLDS, shuffle=True, random_state=0)
    numbers = np.empty(n_rows, dtype=int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for number, (_, rows) in enumerate(splitter.split(np.zeros(n_rows), table.y)):
            numbers[rows] = number
    return numbers
