"""Where runs are carried out: here, in processes, or on a Dask cluster.

Used by the runner. Each hands back (run, result) as they come; the results are the same.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from lassoflexnet.bench.results import Result
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput, MissingDependency

Work = Callable[[Run], Result]
Done = tuple[Run, Result]

# How often a task may lose its worker before it is given up.
LOST_WORKERS = 5
ANSWER_SECONDS = 10


class Executor(Protocol):
    """Carries out work for every run, in any order.

    ``words`` says by whom: "14 to do by ...".
    """

    @property
    def words(self) -> str: ...  # noqa: D102
    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]: ...  # noqa: D102


class Serial:
    """One after another, in this process."""

    words = "this process"

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        for run in runs:
            yield run, work(run)


@dataclass(frozen=True)
class Processes:
    """So many processes of one thread each."""

    n_jobs: int

    @property
    def words(self) -> str:
        """How many."""
        return f"{self.n_jobs} processes"

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        left = {run.key: run for run in runs}
        try:
            for run, result in _parallel(self.n_jobs, work, left.values()):
                del left[run.key]
                yield run, result
        except TerminatedWorkerError:
            # It is not known whose process died: the rest goes on one by one.
            for run in left.values():
                yield _alone(work, run)


@dataclass(frozen=True)
class Dask:
    """A Dask cluster: the one at this address, or workers of our own on this machine.

    A run whose worker is lost is given to another one.
    """

    address: str | None = None
    n_workers: int = 2

    @property
    def words(self) -> str:
        """Whose workers."""
        own = f"{self.n_workers} Dask workers on this machine"
        return own if self.address is None else f"the Dask cluster at {self.address}"

    def each(self, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
        """Carry out work for every run."""
        distributed = _distributed()
        with self._client(distributed) as client:
            given = list(runs)
            futures = client.map(lambda run: _with_run(work, run), given, pure=False)
            of_future = dict(zip(futures, given, strict=True))
            for future in distributed.as_completed(futures):
                try:
                    yield future.result()
                except distributed.KilledWorker as error:
                    yield of_future[future], lost(error)

    def _client(self, distributed: Any) -> Any:
        if self.address is None:
            return distributed.Client(
                n_workers=self.n_workers, threads_per_worker=1, dashboard_address=None
            )
        try:
            return distributed.Client(self.address, timeout=ANSWER_SECONDS)
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"no Dask scheduler has answered at `{self.address}` within {ANSWER_SECONDS} s "
                f"({error}). Start one by `dask scheduler` and give the address that it prints, "
                'or use "local".'
            ) from error


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


def _parallel(n_jobs: int, work: Work, runs: Iterable[Run]) -> Iterator[Done]:
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(delayed(_with_run)(work, run) for run in list(runs))


def _alone(work: Work, run: Run) -> Done:
    """Carry out a run in a process of its own, which may die."""
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with ProcessPoolExecutor(1) as pool:
        try:
            return run, pool.submit(work, run).result()
        except TerminatedWorkerError as error:
            return run, lost(error)


def lost(error: Exception) -> Result:
    """Result of a run that has taken its process down, for lack of memory perhaps."""
    return {"status": "failed", "error": f"its process died: {error}", "traceback": ""}


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
