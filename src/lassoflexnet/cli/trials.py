"""Trials of a search as they end, one line each.

Used by ``tune``. Looks at the storage that workers write to, so it does not matter who they are.
"""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from lassoflexnet.tuning import StudySettings

LOOK_SECONDS = 0.5


@contextmanager
def shown_trials(settings: "StudySettings") -> Iterator["StudySettings"]:
    """Settings to search with; meanwhile a line on stderr for each trial that ends."""
    with tempfile.TemporaryDirectory() as folder:
        kept = replace(settings, storage=settings.storage or Path(folder) / "journal")
        over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(kept, over), daemon=True)
        workers = f"{kept.n_workers} processes" if kept.n_workers > 1 else "this process"
        typer.echo(f"{kept.n_trials} trials by {workers}, earlier ones included", err=True)
        watcher.start()
        try:
            yield kept
        finally:
            over.set()
            watcher.join()


def _watch(settings: "StudySettings", over: threading.Event) -> None:
    from lassoflexnet.exceptions import LassoFlexNetError
    from lassoflexnet.tuning.storage import opened

    try:
        with opened(settings.storage) as storage:
            seen: set[int] = set()
            while not over.wait(LOOK_SECONDS):
                _look(storage, settings, seen)
            _look(storage, settings, seen)
    except LassoFlexNetError:
        # The search itself meets the same mistake, and tells it.
        return


def _look(storage: Any, settings: "StudySettings", seen: set[int]) -> None:
    """Tell of every trial that has ended since."""
    from lassoflexnet.tuning.storage import require_optuna
    from lassoflexnet.tuning.workers import has_failed

    try:
        trials = storage.get_all_trials(storage.get_study_id_from_name(settings.name))
    except KeyError:
        # It has not begun.
        return
    State = require_optuna().trial.TrialState
    ended = [t for t in trials if t.state in (State.COMPLETE, State.PRUNED) or has_failed(t)]
    complete = [t for t in ended if t.state == State.COMPLETE]
    for trial in ended:
        if trial.number not in seen:
            seen.add(trial.number)
            _tell(trial, [t for t in complete if t.number <= trial.number])


def _tell(trial: Any, complete: list[Any]) -> None:
    """Its value, and the best of those complete by then."""
    words = f"trial {trial.number}: {trial.state.name.lower()}"
    if trial.value is not None:
        words += f", {trial.value:.5f}"
    if complete:
        best = min(complete, key=lambda t: (t.value, t.number))
        words += f"; best so far {best.value:.5f} (trial {best.number})"
    typer.echo(words, err=True)
