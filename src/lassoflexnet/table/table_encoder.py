"""All columns of a table to codes: the last stop before the network.

Fitted and called by the estimators; the only file here that makes tensors.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import torch

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.table.bank import Bank
from lassoflexnet.table.bins import Target
from lassoflexnet.table.dates import Dates
from lassoflexnet.table.doubts import Doubts
from lassoflexnet.table.encodings import Constant, Encoding, OneHot, PiecewiseLinear, ZeroOne
from lassoflexnet.table.fitted import FittedEncoding
from lassoflexnet.table.frames import as_table
from lassoflexnet.table.schema import Kind, Schema

Pieces = tuple[FittedEncoding, ...]
_FitColumn = Callable[[np.ndarray, Target, np.random.Generator], Pieces]

BLOCK_ROWS = 1 << 16
"""Rows that are coded in one go when predicting."""

_SMALL = 200_000
"""Comparisons of a value with a bin up to which the bank beats the loop over columns."""


@dataclass(frozen=True)
class FittedTable:
    """A table encoder that has seen the training rows.

    Attributes
    ----------
    schema : Schema
        The columns it codes.
    columns : tuple of tuples of fitted encodings
        Pieces of each column's code, length d.
    """

    schema: Schema
    columns: tuple[Pieces, ...]

    @cached_property
    def layout(self) -> CodeLayout:
        """How the slots are laid out, for the network."""
        sizes = [[piece.n_slots for piece in pieces] for pieces in self.columns]
        return CodeLayout(
            feature=tuple(at for at, pieces in enumerate(self.columns) for _ in pieces),
            offset=tuple(start for size in sizes for start in accumulate(size[:-1], initial=0)),
            n_ordered=tuple(piece.n_ordered for pieces in self.columns for piece in pieces),
            n_slots=tuple(sum(size) for size in sizes),
        )

    @property
    def alive(self) -> np.ndarray:
        """Mask of the columns that are neither constant nor empty: (d,)."""
        return self.schema.alive

    @property
    def folded(self) -> dict[str, int]:
        """Number of categories without a slot of their own, by column, where there are any."""
        folded = {
            column.name: sum(piece.n_folded for piece in pieces)
            for column, pieces in zip(self.schema.columns, self.columns, strict=True)
        }
        return {name: count for name, count in folded.items() if count}

    def encode(self, X: Any, features: np.ndarray | None = None) -> Codes:
        """Code a table.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows, in a table that fits the schema.
        features : ndarray of int or None
            Columns to code, ascending; None codes all. The others are checked all the same.

        Returns
        -------
        Codes
            Slots and fractions of shape (p, n), laid out as ``layout``, or as
            ``layout.keep(features)``.
        """
        wanted = np.arange(len(self.columns)) if features is None else np.asarray(features)
        bank = self._bank
        if bank is not None and self._is_small_matrix(X, len(wanted)):
            slot, fraction = bank.columns(wanted).code(X.T[wanted].astype(np.float64))
        else:
            slot, fraction = self._encode_by_column(X, set(wanted.tolist()))
        return Codes(
            torch.from_numpy(slot.astype(self._slot_dtype, order="C", copy=False)),
            torch.from_numpy(fraction.astype(np.float32, order="C", copy=False)),
        )

    def blocks(self, X: Any, features: np.ndarray | None = None) -> Iterator[Codes]:
        """Code rows to predict block by block, so that a long table needs little memory.

        Warns, once all are coded, of columns unknown to ``fit`` and of those whose every value
        is unseen.
        """
        is_short_array = type(X) is np.ndarray and X.ndim == 2 and len(X) <= BLOCK_ROWS
        if is_short_array and self._bank is not None:
            yield self.encode(X, features)
            return
        wanted = np.arange(len(self.columns)) if features is None else features
        table, doubts = as_table(X), Doubts(self.columns, wanted)
        for start in range(0, table.shape[0], BLOCK_ROWS):
            codes = self.encode(table.rows(start, start + BLOCK_ROWS), features)
            doubts.look(codes)
            yield codes
        doubts.tell(table.names if self.schema.named else None, self.schema.names)

    def _encode_by_column(self, X: Any, wanted: set[int]) -> tuple[np.ndarray, np.ndarray]:
        n_rows, columns = self.schema.read(X)
        n_pieces = sum(len(self.columns[at]) for at in wanted)
        slot = np.empty((n_pieces, n_rows), dtype=self._slot_dtype)
        fraction = np.empty((n_pieces, n_rows), dtype=np.float32)
        row = 0
        for at, x in enumerate(columns):
            offset = 0
            for piece in self.columns[at] if at in wanted else ():
                own_slot, fraction[row] = piece(x)
                slot[row] = own_slot + offset
                row, offset = row + 1, offset + piece.n_slots
        return slot, fraction

    def _is_small_matrix(self, X: Any, n_wanted: int) -> bool:
        return (
            type(X) is np.ndarray
            and X.dtype.kind in "fiub"
            and X.shape[1:] == (len(self.columns),)
            and 0 < X.shape[0] * n_wanted * self.layout.max_slots <= _SMALL
            and not np.isinf(X).any()
        )

    @cached_property
    def _bank(self) -> Bank | None:
        of_all = [piece.segments for pieces in self.columns for piece in pieces]
        of_numbers = [segments for segments in of_all if segments is not None]
        return Bank.of(of_numbers) if len(of_numbers) == len(of_all) else None

    @cached_property
    def _slot_dtype(self) -> type[np.integer]:
        kinds: tuple[type[np.integer], ...] = (np.uint8, np.int16, np.int32)
        return next(kind for kind in kinds if self.layout.max_slots <= np.iinfo(kind).max)


@dataclass(frozen=True)
class TableEncoder:
    """How the columns of a table are to be coded.

    Parameters
    ----------
    numeric : Encoding
        For numbers, and for the moment that a date stands for.
    categorical : Encoding
        For categories.
    """

    numeric: Encoding = field(default_factory=PiecewiseLinear)
    categorical: Encoding = field(default_factory=OneHot)

    def fit(
        self,
        X: Any,
        schema: Schema,
        y: np.ndarray,
        *,
        is_classification: bool,
        sample_weight: np.ndarray | None = None,
        rows: np.ndarray | None = None,
        rng: np.random.Generator,
    ) -> FittedTable:
        """Learn the code of every column.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (N, d)
            Table that holds the training rows.
        schema : Schema
            Its schema.
        y : ndarray of shape (n,)
            Numbers, or class codes from 0.
        is_classification : bool
            Whether they are class codes.
        sample_weight : ndarray of shape (n,) or None
            Weights of the training rows; those of weight 0 are left out.
        rows : ndarray of int, shape (n,), or None
            Numbers of the training rows in the table; None takes all of them.
        rng : numpy.random.Generator
            Draws the rows that trees see in a long table.

        Returns
        -------
        FittedTable
            Codes any table of that schema.
        """
        fit_column = self._by_kind()
        target = Target(np.asarray(y), is_classification, sample_weight)
        counted = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0
        target = target.rows(counted)
        n_rows, columns = schema.read(X)
        taken = (np.arange(n_rows) if rows is None else rows)[counted]
        pieces = tuple(
            fit_column[column.kind](x[taken], target, rng)
            for column, x in zip(schema.columns, columns, strict=True)
        )
        return FittedTable(schema, pieces)

    def _by_kind(self) -> dict[Kind, _FitColumn]:
        return {
            Kind.NUMERIC: _alone(self.numeric),
            Kind.BOOLEAN: _alone(ZeroOne()),
            Kind.CATEGORICAL: _alone(self.categorical),
            Kind.DATE: Dates(self.numeric).fit,
            Kind.CONSTANT: _alone(Constant()),
            Kind.EMPTY: _alone(Constant()),
        }


def _alone(encoding: Encoding) -> _FitColumn:
    return lambda *training: (encoding.fit(*training),)
