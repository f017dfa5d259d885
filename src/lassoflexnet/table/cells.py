"""One column as a numpy array: of what kind its cells are, and how to read them as a kind.

Called by the schema for every column, at fit (``kind_of``) and at predict (``READERS``).
"""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.table.columns import Column, Kind

_BY_DTYPE = {
    "b": Kind.BOOLEAN,
    "i": Kind.NUMERIC,
    "u": Kind.NUMERIC,
    "f": Kind.NUMERIC,
    "m": Kind.NUMERIC,
    "M": Kind.DATE,
}
_FLOATS = (float, np.floating, Decimal)
_DATES = (date, np.datetime64)


def is_missing(cell: Any) -> bool:
    """Whether a Python object stands for a missing value: None, NaN, NaT or NA."""
    # pandas' NA and NaT are known by name, since pandas is not imported here.
    return (
        cell is None
        or type(cell).__name__ in ("NAType", "NaTType")
        or (isinstance(cell, (*_FLOATS, np.datetime64)) and bool(cell != cell))
    )


def missing_cells(values: np.ndarray) -> np.ndarray:
    """Mask of the missing cells, for an array of any dtype: (n,)."""
    if values.dtype != object:
        return np.asarray(values != values)
    if _is_text(values):
        return np.array([cell is None for cell in values.tolist()], dtype=bool)
    return np.fromiter(map(is_missing, values.tolist()), dtype=bool, count=len(values))


def _is_text(cells: np.ndarray) -> bool:
    return set(map(type, cells.tolist())) <= {str, NoneType}


def kind_of(values: np.ndarray, name: str, *, digits_are_numbers: bool) -> Kind:
    """Kind of a column, by its dtype or else by its cells.

    ``digits_are_numbers`` says what to make of text such as ``"12"``: in an object array
    it is a number, in a frame, where numbers have a dtype, it is text.
    """
    if values.dtype.kind in _BY_DTYPE:
        return _BY_DTYPE[values.dtype.kind]
    cells = values.astype(object)
    present = cells[~missing_cells(cells)]
    types = set(map(type, present.tolist()))
    _refuse_odd(types, name)
    for kind, allowed in ((Kind.BOOLEAN, (bool, np.bool_)), (Kind.DATE, _DATES)):
        if all(issubclass(t, allowed) for t in types):
            return kind  # also of a column without a cell, whose kind does not matter
    has_text = any(issubclass(t, (str, bytes)) for t in types)
    if (has_text and not digits_are_numbers) or not _all_floats(present):
        return Kind.CATEGORICAL
    return Kind.NUMERIC


def _refuse_odd(types: set[type], name: str) -> None:
    for odd in sorted(types, key=lambda t: t.__name__):
        if issubclass(odd, (complex, np.complexfloating)):
            raise InvalidInput(
                f"Complex data not supported: column `{name}` holds {odd.__name__}. "
                "Pass its real and imaginary parts as two columns."
            )
        # Not InvalidInput: scikit-learn's checks ask for a TypeError in these words.
        if odd.__hash__ is None or issubclass(odd, tuple):
            raise TypeError(
                f"argument must be a string or a number, column `{name}` holds a "
                f"{odd.__name__}. Spread it over several columns, or drop it."
            )


def _all_floats(cells: np.ndarray) -> bool:
    try:
        cells.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def read_numbers(values: np.ndarray, column: Column) -> np.ndarray:
    """Cells as float64, missing as NaN, durations in seconds: (n,)."""
    if values.dtype.kind in "fiub":
        numbers = values.astype(np.float64, copy=False)
    elif values.dtype.kind == "m":
        numbers = values / np.timedelta64(1, "s")
    else:
        numbers = _parsed(values.astype(object), column)
    _refuse_infinity(numbers, column)
    return numbers


def _parsed(cells: np.ndarray, column: Column) -> np.ndarray:
    try:
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        # Slow, and only reached with a cell that numpy does not take: NA, NaT or a wrong one.
        return np.array([np.nan if is_missing(c) else _number(c, column) for c in cells])


def _number(cell: Any, column: Column) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise _mismatch(cell, column) from None


def _refuse_infinity(values: np.ndarray, column: Column) -> None:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InvalidInput(
            f"column `{column.name}` contains infinity or a value too large for float64. "
            "Replace it by a finite value, or by NaN to mark it missing."
        )


def read_text(values: np.ndarray, column: Column) -> np.ndarray:
    """Cells as strings, missing as None: (n,) of objects.

    Equal numbers have equal text: 1, 1.0 and "1" are one category.
    """
    _refuse_infinity(values, column)
    if values.dtype.kind in "OUST":
        cells = values.astype(object, copy=False)
        if _is_text(cells):
            return cells
        return _objects([None if is_missing(c) else _text(c) for c in cells.tolist()])
    unique, inverse = np.unique(values, return_inverse=True)
    return _objects([None if is_missing(c) else _text(c) for c in unique])[inverse]


def _text(cell: Any) -> str:
    if isinstance(cell, _FLOATS) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def _objects(items: list[str | None]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def read_dates(values: np.ndarray, column: Column) -> np.ndarray:
    """Cells as datetime64[us], missing as NaT: (n,)."""
    if values.dtype.kind == "M":
        return values.astype("M8[us]")
    cells = values.astype(object)
    present = ~missing_cells(cells)
    dates = np.full(len(cells), "NaT", dtype="M8[us]")
    for at in np.flatnonzero(present):
        dates[at] = _wall_clock(cells[at], column)
    return dates


def _wall_clock(cell: Any, column: Column) -> Any:
    if not isinstance(cell, _DATES):
        raise _mismatch(cell, column)
    return cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell


def read_nothing(values: np.ndarray, column: Column) -> np.ndarray:
    """Zeros in place of a column that carries nothing: (n,)."""
    _refuse_infinity(values, column)
    return np.zeros(len(values))


READERS: dict[Kind, Callable[[np.ndarray, Column], np.ndarray]] = {
    Kind.NUMERIC: read_numbers,
    Kind.BOOLEAN: read_numbers,
    Kind.CATEGORICAL: read_text,
    Kind.DATE: read_dates,
    Kind.CONSTANT: read_nothing,
    Kind.EMPTY: read_nothing,
}


def _mismatch(cell: Any, column: Column) -> SchemaMismatch:
    sort = "text" if isinstance(cell, str) else type(cell).__name__
    return SchemaMismatch(
        f"column `{column.name}` was {column.kind} when fitted and holds {sort} now "
        f"(first: {cell!r}). Convert it, or refit."
    )
