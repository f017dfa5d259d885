"""A progress bar with the time left.

Used by commands that run many fits.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Advance(Protocol):
    """Called once per finished piece of work, with a word on it."""

    def __call__(self, note: str) -> None: ...  # noqa: D102


# Bars of hours would show no time left under the default of 30 seconds.
REMEMBERED_SECONDS = 3600.0


@contextmanager
def progress_bar(title: str, total: int, console: Console) -> Iterator[Advance]:
    """A bar on a terminal; elsewhere one line per piece of work."""
    if not console.is_terminal:
        yield lambda note: console.print(note, soft_wrap=True, highlight=False, markup=False)
        return
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
        *(TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=console, speed_estimate_period=REMEMBERED_SECONDS) as bar:
        task = bar.add_task(title, total=total, note="")
        bar.refresh()
        yield lambda note: bar.update(task, advance=1, note=note)
