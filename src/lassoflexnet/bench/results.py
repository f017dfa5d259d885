"""Results as files: one small JSON per run, written whole or not at all.

Written by the runner; tables, figures and checks read nothing else.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lassoflexnet.bench.runs import Run

Result = dict[str, Any]


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
        """Write beside, then rename: a killed writer leaves no file of this name."""
        self.path.mkdir(parents=True, exist_ok=True)
        unfinished = self.path / f"{run.file_name}.{os.getpid()}.part"
        with unfinished.open("w") as file:
            file.write(_one_line_each({"key": run.key, **result}))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self.path / run.file_name)

    def forget(self, runs: Iterable[Run]) -> None:
        """Delete the results of these runs."""
        for run in runs:
            for path in self.path.glob(f"*.{run.key}.json"):
                path.unlink()

    def finished(self, runs: Iterable[Run]) -> Iterator[tuple[Run, Result]]:
        """Runs that have succeeded, with their results."""
        for run in runs:
            result = self.read(run)
            if result is not None and result["status"] == "done":
                yield run, result

    def missing(self, runs: Iterable[Run], *, retry: bool = False) -> list[Run]:
        """Runs without a result; with ``retry``, those that failed as well."""
        found = ((run, self.read(run)) for run in runs)
        return [
            run
            for run, result in found
            if result is None or (retry and result["status"] == "failed")
        ]

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


def _read(path: Path, key: str) -> Result | None:
    """A file that is cut short, or is another run's, is no result."""
    try:
        result = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    whole = isinstance(result, dict) and result.get("key") == key
    return result if whole and result.get("status") in {"done", "failed"} else None
