"""Results as files: one small JSON per run, written whole or not at all.

Errors of single test rows, of runs that keep them, are in a file of numbers beside it.
Written by the runner; tables, figures and checks read nothing else.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from lassoflexnet.bench.runs import Run

Result = dict[str, Any]

ROW_ERRORS = "row_errors"
"""Where a result that was just made has errors of test rows; they are no part of the JSON."""


class Strays(NamedTuple):
    """Files that are no results of an experiment: damaged ones, and those of other settings."""

    damaged: tuple[Path, ...]
    others: tuple[Path, ...]


class ResultFolder:
    """The results of an experiment."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, run: Run) -> Result | None:
        """The run's result, whatever it was called; None if there is none that is whole."""
        found = (_read(path, run.key) for path in self.path.glob(f"*.{run.key}.json"))
        return next((result for result in found if result is not None), None)

    def write(self, run: Run, result: Result) -> None:
        """Write its errors of rows, if it has any, then the rest: with it the run is done."""
        rest = {name: value for name, value in result.items() if name != ROW_ERRORS}
        if ROW_ERRORS in result:
            errors = np.asarray(result[ROW_ERRORS], dtype=np.float32)
            path = self._errors / f"{Path(run.file_name).stem}.npy"
            _write_whole(path, lambda file: np.save(file, errors, allow_pickle=False))
        text = _one_line_each({"key": run.key, **rest})
        _write_whole(self.path / run.file_name, lambda file: file.write(text.encode()))

    def read_errors(self, run: Run) -> np.ndarray | None:
        """Errors of the run's test rows (n,), in their order; None if there are none."""
        found = (_numbers(path) for path in self._errors.glob(f"*.{run.key}.npy"))
        return next((errors for errors in found if errors is not None), None)

    @property
    def _errors(self) -> Path:
        return self.path / "errors"

    def forget(self, runs: Iterable[Run]) -> None:
        """Delete the results of these runs."""
        for run in runs:
            for path in self.path.glob(f"*.{run.key}.json"):
                path.unlink()
            for path in self._errors.glob(f"*.{run.key}.npy"):
                path.unlink()

    def finished(self, runs: Iterable[Run]) -> Iterator[tuple[Run, Result]]:
        """Runs that have succeeded, with their results."""
        for run in runs:
            result = self.read(run)
            if result is not None and result["status"] == "done":
                yield run, result

    def missing(self, runs: Iterable[Run], *, retry: bool = False) -> list[Run]:
        """Runs without a result, or without the errors that they should keep.

        With ``retry``, those that failed as well.
        """
        return [run for run in runs if self._is_missing(run, retry=retry)]

    def _is_missing(self, run: Run, *, retry: bool) -> bool:
        result = self.read(run)
        if result is None:
            return True
        if result["status"] == "failed":
            return retry
        return run.keep_errors and self.read_errors(run) is None

    def strays(self, runs: Iterable[Run]) -> Strays:
        """What lies in the folder and is no result of these runs."""
        keys = {run.key for run in runs}
        files = {path: path.name.split(".")[-2] for path in sorted(self.path.glob("*.*.json"))}
        damaged = tuple(path for path, key in files.items() if _read(path, key) is None)
        others = (path for path, key in files.items() if key not in keys)
        return Strays(damaged, tuple(path for path in others if path not in damaged))


def _one_line_each(result: Result) -> str:
    """JSON with a line per field: series of an analysis have hundreds of numbers."""
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in result.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _write_whole(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write beside, then rename: a killed writer leaves no file of this name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    with unfinished.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _numbers(path: Path) -> np.ndarray | None:
    """A file that is cut short holds no errors."""
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, EOFError, ValueError):
        return None


def _read(path: Path, key: str) -> Result | None:
    """A file that is cut short, or is another run's, is no result."""
    try:
        result = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    whole = isinstance(result, dict) and result.get("key") == key
    return result if whole and result.get("status") in {"done", "failed"} else None
