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
    """Error for a name that is not in a table."""
    names = ", ".join(nearest_first(given, known)) or "none"
    return InvalidInput(f"{what} {given!r} is not known. Use one of: {names}.")
