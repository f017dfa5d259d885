"""What our defaults must show: one table of points, each a value of the arena and its bar.

Held against the result files by ``lassoflexnet bench arena``.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from lassoflexnet.bench.arena.bootstrap import MARGIN
from lassoflexnet.bench.arena.collecting import CATBOOST, FORMS, SECONDS, middles, sets_of
from lassoflexnet.bench.arena.comparing import (
    OURS,
    average_ranks,
    geometric_mean,
    lead,
    noise_ratios,
    ratios,
)
from lassoflexnet.bench.arena.reading import Arena
from lassoflexnet.bench.checking import Check, at_least, at_most, below

BEST, FAST = f"{OURS}_best", f"{OURS}_fast"
PEER = "realmlp"
"""Its data sets are those with neural peers: LassoNet and EBM on the same, TabM on fewer."""

Value = Callable[[Arena], float | None]


class Point(NamedTuple):
    """One point to show; its value is None as long as a run that it needs is missing."""

    name: str
    judge: Callable[[str, float, float], Check]
    bar: float
    value: Value


def california(arena: Arena, method: str, share: float) -> float | None:
    """Mean RMSE on California Housing with this share of random columns."""
    found = middles(arena.california, "error", [method], by="share")[method].get(share)
    return None if found is None or found != found else float(found)


def california_ratio(arena: Arena, method: str, share: float) -> float | None:
    """The same in units of the better of CatBoost's forms."""
    ours, *theirs = (california(arena, name, share) for name in (method, *FORMS))
    known = [error for error in theirs if error is not None]
    return ours / min(known) if ours is not None and len(known) == len(FORMS) else None


def error_ratio(arena: Arena, ours: str) -> float | None:
    """Geometric mean over data sets of our error in units of CatBoost's."""
    return geometric_mean(ratios(arena.table, ours, CATBOOST))


def worst_ratio(arena: Arena) -> float | None:
    """Largest ratio of the default to CatBoost; where test rows cannot tell, it counts as 1."""
    found = ratios(arena.table, OURS, CATBOOST)
    if found.empty or found.isna().any():
        return None
    found[[worse.dataset for worse in arena.worse if worse.cannot_tell]] = 1.0
    return float(found.max())


def lead_on_all(arena: Arena, ours: str) -> float | None:
    """Lead in average rank over all data sets."""
    return lead(average_ranks(arena.table, ours, list(arena.table["dataset"].unique())), ours)


def lead_among_peers(
    arena: Arena, ours: str, others: tuple[str, ...] | None = None
) -> float | None:
    """Lead in average rank over the data sets with neural peers."""
    return lead(average_ranks(arena.table, ours, sets_of(arena.table, PEER)), ours, others)


def time_ratio(arena: Arena, ours: str, theirs: str) -> float | None:
    """Geometric mean over data sets of our fit seconds in units of theirs."""
    return geometric_mean(ratios(arena.table, ours, theirs, value=SECONDS))


def noise_ratio(arena: Arena, method: str) -> float | None:
    """Geometric mean over data sets of the error with noise columns in units of that without."""
    return geometric_mean(noise_ratios(arena.every_form, arena.noise, method))


def left_out_ratio(arena: Arena) -> float | None:
    """Error on all data sets, each by a choice without it, in units of CatBoost's."""
    found = arena.rechosen
    if found is None or {*found.table.index} != {*arena.table["dataset"]}:
        return None
    return found.ratio


def _california_points(preset: str, method: str, bars: dict[float, float]) -> list[Point]:
    return [
        Point(
            f"California, {100 * share:.0f} % random columns: RMSE of {preset}",
            at_most,
            bar,
            partial(california, method=method, share=share),
        )
        for share, bar in bars.items()
    ]


ALL_ROWS = f"{OURS}_all_rows"
POINTS: tuple[Point, ...] = (
    *_california_points("the default", ALL_ROWS, {0.0: 0.373, 0.5: 0.379, 0.75: 0.384}),
    *_california_points("best", f"{BEST}_all_rows", {0.0: 0.367, 0.5: 0.372, 0.75: 0.376}),
    *(
        Point(
            f"California, {100 * share:.0f} % random columns: default / better form of CatBoost",
            below,
            1.0,
            partial(california_ratio, method=ALL_ROWS, share=share),
        )
        for share in (0.5, 0.75)
    ),
    Point(
        "arena: average rank of the default minus the best other's, all data sets",
        at_most,
        0.0,
        partial(lead_on_all, ours=OURS),
    ),
    Point(
        "arena: average rank of the default minus the best other's, on RealMLP's data sets",
        at_most,
        0.0,
        partial(lead_among_peers, ours=OURS),
    ),
    Point(
        "arena: geometric mean error, default / CatBoost",
        at_most,
        1.0,
        partial(error_ratio, ours=OURS),
    ),
    Point(
        "arena: geometric mean error, best / CatBoost",
        at_most,
        0.98,
        partial(error_ratio, ours=BEST),
    ),
    Point(
        "arena: largest error, default / CatBoost (1 where test rows cannot tell)",
        at_most,
        MARGIN,
        worst_ratio,
    ),
    Point(
        "cost: geometric mean fit time, default / RealMLP, on its data sets",
        at_most,
        1.0,
        partial(time_ratio, ours=OURS, theirs=PEER),
    ),
    Point(
        "cost: geometric mean fit time, default / TabM, on its data sets",
        at_most,
        0.1,
        partial(time_ratio, ours=OURS, theirs="tabm"),
    ),
    Point(
        "cost: geometric mean fit time, default / fast",
        at_least,
        4.0,
        partial(time_ratio, ours=OURS, theirs=FAST),
    ),
    Point(
        "cost: average rank of fast minus the better of RealMLP and LassoNet",
        below,
        0.0,
        partial(lead_among_peers, ours=FAST, others=(PEER, "lassonet")),
    ),
    Point(
        "noise: geometric mean error, half of all columns noise / none",
        at_most,
        1.015,
        partial(noise_ratio, method=OURS),
    ),
    Point(
        "left out: geometric mean error, chosen by the other data sets / CatBoost",
        at_most,
        1.0,
        left_out_ratio,
    ),
)


def check_points(arena: Arena) -> list[Check]:
    """Every point against its bar; one without its runs is not ok and says so."""
    return [_checked(point, point.value(arena)) for point in POINTS]


def _checked(point: Point, value: float | None) -> Check:
    if value is None:
        unknown = point.judge(f"{point.name}; runs are missing", 0.0, point.bar)
        return unknown._replace(value=None, ok=False)
    return point.judge(point.name, value, point.bar)
