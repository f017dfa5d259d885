"""The schema: names and kinds of the columns seen by ``fit``, and the check of later tables.

Inferred once by the estimator; read at every ``fit`` and ``predict`` by the table encoder.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lassoflexnet.exceptions import SchemaMismatch
from lassoflexnet.table.cells import READERS, kind_of, missing_cells
from lassoflexnet.table.columns import Column, Kind
from lassoflexnet.table.declared import CategoricalFeatures, declared_categorical
from lassoflexnet.table.frames import Table, as_table
from lassoflexnet.table.meanings import meaning_of, warn_of_meanings

__all__ = ["Column", "Kind", "Schema", "infer_schema"]


@dataclass(frozen=True)
class Schema:
    """What ``fit`` saw of the table.

    Attributes
    ----------
    columns : tuple of Column
        The columns in order, length d.
    named : bool
        Whether later tables are matched by name; otherwise by position.
    """

    columns: tuple[Column, ...]
    named: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, or ``x0``, ``x1``, ... where the table has none."""
        return tuple(column.name for column in self.columns)

    @property
    def alive(self) -> np.ndarray:
        """Mask of the columns that can tell one row from another: (d,)."""
        return np.array([column.is_alive for column in self.columns], dtype=bool)

    def check(self, X: Any) -> None:
        """Raise unless X fits this schema.

        A named frame may have its columns in any order, and more of them; an array, or a
        frame without names, is taken by position. Numbers, whole numbers and booleans
        stand in for each other, categories are compared as text, and a column without a
        value fits any kind.

        Raises
        ------
        SchemaMismatch
            If a column is absent, or holds cells that its kind cannot be read from.
        InvalidInput
            If a column holds infinity.
        """
        for _ in self.read(X)[1]:
            pass

    def read(self, X: Any) -> tuple[int, Iterator[np.ndarray]]:
        """Check X and read it.

        Returns
        -------
        n_rows : int
            Number of rows, n.
        columns : iterator of d arrays of shape (n,)
            The columns in the order of this schema, each in the form its kind is coded
            from: float64 with NaN, str objects with None, or datetime64 with NaT.
        """
        table = as_table(X)
        positions = self._positions(table)
        columns = (
            READERS[column.kind](table.column(position), column)
            for position, column in zip(positions, self.columns, strict=True)
        )
        return table.shape[0], columns

    def _positions(self, table: Table) -> Sequence[int]:
        names = table.names
        if self.named and names is not None:
            return self._positions_by_name(names)
        n_columns = table.shape[1]
        if n_columns != len(self.columns):
            raise SchemaMismatch(
                f"X has {n_columns} features, but LassoFlexNet is expecting "
                f"{len(self.columns)} features as input."
            )
        return range(n_columns)

    def _positions_by_name(self, names: tuple[str, ...]) -> Sequence[int]:
        position = {name: at for at, name in enumerate(names)}
        absent = [f"`{name}`" for name in self.names if name not in position]
        if absent:
            raise SchemaMismatch(
                f"X lacks {len(absent)} of the {len(self.columns)} columns seen by fit: "
                f"{', '.join(absent)}. Add them (missing values are allowed), or refit."
            )
        return [position[name] for name in self.names]


def infer_schema(
    X: Any,
    categorical_features: CategoricalFeatures = "auto",
    rows: np.ndarray | None = None,
) -> Schema:
    """Infer names and kinds of the columns of a training table; warn of what looks misread.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, or array-like of shape (n, d)
        Training rows. None, NaN, NaT and null are missing values.
    categorical_features : "auto", list of str, list of int, or mask of shape (d,)
        Columns to treat as categorical although they hold numbers, such as zip codes, on
        top of those that text, categorical and enum dtypes show ("auto").
    rows : ndarray of int or None
        Numbers of the rows to go by; None goes by all of them.

    Returns
    -------
    Schema
        The schema, which later tables are checked against.

    Raises
    ------
    InvalidInput
        If X cannot be used, or ``categorical_features`` does not fit X.

    Examples
    --------
    >>> schema = infer_schema([[1.5, "a", 3], [2.5, "b", 3]])
    >>> [str(column.kind) for column in schema.columns]
    ['numeric', 'categorical', 'constant']
    """
    table = as_table(X)
    declared = declared_categorical(categorical_features, table.names, table.shape[1])
    names = table.names or tuple(f"x{at}" for at in range(table.shape[1]))
    taken = slice(None) if rows is None else rows
    columns: list[Column] = []
    meanings: dict[str, str] = {}
    for at, name in enumerate(names):
        cells = table.column(at)[taken]
        column = _infer_column(
            name,
            cells,
            is_categorical=bool(declared[at]),
            digits_are_numbers=table.digits_are_numbers,
        )
        columns.append(column)
        if column.kind is Kind.CATEGORICAL and table.is_text(at) and not declared[at]:
            meanings[name] = meaning_of(cells) or ""
    warn_of_meanings(meanings)
    return Schema(columns=tuple(columns), named=table.names is not None)


def _infer_column(
    name: str, cells: np.ndarray, *, is_categorical: bool, digits_are_numbers: bool
) -> Column:
    kind = kind_of(cells, name, digits_are_numbers=digits_are_numbers)
    if is_categorical:
        kind = Kind.CATEGORICAL
    values = READERS[kind](cells, Column(name, kind))
    if missing_cells(values).all():
        return Column(name, Kind.EMPTY)
    # A missing cell equals none, so one value with gaps is not constant: the gaps may matter.
    if (values == values[0]).all():
        return Column(name, Kind.CONSTANT)
    return Column(name, kind)
