"""Section 4: how seconds per epoch grow with rows, columns and bins, and the path with lambdas."""

import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.bench.checking import at_most
from lassoflexnet.bench.speed.measure import Section, slope

N, D, BINS = 16_384, 16, 32
ROUNDS = 5
BIG = 10**6
DENSE: dict[str, Any] = {
    "max_epochs": 6,
    "n_lambdas": 0,
    "batch_size": 512,
    "d_hidden": 384,
    "refit": False,
    "random_state": 0,
}
PATH: dict[str, Any] = {
    "max_epochs": 1,
    "max_epochs_per_lambda": 1,
    "patience": BIG,
    "batch_size": 512,
    "lambda_start": 1e-4,
    "lambda_end": 1e-2,
    "selection": "best",
    "refit": False,
    "random_state": 0,
}


def problem(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of which all columns matter a little."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, np.sin(X).sum(axis=1) + rng.standard_normal(n)


def epoch_seconds(n: int, d: int, bins: int, n_threads: int) -> float:
    """Median seconds of an epoch of the dense stage."""
    model = LassoFlexNetRegressor(n_bins=bins, n_threads=n_threads, **DENSE).fit(*problem(n, d))
    times = [0.0, *(epoch.seconds for epoch in model.history_.epochs)]
    return statistics.median(np.diff(times)[1:])


def path_seconds(n_lambdas: int, n_threads: int) -> float:
    """Seconds of a path without patience."""
    model = LassoFlexNetRegressor(n_lambdas=n_lambdas, n_threads=n_threads, **PATH)
    model.fit(*problem(N // 2, D))
    return sum(point.seconds for point in model.path_.points[1:])


def measure_growth(n_threads: int) -> Section:
    """Double one thing at a time; sizes take turns."""
    grown: dict[str, tuple[list[int], float, Callable[[int], float]]] = {
        "rows": ([N // 2, N, 2 * N], 2.1, lambda n: epoch_seconds(n, D, BINS, n_threads)),
        "columns": ([D // 2, D, 2 * D], 2.2, lambda d: epoch_seconds(N // 2, d, BINS, n_threads)),
        "bins": ([BINS, 2 * BINS, 4 * BINS], 1.1, lambda k: epoch_seconds(N, D, k, n_threads)),
        "lambdas": ([20, 40], 2.1, lambda m: path_seconds(m, n_threads)),
    }
    checks, figures = [], {}
    for name, (sizes, bar, run) in grown.items():
        turns = [[run(size) for size in sizes] for _ in range(ROUNDS)]
        seconds = [statistics.median(at) for at in zip(*turns, strict=True)]
        factor = max(map(statistics.median, zip(*map(_factors, turns), strict=True)))
        checks.append(at_most(f"growth: doubling {name}, largest factor", factor, bar))
        figures[name] = {
            "sizes": sizes,
            "seconds": [round(s, 4) for s in seconds],
            "slope": round(slope(sizes, seconds), 3),
        }
    return Section(checks, figures)


def _factors(seconds: list[float]) -> list[float]:
    """Of one round: what each size takes in units of the one before, in the same minute."""
    return [b / a for a, b in itertools.pairwise(seconds)]
