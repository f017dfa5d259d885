"""Ratios and ranks of methods over data sets.

Called by the points and by the report; None or NaN wherever a run is missing.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lassoflexnet.bench.arena.collecting import CATBOOST, methods_on, middles

OURS = "lassoflexnet"
"""Our default constructor; names of our presets begin with it."""

TREES = (
    CATBOOST,
    *("lightgbm", "lightgbm_slow", "xgboost", "xgboost_slow"),
    "random_forest",
)


def geometric_mean(values: pd.Series) -> float | None:
    """Geometric mean; None if there are no values or one is missing.

    >>> geometric_mean(pd.Series([0.5, 2.0])), geometric_mean(pd.Series([0.5, None]))
    (1.0, None)
    """
    return float(np.exp(np.log(values.to_numpy(dtype=float)).mean())) if _is_whole(values) else None


def median(values: pd.Series) -> float | None:
    """Middle of the values; None if there are no values or one is missing.

    >>> median(pd.Series([0.1, 0.9, 1.0])), median(pd.Series([0.5, None]))
    (0.9, None)
    """
    return float(values.median()) if _is_whole(values) else None


def _is_whole(values: pd.Series) -> bool:
    """Whether there are values, and none is missing."""
    return not (values.empty or values.isna().any())


def ratios(table: pd.DataFrame, ours: str, theirs: str, *, value: str = "error") -> pd.Series:
    """Our middle over seeds in units of theirs, by data set that both are to be run on."""
    found = middles(table, value, [ours, theirs])
    return found[ours] / found[theirs]


def against_trees(table: pd.DataFrame, ours: str) -> pd.Series:
    """Our error in units of the lowest test error of any tree, by data set."""
    trees = [method for method in TREES if method in set(table["method"])]
    found = middles(table, "error", [ours, *trees])
    return found[ours] / found[trees].min(axis=1, skipna=False)


def average_ranks(table: pd.DataFrame, ours: str, sets: Sequence[str]) -> pd.Series:
    """Average rank over data sets by mean test error, 1 is best; empty if a run is missing.

    Among the methods that are on all of these sets. Of our own only one takes part: presets
    that are alike would push one another, and what lies between them, down.
    """
    here = table[table["dataset"].isin(sets)]
    rivals = [m for m in methods_on(here, sets) if m == ours or not m.startswith(OURS)]
    errors = middles(here, "error", rivals).reindex(sets)
    if ours not in rivals or errors.isna().to_numpy().any():
        return pd.Series(dtype=float)
    return errors.rank(axis=1).mean()


def lead(ranks: pd.Series, ours: str, others: Sequence[str] | None = None) -> float | None:
    """Our average rank minus the best of the others'; below 0 is ahead.

    >>> lead(pd.Series({"a": 1.5, "b": 2.0, "c": 2.5}), "a")
    -0.5
    """
    rivals = ranks.drop(ours, errors="ignore") if others is None else ranks.reindex(others)
    if ours not in ranks or rivals.empty or rivals.isna().any():
        return None
    return float(ranks[ours] - rivals.min())


def coverages(table: pd.DataFrame) -> list[list[str]]:
    """Groups of data sets that some method is to be run on, the largest first."""
    order = list(table["dataset"].unique())
    groups = table.groupby("method")["dataset"].agg(frozenset).unique()
    return [[name for name in order if name in group] for group in sorted(groups, key=_size)]


def _size(group: frozenset[str]) -> tuple[int, list[str]]:
    return -len(group), sorted(group)


def noise_ratios(clean: pd.DataFrame, noisy: pd.DataFrame, method: str) -> pd.Series:
    """Error with noise columns in units of that without, same seeds, by data set."""
    rows = (t[t["method"] == method].assign(method=n) for t, n in ((clean, "0"), (noisy, "1")))
    return ratios(pd.concat(rows, ignore_index=True), "1", "0")
