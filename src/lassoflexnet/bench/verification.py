"""Repeating a part of the committed runs, and comparing.

Called by ``make bench-lite``: anyone can check on their own machine that results repeat.
"""

from collections.abc import Iterable
from typing import NamedTuple

from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run

# A tenth of all keys.
ONE_IN = 10

# Networks trained on another processor end a little elsewhere.
TOLERANCE = 0.05


class Comparison(NamedTuple):
    """A run with the score that is committed and the one found again; None where it failed."""

    run: Run
    before: float
    after: float | None

    @property
    def agrees(self) -> bool:
        """Whether the two are alike."""
        if self.after is None:
            return False
        return abs(self.after - self.before) <= TOLERANCE * max(abs(self.before), 1e-3)


def tenth(runs: Iterable[Run]) -> list[Run]:
    """Runs whose key says so: always the same ones, whatever their order.

    >>> chosen = tenth(Run("s", "d", "m", "p", seed) for seed in range(1000))
    >>> 70 < len(chosen) < 130
    True
    """
    return [run for run in runs if int(run.key, 16) % ONE_IN == 0]


def compare(runs: Iterable[Run], before: ResultFolder, after: ResultFolder) -> list[Comparison]:
    """First score of every committed run beside the one found again."""
    found = []
    for run, result in before.finished(runs):
        again = after.read(run)
        done = again is not None and again["status"] == "done"
        found.append(Comparison(run, _first(result), _first(again) if done and again else None))
    return found


def _first(result: Result) -> float:
    return float(next(iter(result["scores"].values())))
