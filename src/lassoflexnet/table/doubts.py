"""Doubts about a table that can be used all the same, said as warnings.

Gathered by the fitted table when it codes rows to predict; the estimators' ``fit`` borrows
the way of saying them.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lassoflexnet.codes import Codes
from lassoflexnet.table.fitted import FittedEncoding

_PACKAGE = __name__.partition(".")[0]
_MAX_NAMES = 5

# Unseen values, and none that is known, before a column looks wrong: a row or two with a new
# category are nothing to warn of.
_MANY = 10


def warn_caller(message: str) -> None:
    """Warn in the name of the line, outside this package, that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


class _Watched(NamedTuple):
    """Row of the codes that holds a column of categories, and its slot for unseen ones."""

    row: int
    column: int
    unseen: int


class Doubts:
    """What is odd about rows to predict, gathered block by block and told at the end.

    Parameters
    ----------
    columns : sequence of tuples of fitted encodings
        Pieces of each column's code.
    features : ndarray of int
        Columns that are coded; the others matter to no prediction.
    """

    def __init__(self, columns: Sequence[tuple[FittedEncoding, ...]], features: np.ndarray) -> None:
        self._watched = list(_watched(columns, features.tolist()))
        self._n_unseen = dict.fromkeys((watched.column for watched in self._watched), 0)
        self._seen: set[int] = set()

    def look(self, codes: Codes) -> None:
        """Note which columns of categories hold some that are known, and unseen ones."""
        for row, column, unseen in self._watched:
            slot = codes.slot[row]
            if bool((slot < unseen).any()):
                self._seen.add(column)
            self._n_unseen[column] += int((slot == unseen).sum())

    def tell(self, given: Sequence[str] | None, known: Sequence[str]) -> None:
        """Warn of columns that are not known, and of those whose every value is unseen.

        Parameters
        ----------
        given : sequence of str or None
            Names in the table to predict, None where columns are taken by position.
        known : sequence of str
            Names in the table seen by ``fit``.
        """
        extra = sorted({*(given or ())} - {*known})
        if extra:
            warn_caller(
                f"X has {_counted(extra, 'column')} that fit did not see and predict ignores: "
                f"{listed(extra)}. Leave out what is not needed, or refit."
            )
        odd = [
            f"`{known[watched.column]}` ({self._n_unseen[watched.column]} values, none of the "
            f"{watched.unseen} categories known from fit)"
            for watched in self._watched
            if self._n_unseen[watched.column] >= _MANY and watched.column not in self._seen
        ]
        if odd:
            warn_caller(
                f"every value of {_counted(odd, 'categorical column')} is unknown and treated as "
                f"one rare category: {', '.join(odd)}. Check spelling and type, or refit."
            )


def _watched(
    columns: Sequence[tuple[FittedEncoding, ...]], features: Sequence[int]
) -> Iterator[_Watched]:
    row = 0
    for column in features:
        offset = 0
        for piece in columns[column]:
            if piece.unseen is not None:
                yield _Watched(row, column, offset + piece.unseen)
            row, offset = row + 1, offset + piece.n_slots


def _counted(things: Sequence[str], noun: str) -> str:
    return f"{len(things)} {noun}{'s' if len(things) > 1 else ''}"


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(f"`{name}`" for name in names[:_MAX_NAMES]) + more
