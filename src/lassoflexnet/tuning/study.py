"""Studies: trials of one objective over a space, by one worker or many.

The generic core: ``tune`` calls it for estimators, the benchmark for any method.
"""

import math
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput, NotEnoughMemory, TrainingDiverged
from lassoflexnet.tuning.space import Space
from lassoflexnet.tuning.storage import opened, require_optuna
from lassoflexnet.tuning.trials import StudyResult, read_study
from lassoflexnet.tuning.workers import ERROR, WORKER, counts, give_up_dead, signature

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial

Report = Callable[[int, float], None]
Objective = Callable[[dict[str, Any], Report], float]
"""(parameters, report) -> what to minimise; ``report(step, value)`` may end the trial."""

POLL_SECONDS = 0.2
SPACE = "space"
"""Attribute of a study: its space, as plain values."""


@dataclass(frozen=True)
class Halving:
    """Successive halving (ASHA): who goes on at each rung.

    Attributes
    ----------
    first : int
        Steps (epochs) to the first rung.
    factor : int
        One in so many goes on, and the next rung is so many times as far.
    """

    first: int = 8
    factor: int = 3


@dataclass(frozen=True)
class StudySettings:
    """How a study is run.

    Attributes
    ----------
    n_trials : int
        Trials in all: finished, halted or failed, by all workers, this time and earlier.
    timeout : float or None
        Seconds after which this call starts no trial.
    storage : str, Path or None
        Journal file or database URL, see ``storage.opened``. None is memory; for several
        workers, a journal that is deleted at the end.
    name : str
        Name of the study in the storage; the same name goes on with it.
    n_workers : int
        Processes. More can be started elsewhere with the same storage and name.
    pruning : Halving or None
        Which trials are ended early.
    random_state : int or None
        Seed. None takes one from the name where the study is stored, so that all workers
        agree, and a new one otherwise.
    catch : tuple of exception types
        Errors that speak against a configuration only: its trial fails and the study goes on.
    """

    n_trials: int = 40
    timeout: float | None = None
    storage: str | Path | None = None
    name: str = "lassoflexnet"
    n_workers: int = 1
    pruning: Halving | None = Halving()
    random_state: int | None = None
    catch: tuple[type[Exception], ...] = (TrainingDiverged, NotEnoughMemory)

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in ("n_trials", "n_workers"):
            if getattr(self, field) < 1:
                raise InvalidInput(f"`{field}` is {getattr(self, field)!r}. Use 1 or more.")

    def settled(self) -> "StudySettings":
        """The same with a seed."""
        if self.random_state is not None:
            return self
        if self.storage is not None:
            return replace(self, random_state=zlib.crc32(self.name.encode()))
        return replace(self, random_state=int(np.random.SeedSequence().generate_state(1)[0]))


def run_study(
    objective: Objective, space: Space, settings: StudySettings | None = None
) -> StudyResult:
    """Search a space for the parameters of the lowest objective.

    Parameters
    ----------
    objective : callable
        (parameters, report) -> number to minimise. It may call ``report(step, value)`` with
        a growing step and must let what this raises pass. With several workers it is pickled.
    space : Space
        What to search.
    settings : StudySettings or None
        Budget, storage, workers, seed.

    Returns
    -------
    StudyResult
        Best parameters and all trials of the study, earlier ones included.
    """
    with _shared(settings or StudySettings()) as ready, _study(ready) as study:
        _check_space(study, space)
        if ready.n_workers == 1:
            _work(study, objective, space, ready)
        else:
            _work_in_processes(objective, space, ready)
        return read_study(study, space)


@contextmanager
def _shared(settings: StudySettings) -> Iterator[StudySettings]:
    """Give the study a seed and, if processes share it, a place that all can see."""
    ready = settings.settled()
    if ready.storage is not None or ready.n_workers == 1:
        yield ready
        return
    with tempfile.TemporaryDirectory() as folder:
        yield replace(ready, storage=Path(folder) / "journal.log")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Optuna from writing a line per trial: the result has them all."""
    logging = require_optuna().logging
    before = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        logging.set_verbosity(before)


@contextmanager
def _study(settings: StudySettings) -> Iterator["Study"]:
    """The study, begun or found, for as long as its storage is open."""
    optuna = require_optuna()
    from lassoflexnet.tuning.sampler import NumberedTPE

    assert settings.random_state is not None
    pruner = optuna.pruners.NopPruner()
    if settings.pruning is not None:
        pruner = optuna.pruners.SuccessiveHalvingPruner(
            min_resource=settings.pruning.first, reduction_factor=settings.pruning.factor
        )
    with _quiet(), opened(settings.storage) as storage:
        yield optuna.create_study(
            storage=storage,
            study_name=settings.name,
            sampler=NumberedTPE(settings.random_state),
            pruner=pruner,
            direction="minimize",
            load_if_exists=True,
        )


def _check_space(study: "Study", space: Space) -> None:
    """Raise if the study has trials of another space; note this one."""
    now, before = space.to_dict(), study.user_attrs.get(SPACE, space.to_dict())
    differ = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if differ:
        raise InvalidInput(
            f"study `{study.study_name}` was begun with another space: `{differ[0]}` differs. "
            "Use the same space, or another study name."
        )
    study.set_user_attr(SPACE, now)


def _work_in_processes(objective: Objective, space: Space, settings: StudySettings) -> None:
    """One study in processes: threads would take turns, since fits share a generator."""
    from joblib import Parallel, delayed

    job = delayed(_work_alone)(objective, space, settings)
    Parallel(n_jobs=settings.n_workers)(job for _ in range(settings.n_workers))


def _work_alone(objective: Objective, space: Space, settings: StudySettings) -> None:
    with _study(settings) as study:
        _work(study, objective, space, settings)


def _work(study: "Study", objective: Objective, space: Space, settings: StudySettings) -> None:
    """Run trials until there are enough; wait for those of others, who may die."""
    end = time.monotonic() + (math.inf if settings.timeout is None else settings.timeout)
    one = _Attempt(study, objective, space, settings)
    while time.monotonic() < end:
        give_up_dead(study)
        now = counts(study)
        if now.ended >= settings.n_trials:
            return
        if now.ended + now.running >= settings.n_trials:
            time.sleep(POLL_SECONDS)
        else:
            study.optimize(one, n_trials=1, catch=(_Failed, _TooMany))


class _Failed(Exception):
    """The configuration failed."""


class _TooMany(Exception):
    """Others took the last trials between a look and the start of this one."""


@dataclass(frozen=True)
class _Attempt:
    """One trial."""

    study: "Study"
    objective: Objective
    space: Space
    settings: StudySettings

    def __call__(self, trial: "Trial") -> float:
        trial.set_user_attr(WORKER, signature())
        # The storage numbers trials one after another: of two workers that saw the same last
        # place free, the one with the lower number has it.
        if sum(counts(self.study, before=trial.number)) >= self.settings.n_trials:
            raise _TooMany
        try:
            value = float(self.objective(self.space.suggest(trial), _reporter(trial)))
        except self.settings.catch as error:
            trial.set_user_attr(ERROR, f"{type(error).__name__}: {error}")
            raise _Failed from error
        if not math.isfinite(value):
            trial.set_user_attr(ERROR, f"the objective is {value}")
            raise _Failed
        return value


def _reporter(trial: "Trial") -> Report:
    TrialPruned = require_optuna().TrialPruned

    def report(step: int, value: float) -> None:
        trial.report(value, step)
        if trial.should_prune():
            raise TrialPruned

    return report
