"""Whether test rows can tell that we are worse than CatBoost: a paired bootstrap.

Called for data sets on which our error is more than a little larger.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.bench.arena.collecting import CATBOOST
from lassoflexnet.bench.arena.comparing import OURS, ratios
from lassoflexnet.bench.results import ResultFolder

MARGIN = 1.05
"""Up to this ratio of errors nobody asks."""

N_DRAWS = 10_000
LEVEL = 0.95


class Worse(NamedTuple):
    """A data set on which we are worse by more than the margin.

    Attributes
    ----------
    dataset : str
        Its name.
    ratio : float
        Our mean test error in units of CatBoost's.
    low, high : float or None
        Interval of the ratio over resampled test rows; None without errors of all rows.
    """

    dataset: str
    ratio: float
    low: float | None = None
    high: float | None = None

    @property
    def cannot_tell(self) -> bool:
        """Whether the interval holds a ratio of 1."""
        return self.low is not None and self.high is not None and self.low <= 1 <= self.high


def ratio_interval(
    ours: np.ndarray, theirs: np.ndarray, *, root: bool, n_draws: int = N_DRAWS
) -> tuple[float, float]:
    """Interval of mean error ours / theirs when rows are drawn again, in pairs, by seed 0.

    Parameters
    ----------
    ours, theirs : ndarray of shape (n,)
        Errors of the same rows.
    root : bool
        Whether they are squared and the ratio is that of their roots.
    """
    pairs = np.column_stack([ours, theirs]).astype(float)
    n, generator = len(pairs), np.random.default_rng(0)
    found = np.empty(n_draws)
    for draw in range(n_draws):
        # How often each row is drawn: sums need no copies of rows.
        times = np.bincount(generator.integers(n, size=n), minlength=n)
        above, below = times @ pairs
        found[draw] = above / below
    low, high = np.quantile(np.sqrt(found) if root else found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def worse_sets(table: pd.DataFrame, folder: ResultFolder, ours: str = OURS) -> list[Worse]:
    """Every data set on which we are worse than CatBoost by more than the margin."""
    found = ratios(table, ours, CATBOOST)
    return [_judged(table, folder, ours, Worse(*pair)) for pair in found[found > MARGIN].items()]


def _judged(table: pd.DataFrame, folder: ResultFolder, ours: str, worse: Worse) -> Worse:
    here = table[table["dataset"] == worse.dataset]
    pairs = list(_paired(here, folder, ours))
    if not pairs or any(a is None or b is None or len(a) != len(b) for a, b in pairs):
        return worse
    first, second = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    is_root = here.loc[here["method"] == ours, "is_root"].all()
    low, high = ratio_interval(first, second, root=bool(is_root))
    return worse._replace(low=low, high=high)


def _paired(
    here: pd.DataFrame, folder: ResultFolder, ours: str
) -> Iterator[tuple[np.ndarray | None, np.ndarray | None]]:
    """Errors of the same test rows by both, seed by seed."""
    mine, other = (
        here[here["method"] == name].set_index("seed")["run"] for name in (ours, CATBOOST)
    )
    for seed in mine.index.intersection(other.index):
        yield folder.read_errors(mine[seed]), folder.read_errors(other[seed])
