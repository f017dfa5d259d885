"""Running an experiment: what has no result yet is carried out, and each result is kept.

Called by the command line and by ``make bench-lite``.
"""

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from lassoflexnet.bench.execution import Places, execute
from lassoflexnet.bench.executors import Executor
from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run

Told = Callable[[Run, Result], None]


class Tally(NamedTuple):
    """How many runs were skipped, done and failed."""

    skipped: int
    done: int
    failed: int


def run_all(
    runs: Iterable[Run],
    folder: ResultFolder,
    executor: Executor,
    *,
    data: Path | None = None,
    studies: str | None = None,
    retry: bool = False,
    told: Told | None = None,
) -> Tally:
    """Carry out the runs that have no result.

    Parameters
    ----------
    runs, folder, executor
        What to run, where results are kept, and who carries them out.
    data : Path or None
        Folder of data sets.
    studies : str or None
        Journal file or database URL of searches for settings; None is a file beside the
        results.
    retry : bool
        Whether runs that failed before are tried again.
    told : callable or None
        Told of every result when it is on disk.
    """
    runs = list(runs)
    missing = folder.missing(runs, retry=retry)
    n_failed = 0
    folder.path.mkdir(parents=True, exist_ok=True)
    places = Places(data, studies or str(folder.path.absolute() / "studies.journal"))
    for run, result in executor.each(functools.partial(execute, places=places), missing):
        folder.write(run, result)
        n_failed += result["status"] == "failed"
        if told is not None:
            told(run, result)
    return Tally(len(runs) - len(missing), len(missing) - n_failed, n_failed)
