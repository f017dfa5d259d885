"""Several workers on one study: nothing lost, nothing doubled, whoever dies."""

import os
import signal
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from joblib import parallel_config

from lassoflexnet.tuning import StudySettings, run_study
from lassoflexnet.tuning.workers import Verdict, signature, verdict
from tests.tuning.worker import (
    SPACE,
    SlowSquare,
    another_worker,
    settings,
    share_a_study,
    wait_until,
)

pytest.importorskip("optuna", reason="tuning needs Optuna")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def test_two_processes_share_a_journal(tmp_path):
    share_a_study(tmp_path / "journal.log", tmp_path / "log", n_trials=16)


def test_study_goes_on_after_a_worker_is_killed_in_a_trial(tmp_path):
    journal, objective = tmp_path / "journal.log", SlowSquare(tmp_path / "log")
    with another_worker(SlowSquare(objective.log, hang_at=3), journal, 5) as other:
        wait_until(lambda: len(objective.lines("begin")) == 3)
        other.kill()
        other.join()
    assert other.exitcode == -signal.SIGKILL
    before = objective.lines("end")
    started = time.monotonic()
    result = run_study(objective, SPACE, settings(journal, 5))
    assert time.monotonic() - started < 10
    assert [row.params["x"] for row in result.trials[:2]] == [x for _, x in before]
    assert [row.number for row in result.trials] == [0, 1, 3, 4, 5]
    assert [pid for pid, _ in objective.lines("end")] == [other.pid] * 2 + [os.getpid()] * 3


@dataclass(frozen=True)
class KillsAnother:
    """At its second call."""

    pid: int
    inner: SlowSquare

    def __call__(self, params, report) -> float:
        if len(self.inner.lines("end")) == 2:
            os.kill(self.pid, signal.SIGKILL)
        return self.inner(params, report)


def test_survivor_makes_up_for_a_worker_that_dies(tmp_path):
    """The other holds a trial to the last; it is done once more when the other is gone."""
    journal, objective = tmp_path / "journal.log", SlowSquare(tmp_path / "log")
    with another_worker(SlowSquare(objective.log, hang_at=1), journal, 4) as other:
        wait_until(lambda: objective.lines("begin"))
        result = run_study(KillsAnother(other.pid, objective), SPACE, settings(journal, 4))
    assert [row.number for row in result.trials] == [1, 2, 3, 4]


def test_processes_of_one_call(tmp_path):
    """Without a storage: a journal of its own, seen by both."""
    objective = SlowSquare(tmp_path / "log")
    with parallel_config(backend="multiprocessing"):
        result = run_study(objective, SPACE, StudySettings(n_trials=8, n_workers=2, random_state=0))
    done = objective.lines("end")
    assert sorted(x for _, x in done) == sorted(row.params["x"] for row in result.trials)
    assert len(done) == 8
    assert len({pid for pid, _ in done} | {os.getpid()}) == 3


def trial(worker: str | None, age: float = 0.0) -> SimpleNamespace:
    begun = datetime.now() - timedelta(seconds=age)
    attributes = {} if worker is None else {"worker": worker}
    return SimpleNamespace(user_attrs=attributes, datetime_start=begun)


def test_who_is_alive():
    place, pid, started = signature().rsplit("/", 2)
    assert int(pid) == os.getpid()
    assert verdict(trial(signature())) is Verdict.ALIVE
    # The number of this process, but given to another one before.
    assert verdict(trial(f"{place}/{pid}/{int(started) - 1}")) is Verdict.DEAD
    assert verdict(trial(f"{place}/999999999/{started}")) is Verdict.DEAD
    assert verdict(trial(f"elsewhere/{pid}/{started}")) is Verdict.UNKNOWN
    assert verdict(trial(None, age=1)) is Verdict.ALIVE
    assert verdict(trial(None, age=3600)) is Verdict.DEAD
