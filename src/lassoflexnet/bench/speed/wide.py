"""Section 5: 2,000 rows and 10,000 columns, in a process of its own for its peak memory."""

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.bench.checking import at_least, at_most
from lassoflexnet.bench.speed.measure import Section

N, D, N_TRUE, R2 = 2_000, 10_000, 20, 0.9
SHAPES = (lambda x: x, np.sin, np.square, np.abs, lambda x: np.tanh(2 * x))


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Twenty additive effects of equal size and five shapes, noise that leaves R2 = 0.9."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D))
    true = np.sort(rng.choice(D, N_TRUE, replace=False))
    effects = [SHAPES[i % len(SHAPES)](X[:, j]) for i, j in enumerate(true)]
    signal = sum((e - e.mean()) / e.std() for e in effects)
    noise = rng.standard_normal(N)
    return X, np.sqrt(R2) * signal / np.std(signal) + np.sqrt(1 - R2) * noise, true


def run(seed: int, n_threads: int) -> dict[str, Any]:
    """Fit the default constructor and count."""
    X, y, true = problem(seed)
    started = time.perf_counter()
    model = LassoFlexNetRegressor(random_state=seed, n_threads=n_threads).fit(X, y)
    kept = np.flatnonzero(model.support_)
    report = model.screening_
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "true_kept": int(np.isin(kept, true).sum()),
        "false_kept": int((~np.isin(kept, true)).sum()),
        "entered_training": report.n_entered if report else D,
        "called_back": len(report.recalled) if report else 0,
    }


def measure_wide(n_threads: int) -> Section:
    """Run in a fresh process and hold the outcome against the bars."""
    command = [sys.executable, "-m", "lassoflexnet.bench.speed.wide", "0", str(n_threads)]
    facts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    checks = [
        at_most("wide: minutes of a default fit", facts["seconds"] / 60, 30),
        at_most("wide: peak memory, GiB", facts["peak_gib"], 8),
        at_least("wide: of 20 true columns kept", facts["true_kept"], 18),
        at_most("wide: false columns kept", facts["false_kept"], 20),
    ]
    return Section(checks, facts)


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]))))
