"""Text that reads as numbers or dates: its cells become categories, and that is worth a warning.

Called by the estimators' reader at ``fit``.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from lassoflexnet.table.cells import is_missing
from lassoflexnet.table.declared import CategoricalFeatures, declared_categorical
from lassoflexnet.table.doubts import warn_caller
from lassoflexnet.table.frames import FrameTable, as_table

# Cells that are looked at, and different ones among them from which on they are no mere codes.
_LOOKED_AT, _MANY = 1000, 20

# Share of the cells that must read so: a few may stand for missing values.
_MOST = 0.9

_DATE_FORMATS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%dT%H%M%S")


def warn_of_text(X: Any, categorical_features: CategoricalFeatures, rows: np.ndarray) -> None:
    """Warn of columns of text, not said to be categorical, that read as numbers or dates.

    Only frames have them: text in an array is read as the numbers that it holds.
    """
    table = as_table(X)
    if not isinstance(table, FrameTable) or not len(rows):
        return
    declared = declared_categorical(categorical_features, table.names, table.shape[1])
    looked_at = rows[:: -(-len(rows) // _LOOKED_AT)]
    found: dict[str, list[str]] = {meaning: [] for meaning in _MEANINGS}
    for at in np.flatnonzero(~declared).tolist():
        meaning = meaning_of(table.column(at)[looked_at]) if table.is_text(at) else None
        if meaning is not None:
            found[meaning].append(f"`{table.frame.columns[at]}`")
    for meaning, names in found.items():
        if names:
            warn_caller(
                f"text that reads as {meaning} is treated as categories, without order: "
                f"{', '.join(names)}. Convert it ({_CONVERTED[meaning]}), or name it in "
                "`categorical_features`."
            )


def meaning_of(cells: np.ndarray) -> str | None:
    """What most cells of text read as: "numbers", "dates" or None, for neither and for codes.

    >>> meaning_of(np.array([f"{at}.5" for at in range(30)], dtype=object))
    'numbers'
    >>> meaning_of(np.array([f"2024-01-{at:02}" for at in range(1, 31)], dtype=object))
    'dates'
    >>> meaning_of(np.array([f"{at:05}" for at in range(30)], dtype=object))  # as zip codes are
    """
    text = [cell.strip() for cell in cells.tolist() if isinstance(cell, str)]
    n_present = sum(not is_missing(cell) for cell in cells.tolist())
    n_different = len(set(text))
    if len(text) < n_present or n_different <= _MANY:
        return None
    # Whole numbers that come again and again are codes, as likely as not.
    if 2 * n_different <= len(text) and all(cell.isdigit() for cell in text):
        return None
    for meaning, reads in _MEANINGS.items():
        if sum(map(reads, text)) >= _MOST * len(text):
            return meaning
    return None


def _is_number(text: str) -> bool:
    """Whether it is a number, and no code that begins with zeros."""
    if len(text) > 1 and text[0] == "0" and text[1].isdigit():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    return any(_parses(text, reads) for reads in (datetime.fromisoformat, *_FORMATS))


def _parses(text: str, reads: Callable[[str], datetime]) -> bool:
    try:
        reads(text)
    except ValueError:
        return False
    return True


def _reader(form: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, form)


_FORMATS = tuple(map(_reader, _DATE_FORMATS))
_MEANINGS: dict[str, Callable[[str], bool]] = {"numbers": _is_number, "dates": _is_date}
_CONVERTED = {
    "numbers": 'pandas.to_numeric, errors="coerce"',
    "dates": "pandas.to_datetime",
}
