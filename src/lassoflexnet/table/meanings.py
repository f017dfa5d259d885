"""Text that reads as numbers or dates: its cells become categories, and that is worth a warning.

Called by schema inference for columns of text that nobody has called categorical.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

import numpy as np

from lassoflexnet.table.cells import is_missing
from lassoflexnet.table.doubts import listed, warn_caller

# Cells that are looked at, and different ones among them from which on they are no mere codes.
_LOOKED_AT, _MANY = 1000, 20

# Share of the cells that must read so: a few may stand for missing values.
_MOST = 0.9

_DATE_FORMATS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%m/%d/%Y %H:%M", "%d-%b-%Y"),
    "%Y%m%dT%H%M%S",
)


def warn_of_meanings(meanings: Mapping[str, str]) -> None:
    """Warn of columns of text, given what each reads as."""
    for meaning, converter in _CONVERTERS.items():
        names = [name for name, found in meanings.items() if found == meaning]
        if names:
            warn_caller(
                f"text that reads as {meaning} is treated as categories, without order: "
                f"{listed(names)}. Convert it (with pandas by {converter}), or list it in "
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
    some = cells[:: len(cells) // _LOOKED_AT + 1]
    present = [cell for cell in some.tolist() if not is_missing(cell)]
    if not all(isinstance(cell, str) for cell in present):
        return None
    text = [cell.strip() for cell in present if cell.strip()]
    if len(set(text)) <= _MANY:
        return None
    if _mostly(_is_date, text):
        return "dates"
    return None if _are_codes(text) or not _mostly(_is_number, text) else "numbers"


def _are_codes(text: list[str]) -> bool:
    """Whole numbers that come again and again, as likely as not, or begin with zeros."""
    whole = [cell for cell in text if cell.isdigit()]
    if any(len(cell) > 1 and cell[0] == "0" for cell in whole):
        return True
    return len(whole) >= _MOST * len(text) and 2 * len(set(whole)) <= len(whole)


def _mostly(reads: Callable[[str], bool], text: list[str]) -> bool:
    """Whether most cells read so; not all need be looked at to say no."""
    wrong, most_wrong = 0, (1 - _MOST) * len(text)
    for cell in text:
        wrong += not reads(cell)
        if wrong > most_wrong:
            return False
    return True


def _is_number(text: str) -> bool:
    return "_" not in text and _parses(text, float)


def _is_date(text: str) -> bool:
    return text[0].isdigit() and any(_parses(text, read) for read in _DATE_READERS)


def _parses(text: str, read: Callable[[str], object]) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _reader(form: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, form)


_DATE_READERS = (datetime.fromisoformat, *map(_reader, _DATE_FORMATS))
_CONVERTERS = {
    "numbers": '`to_numeric`, `errors="coerce"`',
    "dates": "`to_datetime`",
}
