"""Cards: what is known of a data set that lies in a folder, one line of JSON each.

Read by the local source of the registry; downloads make their own.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lassoflexnet.bench.rows import Task
from lassoflexnet.exceptions import InvalidInput

FILE_NAME = "cards.jsonl"
TASKS = ("regression", "binary", "multiclass")


@dataclass(frozen=True)
class Card:
    """One data set.

    Attributes
    ----------
    name, file : str
        Its name, and the Parquet file in the folder of the card.
    target : str
        Column to predict.
    task : {"regression", "binary", "multiclass"}
        What is predicted.
    drop : tuple of str
        Identifiers and leaks: columns that no method may see.
    suites : tuple of str
        Suites it belongs to; "feature_selection:CH" also gives it the short name "CH".
    time_order : str or None
        How its rows are ordered in time (see ``times``).
    sha256 : str or None
        Checksum of the file; None is not checked.
    openml_task, openml_data : int or None
        Its numbers at OpenML.
    origin, licence, notes : str
        Where it comes from, on what terms, and how faithful it is.
    """

    name: str
    file: str
    target: str
    task: Task
    drop: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    time_order: str | None = None
    sha256: str | None = None
    openml_task: int | None = None
    openml_data: int | None = None
    origin: str = ""
    licence: str = ""
    notes: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and the short names that suites give it.

        >>> Card("x", "x.parquet", "y", "binary", suites=("tabzilla", "feature_selection:HI")).names
        ('x', 'HI')
        """
        return self.name, *(suite.split(":", 1)[1] for suite in self.suites if ":" in suite)


_FIELDS = {field.name for field in fields(Card)}
_NEEDED = ("name", "file", "target", "task")


def read_cards(folder: Path) -> tuple[Card, ...]:
    """Every card of a folder; fields that nobody here reads are passed over."""
    lines = (folder / FILE_NAME).read_text(encoding="utf-8").splitlines()
    return tuple(
        _card(line, f"{folder / FILE_NAME}, line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _card(line: str, where: str) -> Card:
    try:
        given: Mapping[str, Any] = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{where} is not JSON: {error}. Write one object per line.") from error
    missing = [name for name in _NEEDED if name not in given]
    if missing:
        raise InvalidInput(f"{where} has no `{missing[0]}`. Every card needs {', '.join(_NEEDED)}.")
    if given["task"] not in TASKS:
        raise InvalidInput(f"{where}: `task` is {given['task']!r}. Use one of {', '.join(TASKS)}.")
    known = {name: value for name, value in given.items() if name in _FIELDS}
    lists = {name: tuple(given.get(name) or ()) for name in ("drop", "suites")}
    return Card(**{**known, **lists})


def check_file(path: Path, card: Card) -> None:
    """Raise unless the file is there and is the one of the card."""
    if not path.exists():
        origin = f" It comes from {card.origin}." if card.origin else ""
        raise InvalidInput(
            f"`{path}` does not exist, though `{FILE_NAME}` beside it names it. "
            f"Put the file of `{card.name}` there, or name another folder.{origin}"
        )
    if card.sha256 is None:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != card.sha256:
        raise InvalidInput(
            f"`{path}` has SHA-256 {found}, its card says {card.sha256}. "
            "Put the file of the card there, or correct the card."
        )
