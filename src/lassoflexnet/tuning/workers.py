"""Who works on which trial, and who has died: so that several workers share a study.

Called by the loop of a worker before each trial.
"""

import os
import socket
import warnings
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lassoflexnet.tuning.storage import require_optuna

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial

# A trial is young for so long: its worker may not have signed it yet.
YOUNG = timedelta(seconds=60)
WORKER, ERROR = "worker", "error"
"""Attributes of a trial: who runs it, and why its configuration failed."""


class Verdict(Enum):
    """What is known of the worker of a running trial."""

    ALIVE = "alive"
    DEAD = "dead"
    UNKNOWN = "unknown"


class Counts(NamedTuple):
    """Trials that have ended, and trials that somebody is at."""

    ended: int
    running: int


def signature() -> str:
    """The present process, told from any other on any machine, now or earlier."""
    return f"{_place()}/{os.getpid()}/{_started(os.getpid())}"


def verdict(trial: "FrozenTrial") -> Verdict:
    """Whether the worker of a running trial is alive, as far as this machine can tell."""
    worker = trial.user_attrs.get(WORKER)
    if worker is None:
        begun = trial.datetime_start or datetime.min
        return Verdict.ALIVE if datetime.now() - begun < YOUNG else Verdict.DEAD
    place, pid, started = worker.rsplit("/", 2)
    if place != _place() or not started:
        return Verdict.UNKNOWN
    return Verdict.ALIVE if _started(int(pid)) == started else Verdict.DEAD


def counts(study: "Study", before: int | None = None) -> Counts:
    """Count the trials, or those before a number.

    A failed trial has ended if its configuration failed; if its worker was stopped it is not
    counted and will be made up for. Running trials whose worker cannot be known count
    if the storage itself gives up dead ones, as databases do by their heartbeat: a journal
    file used from several machines may so end with a few trials more than asked for.
    """
    TrialState = require_optuna().trial.TrialState
    trials = study.get_trials(deepcopy=False)[:before]
    ended = sum(
        t.state in (TrialState.COMPLETE, TrialState.PRUNED) or has_failed(t) for t in trials
    )
    counted = (Verdict.ALIVE, Verdict.UNKNOWN) if _has_heartbeat(study) else (Verdict.ALIVE,)
    running = sum(t.state == TrialState.RUNNING and verdict(t) in counted for t in trials)
    return Counts(ended, running)


def has_failed(trial: "FrozenTrial") -> bool:
    """Whether a trial failed for its configuration."""
    return trial.state == require_optuna().trial.TrialState.FAIL and ERROR in trial.user_attrs


def give_up_dead(study: "Study") -> None:
    """Mark the trials of dead workers as failed; they do not count."""
    optuna = require_optuna()
    running = (optuna.trial.TrialState.RUNNING,)
    for trial in study.get_trials(deepcopy=False, states=running):
        if verdict(trial) is Verdict.DEAD:
            failed = optuna.trial.TrialState.FAIL
            # Another worker may have seen it too.
            study.tell(trial.number, state=failed, skip_if_finished=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        optuna.storages.fail_stale_trials(study)


def _has_heartbeat(study: "Study") -> bool:
    storage: Any = study._storage
    return getattr(storage, "get_heartbeat_interval", lambda: None)() is not None


def _place() -> str:
    """Machine, its boot and its container: where process numbers mean the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{socket.gethostname()}/{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _started(pid: int) -> str:
    """When a process started, in the system's ticks; empty if it has ended or cannot be seen."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else rest[18]
