"""What benchmarks hand around: a table, and its rows cut into train, validation and test.

Made by the data registry and by protocols; read by methods.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

Task = Literal["regression", "binary", "multiclass"]


class Table(NamedTuple):
    """A data set as published, its useless columns dropped.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : DataFrame
        Columns to predict from; text and category columns are nominal.
    y : ndarray
        Target: numbers, or classes coded 0, 1, ... in the order of their sorted labels.
    task : {"regression", "binary", "multiclass"}
        What is predicted.
    time : ndarray or None
        Numbers that sort the rows by time; None if they have no order.
    splits : mapping or None
        Row numbers of train, validation and test by the name of a split, if the data set
        came with splits of its own.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    task: Task
    time: np.ndarray | None = None
    splits: Mapping[str, tuple[np.ndarray, ...]] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return 0 if self.task == "regression" else int(self.y.max()) + 1

    def at(self, rows: np.ndarray) -> "Rows":
        """Some of its rows, in this order."""
        return Rows(self.X.iloc[rows].reset_index(drop=True), self.y[rows])


class Rows(NamedTuple):
    """Columns and target of some rows."""

    X: pd.DataFrame
    y: np.ndarray

    def joined(self, other: "Rows") -> "Rows":
        """These rows, then the others."""
        return Rows(pd.concat([self.X, other.X], ignore_index=True), np.append(self.y, other.y))

    def only(self, columns: list[str]) -> "Rows":
        """The same rows with some of the columns."""
        return Rows(self.X[columns], self.y)


class Split(NamedTuple):
    """A data set cut into three; what a method may see of the test rows is ``test.X``.

    Attributes
    ----------
    train, validation, test : Rows
        The parts. Validation rows may stop training and choose; they are not trained on.
    task : {"regression", "binary", "multiclass"}
        What is predicted.
    n_classes : int
        Number of classes of the whole table; 0 for regression.
    real : tuple of str
        Columns that were there before any were added; empty if none were added.
    scaling : {"quantile", "standard"}
        How methods that need it bring columns to one scale, unless told otherwise.
    stopping : {"loss", "score"}
        What plain networks stop by: the loss on the validation rows, or, as published for
        feature selection, ROC AUC or accuracy there.
    """

    train: Rows
    validation: Rows
    test: Rows
    task: Task
    n_classes: int
    real: tuple[str, ...] = ()
    scaling: str = "quantile"
    stopping: str = "loss"

    def only(self, columns: list[str]) -> "Split":
        """The same split with some of the columns."""
        train, validation, test = (part.only(columns) for part in self[:3])
        return self._replace(train=train, validation=validation, test=test)
