"""Data sets that scikit-learn can download, kept in its cache and compared with the first time.

A source of the registry.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from sklearn import datasets

from lassoflexnet.bench.data.cards import Card
from lassoflexnet.bench.data.coding import to_table
from lassoflexnet.bench.data.openml import REMOTES, Remote
from lassoflexnet.bench.rows import Table
from lassoflexnet.exceptions import InvalidInput

PUT_THERE = (
    "put `{file}` into a folder, with a line for it in the folder's `cards.jsonl`, and name "
    "the folder by `folder` or by the environment variable LASSOFLEXNET_DATA"
)


class Fetched(NamedTuple):
    """A frame, and the card that makes a table of it."""

    frame: pd.DataFrame
    card: Card


def _california(home: str) -> Fetched:
    frame = datasets.fetch_california_housing(data_home=home, as_frame=True).frame
    return Fetched(frame, Card("california_housing", "", "MedHouseVal", "regression"))


def _covertype(home: str) -> Fetched:
    frame = datasets.fetch_covtype(data_home=home, as_frame=True).frame
    return Fetched(frame, Card("covertype", "", "Cover_Type", "multiclass"))


def _openml(remote: Remote, home: str) -> Fetched:
    found = datasets.fetch_openml(**remote.query(), as_frame=True, data_home=home)
    if len(found.frame) != remote.rows or len(found.target_names) != 1:
        raise InvalidInput(
            f"OpenML gave {len(found.frame)} rows and the targets {found.target_names} for "
            f"`{remote.name}`, not {remote.rows} rows and one target: it is another data set. "
            f"Rather {PUT_THERE.format(file=remote.name + '.parquet')}."
        )
    frame = found.frame.dropna(ignore_index=True) if remote.complete else found.frame
    card = Card(remote.name, "", found.target_names[0], remote.task, drop=remote.drop)
    return Fetched(frame, card)


def _fetchers() -> dict[str, Callable[[str], Fetched]]:
    named: dict[str, Callable[[str], Fetched]] = {
        **dict.fromkeys(("california_housing", "CH"), _california),
        **dict.fromkeys(("covertype", "CO"), _covertype),
    }
    for remote in REMOTES:
        fetch = _bound(remote)
        named |= dict.fromkeys(remote.names, fetch)
    return named


def _bound(remote: Remote) -> Callable[[str], Fetched]:
    return lambda home: _openml(remote, home)


@dataclass(frozen=True)
class Downloads:
    """scikit-learn's downloads and OpenML; ``home`` None is scikit-learn's own cache."""

    home: Path | None = None

    def names(self) -> tuple[str, ...]:
        """Names and short names."""
        return tuple(_fetchers())

    def load(self, name: str) -> Table:
        """From the cache, or downloaded into it."""
        home = datasets.get_data_home(self.home)
        try:
            frame, card = _fetchers()[name](home)
        except (OSError, HTTPException) as error:
            raise InvalidInput(
                f"`{name}` is not in the cache `{home}` and could not be downloaded ({error}). "
                f"Connect, or {PUT_THERE.format(file=name + '.parquet')}."
            ) from error
        check_fingerprint(Path(home) / "lassoflexnet" / f"{card.name}.sha256", frame)
        return to_table(frame, card)


def check_fingerprint(path: Path, frame: pd.DataFrame) -> None:
    """Write the fingerprint of a frame beside the cache, or compare it with the one there."""
    found = fingerprint(frame)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{id(frame)}")
        unfinished.write_text(found)
        unfinished.replace(path)
        return
    expected = path.read_text().strip()
    if found != expected:
        raise InvalidInput(
            f"`{path.stem}` has the fingerprint {found}, at its first download it had {expected}. "
            f"Delete `{path}` to take the new table, or restore the cache."
        )


def fingerprint(frame: pd.DataFrame) -> str:
    """SHA-256 of names and cells; the same for the same cells in other categories."""
    digest = hashlib.sha256(repr([str(name) for name in frame.columns]).encode())
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()
