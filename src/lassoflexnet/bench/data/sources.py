"""Where data sets come from, but for TabReD and downloads: a folder, or scikit-learn itself.

Asked one after another by the registry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
from sklearn import datasets

from lassoflexnet.bench.data.cards import FILE_NAME, Card, check_file, read_cards
from lassoflexnet.bench.data.coding import to_table
from lassoflexnet.bench.rows import Table, Task
from lassoflexnet.exceptions import InvalidInput, MissingDependency


class Source(Protocol):
    """Something that has data sets."""

    def names(self) -> tuple[str, ...]:
        """Every name it knows, short ones too."""
        ...

    def load(self, name: str) -> Table:
        """One of them."""
        ...


@dataclass(frozen=True)
class CardFolder:
    """A folder of Parquet files and their cards; without cards it has nothing."""

    folder: Path

    def names(self) -> tuple[str, ...]:
        """Names and short names of its cards."""
        return tuple(name for card in self._cards() for name in card.names)

    def load(self, name: str) -> Table:
        """Read the file of a card, and check that it is the one."""
        card = next(card for card in self._cards() if name in card.names)
        path = self.folder / card.file
        check_file(path, card)
        return to_table(_parquet(path), card)

    def _cards(self) -> tuple[Card, ...]:
        return read_cards(self.folder) if (self.folder / FILE_NAME).exists() else ()


def _parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise MissingDependency(
            'Parquet files need pyarrow: pip install "lassoflexnet[bench]".'
        ) from error


BUNDLED: dict[str, tuple[Callable[..., Any], Task]] = {
    "iris": (datasets.load_iris, "multiclass"),
    "wine": (datasets.load_wine, "multiclass"),
    "breast_cancer": (datasets.load_breast_cancer, "binary"),
    "digits": (datasets.load_digits, "multiclass"),
    "diabetes": (datasets.load_diabetes, "regression"),
}


@dataclass(frozen=True)
class Bundled:
    """The small data sets that are part of scikit-learn."""

    def names(self) -> tuple[str, ...]:
        """Names without the ``load_``."""
        return tuple(BUNDLED)

    def load(self, name: str) -> Table:
        """Take it from the installed package."""
        loader, task = BUNDLED[name]
        return to_table(loader(as_frame=True).frame, Card(name, "", "target", task))


@dataclass(frozen=True)
class ByHand:
    """Data sets that nobody may download for you: what to put where."""

    places: dict[str, str]

    def names(self) -> tuple[str, ...]:
        """Names of what has to be fetched by hand."""
        return tuple(self.places)

    def load(self, name: str) -> Table:
        """Raise, and say what is missing."""
        raise InvalidInput(f"`{name}` cannot be downloaded. Put {self.places[name]}.")
