"""Where runs are carried out: here, in processes, or on a Dask cluster.

Used by the runner. Each hands back (run, result) as they come; the results are the same.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from lassoflexnet.bench.results import Result
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import MissingDependency

Work = Callable[[Run], Result]
Done = tuple[Run, Result]

# How often a task may lose its worker before it is given up.
LOST_WORKERS = 5


class Executor(Protocol):
    """Carries out work for every run, in any order."""

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]: ...  # noqa: D102


class Serial:
    """One after another, in this process."""

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        for run in runs:
            yield run, work(run)


@dataclass(frozen=True)
class Processes:
    """So many processes of one thread each."""

    n_jobs: int

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        from joblib import Parallel, delayed

        parallel = Parallel(self.n_jobs, return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(_with_run)(work, run) for run in runs)


@dataclass(frozen=True)
class Dask:
    """A Dask cluster: the one at this address, or workers of our own on this machine.

    A run whose worker is lost is given to another one.
    """

    address: str | None = None
    n_workers: int = 2

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        distributed = _distributed()
        with distributed.Client(**self._place()) as client:
            futures = client.map(lambda run: _with_run(work, run), list(runs), pure=False)
            for _, found in distributed.as_completed(futures, with_results=True):
                yield found

    def _place(self) -> dict[str, Any]:
        if self.address is not None:
            return {"address": self.address}
        return {"n_workers": self.n_workers, "threads_per_worker": 1, "dashboard_address": None}


def _distributed() -> Any:
    try:
        import dask
        import distributed
    except ImportError as error:
        raise MissingDependency(
            'Dask is not installed. Run `pip install "lassoflexnet[distributed]"`, or take '
            "processes."
        ) from error
    dask.config.set({"distributed.scheduler.allowed-failures": LOST_WORKERS})
    return distributed


def _with_run(work: Work, run: Run) -> Done:
    return run, work(run)


def make_executor(jobs: int = 1, dask: str | None = None) -> Executor:
    """The executor that these options ask for.

    Parameters
    ----------
    jobs : int
        Processes, or workers of a Dask cluster of our own.
    dask : str or None
        Address of a Dask scheduler, or "local" for workers of our own.
    """
    if dask is not None:
        return Dask(None if dask == "local" else dask, jobs)
    return Processes(jobs) if jobs > 1 else Serial()
