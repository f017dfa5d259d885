"""Names that users write in experiment files, and what they may have meant.

Used wherever a name is looked up in a table: methods, selectors, settings, data sets.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher

from lassoflexnet.exceptions import InvalidInput


def nearest_first(given: str, known: Iterable[str]) -> list[str]:
    """Known names, those most like the given one first.

    >>> nearest_first("catbost", ["xgboost", "mlp", "catboost"])
    ['catboost', 'xgboost', 'mlp']
    """

    def unlikeness(name: str) -> tuple[float, str]:
        return -SequenceMatcher(None, given.lower(), name.lower()).ratio(), name

    return sorted(known, key=unlikeness)


def unknown(what: str, given: str, known: Iterable[str]) -> InvalidInput:
    """Error for a name that is not in a table.

    >>> print(unknown("letter", "d", "abc"))
    letter 'd' is not known. Use one of: a, b, c.
    """
    return InvalidInput(f"{what} {given!r} is not known. Use one of: {offered(given, known)}.")


def offered(given: str, known: Iterable[str]) -> str:
    """Known names in words, nearest first.

    Where one holds a space, a comma or an equals sign they are quoted, to show where they end.

    >>> offered("tau", ["tau = 1", "tau = 1, no skip"])
    "'tau = 1', 'tau = 1, no skip'"
    """
    names = nearest_first(given, known)
    quoted = any(mark in name for name in names for mark in " ,=")
    return ", ".join(repr(name) if quoted else name for name in names) or "none"
