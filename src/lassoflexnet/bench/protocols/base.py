"""What a protocol is, and checks of its fields.

Protocols are frozen dataclasses; runs call ``split``, tables call ``headline``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from lassoflexnet.bench.protocols.scores import Headline
from lassoflexnet.bench.rows import Split, Table, Task
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown


class SplitProtocol(ABC):
    """How a table is split, and which score counts.

    Attributes
    ----------
    scores : mapping
        The score that counts, by task.
    splits_by_seed : bool
        Whether other seeds have other test rows.
    """

    scores: ClassVar[Mapping[Task, Headline]]
    splits_by_seed: ClassVar[bool] = False

    @abstractmethod
    def split(self, table: Table, seed: int) -> Split:
        """Cut a table into train, validation and test."""

    def headline(self, scores: Mapping[str, float]) -> Headline:
        """The score that counts among those of a run; its task is known by them."""
        order = (self.scores[task] for task in ("regression", "binary", "multiclass"))
        return next(headline for headline in order if headline.name in scores)


def check_rows(name: str, value: Any) -> None:
    """Raise unless it is None or a number of rows."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if value is not None and not is_count:
        raise InvalidInput(f"`{name}` is {value!r}. Use a whole number from 1, or leave it out.")


def check_number(name: str, value: Any, end: int) -> None:
    """Raise unless it is one of 0, ..., end - 1."""
    if isinstance(value, bool) or value not in range(end):
        raise InvalidInput(f"`{name}` is {value!r}. Use a whole number from 0 to {end - 1}.")


def check_word(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise unless it is one of these words."""
    if value not in allowed:
        raise unknown(f"`{name}`", str(value), allowed)
