"""A small arena of made-up results: four data sets, ten methods, every point met."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from lassoflexnet.bench.experiment import Experiment, read_experiment
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runs import Run

DEFAULTS = """
title = "Defaults"
suite = "defaults"
protocol = "hold_out"
keep_errors = ["lassoflexnet", "catboost", "catboost_slow"]

[[runs]]
datasets = ["houses", "flowers", "birds"]
seeds = [0, 1]
methods = ["lassoflexnet", "lassoflexnet_best", "lassoflexnet_fast", "catboost", "catboost_slow",
           "lightgbm"]

[[runs]]
datasets = ["fish"]
seeds = [0, 1, 2, 3]
methods = ["lassoflexnet", "lassoflexnet_best", "lassoflexnet_fast", "catboost", "catboost_slow",
           "lightgbm"]

[[runs]]
datasets = ["flowers", "fish"]
seeds = [0, 1]
methods = ["realmlp", "lassonet"]

[[runs]]
datasets = ["fish"]
seeds = [0, 1]
methods = ["tabm"]

[methods.lassoflexnet_best]
method = "lassoflexnet"
max_epochs = 9

[methods.lassoflexnet_fast]
method = "lassoflexnet"
max_epochs = 3

[methods.catboost_slow]
method = "catboost"
learning_rate = 0.05
"""

NOISE = """
title = "Noise"
suite = "defaults"
protocol = "hold_out"

[[runs]]
datasets = ["houses", "flowers", "birds", "fish"]
case = { added = "random", share = 0.5 }
methods = ["lassoflexnet", "catboost"]
"""

CALIFORNIA = """
title = "California"
suite = "california"
protocol = "feature_selection"

[[runs]]
datasets = ["CH"]
seeds = [0, 1]
methods = ["lassoflexnet_all_rows", "lassoflexnet_best_all_rows", "catboost", "catboost_slow"]
case = { added = "random", share = [0.0, 0.5, 0.75] }

[methods.lassoflexnet_best_all_rows]
method = "lassoflexnet_all_rows"
max_epochs = 9

[methods.catboost_slow]
method = "catboost"
learning_rate = 0.05
"""

CANDIDATES = """
title = "Candidates"
suite = "candidates"
protocol = "hold_out"

[[runs]]
datasets = ["houses", "flowers", "birds", "fish"]
seeds = [0, 1]
methods = ["wide", "deep"]

[[runs]]
datasets = ["fish"]
seeds = [0, 1]
methods = ["flat"]

[methods.wide]
method = "lassoflexnet"
d_hidden = 64

[methods.deep]
method = "lassoflexnet"
n_blocks = 3

[methods.flat]
method = "lassoflexnet"
n_blocks = 1
"""

OUTSIDE = """
title = "Outside"
suite = "defaults"
protocol = "hold_out"

[[runs]]
datasets = ["stars", "trees"]
methods = ["lassoflexnet", "catboost", "catboost_slow"]

[methods.catboost_slow]
method = "catboost"
learning_rate = 0.05
"""

TEXTS = {
    "defaults": DEFAULTS,
    "defaults_noise": NOISE,
    "california": CALIFORNIA,
    "defaults_candidates": CANDIDATES,
    "defaults_outside": OUTSIDE,
}

ERRORS = {
    "lassoflexnet": 0.40,
    "lassoflexnet_best": 0.38,
    "lassoflexnet_fast": 0.42,
    "catboost": 0.43,
    "catboost_slow": 0.41,
    "lightgbm": 0.44,
    "realmlp": 0.45,
    "lassonet": 0.50,
    "tabm": 0.47,
    "lassoflexnet_all_rows": 0.3725,
    "lassoflexnet_best_all_rows": 0.3665,
    "wide": 0.39,
    "deep": 0.41,
    "flat": 0.43,
}
SECONDS = {"lassoflexnet": 40.0, "lassoflexnet_fast": 8.0, "realmlp": 60.0, "tabm": 900.0}


def made_up(run: Run) -> dict:
    """Result of a run: a little higher with every seed, and by 1 % with noise columns."""
    error = ERRORS[run.label] * (1 + 0.001 * run.seed) * (1 + 0.01 * run.case.get("share", 0.0))
    name = "rmse" if run.dataset in {"houses", "CH"} else "log_loss"
    rest = {} if name == "rmse" else {"accuracy": 1 - error / 2}
    return {
        "status": "done",
        "scores": {name: error, **rest},
        # CatBoost's slow form is better on the test rows, on validation rows not everywhere.
        "validation": {name: 0.3 if (run.dataset, run.label) == ("birds", "catboost") else error},
        "n_columns": 8,
        "selected": ["a", "b", "c", "noise_0"],
        **({"precision": 0.75, "recall": 0.75} if run.case.get("share") else {}),
        "seconds": {"fit": SECONDS.get(run.label, 20.0), "predict": 0.1},
        "facts": {},
        "peak_mb": 1.0,
        **({"row_errors": np.full(50, error, dtype=np.float32)} if run.keep_errors else {}),
    }


@cache
def _read(name: str, place: Path) -> Experiment:
    return read_experiment(place / f"{name}.toml")


def runs_of(name: str, place: Path) -> tuple[Run, ...]:
    return _read(name, place).runs


def make(place: Path, names: tuple[str, ...] = tuple(TEXTS)) -> Path:
    """Experiments and results in one folder."""
    for name in names:
        (place / f"{name}.toml").write_text(TEXTS[name])
        folder = ResultFolder(place / name)
        for run in runs_of(name, place):
            folder.write(run, made_up(run))
    return place


def change(place: Path, pattern: str, edit: Callable[[dict], None]) -> int:
    """Edit the result files that match a pattern; how many there were."""
    paths = list(place.glob(f"{pattern}.json"))
    for path in paths:
        result = json.loads(path.read_text())
        edit(result)
        path.write_text(json.dumps(result))
    return len(paths)


def times(factor: float, *, of: str = "scores") -> Callable[[dict], None]:
    """An edit that multiplies the scores, or the validation scores, or the seconds."""

    def edit(result: dict) -> None:
        result[of] = {name: value * factor for name, value in result[of].items()}

    return edit
