"""A worker in a process of its own, and what it works on."""

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

from lassoflexnet.tuning import FloatRange, Space, StudyResult, StudySettings, run_study

SPACE = Space({"x": FloatRange(0.0, 1.0)})
SECONDS = 0.1


@dataclass(frozen=True)
class SlowSquare:
    """(x - 0.5)^2 after a while; at its ``hang_at``-th call never.

    Writes a line when a call begins and one when it ends.
    """

    log: Path
    hang_at: int = 0

    def __call__(self, params, report) -> float:
        self.note("begin", params["x"])
        mine = [pid for pid, _ in self.lines("begin")].count(os.getpid())
        time.sleep(600 if mine == self.hang_at else SECONDS)
        self.note("end", params["x"])
        return (params["x"] - 0.5) ** 2

    def note(self, word: str, x: float) -> None:
        with self.log.open("a") as file:
            file.write(f"{word} {os.getpid()} {x!r}\n")

    def lines(self, word: str) -> list[tuple[int, float]]:
        """(process, x) of every line that starts with the word."""
        text = self.log.read_text() if self.log.exists() else ""
        found = [line.split() for line in text.splitlines()]
        return [(int(pid), float(x)) for first, pid, x in found if first == word]


def settings(storage, n_trials: int) -> StudySettings:
    return StudySettings(n_trials=n_trials, storage=storage, name="shared", random_state=3)


@contextmanager
def another_worker(objective: SlowSquare, storage, n_trials: int) -> Iterator[BaseProcess]:
    """A process that works on the same study."""
    # Forked: a fresh interpreter takes seconds to import torch, which no worker here needs.
    process = multiprocessing.get_context("fork").Process(
        target=run_study, args=(objective, SPACE, settings(storage, n_trials))
    )
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def wait_until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def share_a_study(storage, log: Path, n_trials: int) -> StudyResult:
    """Work on a study together with another process; check that nothing is lost or doubled."""
    objective = SlowSquare(log)
    with another_worker(objective, storage, n_trials) as other:
        result = run_study(objective, SPACE, settings(storage, n_trials))
        other.join(60)
        assert other.exitcode == 0
    ended = objective.lines("end")
    assert len({pid for pid, _ in ended}) == 2, "one worker did it all"
    assert len(ended) == len(objective.lines("begin")) == n_trials
    assert sorted(x for _, x in ended) == sorted(row.params["x"] for row in result.trials)
    # The same seed in both: their first draws must not be the same.
    assert len({x for _, x in ended}) == n_trials
    numbers = [row.number for row in result.trials]
    assert numbers == sorted(set(numbers))
    assert {row.state for row in result.trials} == {"complete"}
    return result
