"""Tables of any make behind one face: a shape, names if any, and columns as numpy arrays.

Called by the schema; the only file that knows of dataframe libraries.
"""

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from sklearn.utils.validation import check_array

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.cells import read_text
from lassoflexnet.table.columns import Column, Kind


class Table(Protocol):
    """What the schema needs to know of a table."""

    digits_are_numbers: ClassVar[bool]

    @property
    def names(self) -> tuple[str, ...] | None:
        """Column names, or None where columns are known by position only."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, (n, d)."""

    def column(self, position: int) -> np.ndarray:
        """One column, in whatever dtype it has: (n,)."""

    def is_text(self, position: int) -> bool:
        """Whether a column is stored as text, or as any objects, not as categories."""

    def rows(self, start: int, stop: int) -> "Table":
        """Some of the rows, not copied where the make of the table allows it."""


@dataclass(frozen=True, eq=False)
class ArrayTable:
    """A two-dimensional numpy array."""

    array: np.ndarray
    digits_are_numbers: ClassVar[bool] = True
    names: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, (n, d)."""
        return self.array.shape[0], self.array.shape[1]

    def column(self, position: int) -> np.ndarray:
        """One column, not copied: (n,)."""
        return self.array[:, position]

    def is_text(self, position: int) -> bool:  # noqa: ARG002
        """Whether the array holds text or any objects."""
        return self.array.dtype.kind in "OUST"

    def rows(self, start: int, stop: int) -> "ArrayTable":
        """Some of the rows, not copied."""
        return ArrayTable(self.array[start:stop])


@dataclass(frozen=True, eq=False)
class FrameTable:
    """A pandas, polars or pyarrow table."""

    frame: nw.DataFrame[Any]
    digits_are_numbers: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...] | None:
        """Column names, or None if one of them is not a string (a pandas default)."""
        names = tuple(self._columns)
        return names if all(isinstance(name, str) for name in names) else None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, (n, d)."""
        return self.frame.shape

    def column(self, position: int) -> np.ndarray:
        """One column; missing cells of an object array are None: (n,).

        Times with a zone are read as the wall clock shows them, so that hours and
        weekdays are those of the place.
        """
        series = self._series(position)
        dtype = series.dtype
        if dtype.is_nested():
            raise TypeError(
                f"argument must be a string or a number, column `{series.name}` holds {dtype}. "
                "Spread it over several columns, or drop it."
            )
        if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
            series = series.dt.replace_time_zone(None)
        values = series.to_numpy()
        if isinstance(dtype, (nw.Categorical, nw.Enum)):
            values = read_text(values, Column(series.name, Kind.CATEGORICAL))
        if values.dtype != object:
            return values
        # Not left to `to_numpy`: on a pyarrow dictionary it turns null into a category.
        values = values.copy()
        values[series.is_null().to_numpy()] = None
        return values

    def is_text(self, position: int) -> bool:
        """Whether a column is stored as text, or as any objects, not as categories."""
        return isinstance(self._series(position).dtype, (nw.String, nw.Object))

    def _series(self, position: int) -> nw.Series[Any]:
        return self.frame.get_column(self._columns[position])

    @functools.cached_property
    def _columns(self) -> list[str]:
        """Names of any type; the frame would list all anew for each column."""
        return self.frame.columns

    def rows(self, start: int, stop: int) -> "FrameTable":
        """Some of the rows."""
        return FrameTable(self.frame[start:stop])


def as_table(X: Any) -> Table:
    """Face of any accepted table.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, or array-like of shape (n, d)
        Rows and columns.

    Raises
    ------
    InvalidInput
        If it is lazy, is not two-dimensional, has no row, no column or equal names.
    """
    if isinstance(X, (ArrayTable, FrameTable)):
        return X
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype.kind in "fiub":
        return ArrayTable(X)
    native = _as_frame(X)
    if isinstance(native, nw.LazyFrame):
        raise InvalidInput("X is a lazy frame, and rows are needed here. Pass `X.collect()`.")
    if isinstance(native, nw.DataFrame):
        return FrameTable(_not_empty(native))
    return ArrayTable(_as_array(X))


def _as_frame(X: Any) -> Any:
    try:
        return nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        found = " ".join(str(error).split())
        raise InvalidInput(f"X has equal column names. {found}. Rename or drop them.") from None


def _not_empty(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    for count, what in zip(frame.shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise InvalidInput(
                f"Found array with 0 {what}(s) (shape={frame.shape}) "
                "while a minimum of 1 is required."
            )
    return frame


def _as_array(X: Any) -> np.ndarray:
    try:
        array = check_array(X, dtype=None, ensure_all_finite=False)
    except ValueError as error:
        first, *lines = str(error).splitlines()
        # Of the others, those that are no sentence print the array.
        raise InvalidInput(" ".join([first, *(x for x in lines if x[:1].isupper())])) from None
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        # numpy writes the numbers of a mixed list as text; as objects they stay numbers.
        return np.asarray(X, dtype=object)
    if array.dtype.kind not in "fiubmMOUST":
        raise InvalidInput(
            f"X has dtype {array.dtype}. Pass numbers, booleans, dates, text or objects."
        )
    return array
