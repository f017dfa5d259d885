"""Carrying out runs before the eyes of a user: what is to do, progress, warnings.

Used by the commands ``bench run`` and ``bench verify``.
"""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from lassoflexnet.bench.executors import Executor
    from lassoflexnet.bench.results import Result, ResultFolder
    from lassoflexnet.bench.runner import Tally
    from lassoflexnet.bench.runs import Run


def run_shown(
    title: str,
    runs: "Sequence[Run]",
    folder: "ResultFolder",
    executor: "Executor",
    *,
    data: Path | None,
    studies: str | None = None,
    retry: bool = False,
) -> "Tally":
    """Carry out what has no result yet, behind a progress bar."""
    from rich.console import Console

    from lassoflexnet.bench.provenance import DataWatch
    from lassoflexnet.bench.runner import run_all
    from lassoflexnet.bench.telling import outcome
    from lassoflexnet.cli.progress import progress_bar

    n_left = len(folder.missing(runs, retry=retry))
    by = f" by {executor.words}" if n_left else ""
    there = len(runs) - n_left
    typer.echo(f"{len(runs)} runs, {there} {_are(there)} there, {n_left} to do{by}")
    watch = DataWatch(folder.finished(runs))
    with ended_in_order(), progress_bar(title, n_left, Console()) as advance:

        def told(run: "Run", result: "Result") -> None:
            advance(outcome(run, result))
            warning = watch.warning(run, result)
            if warning is not None:
                typer.echo(f"warning: {warning}", err=True)

        return run_all(runs, folder, executor, data=data, studies=studies, retry=retry, told=told)


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let a request to terminate end worker processes too, as an interrupt does."""

    def leave(*_: Any) -> None:
        sys.exit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
