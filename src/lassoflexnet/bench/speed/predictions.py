"""Section 3: rows per second in bulk, and the latency of a single row."""

import pandas as pd

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.bench.checking import at_least, at_most
from lassoflexnet.bench.rows import Split
from lassoflexnet.bench.speed import peers
from lassoflexnet.bench.speed.measure import Section, medians

COPIES = 4


def measure_predictions(
    model: LassoFlexNetRegressor, split: Split, n_threads: int, repeats: int
) -> Section:
    """Predict the same rows by each, in turns; TabM after one epoch, as fast as after many."""
    tabm, catboost = peers.tabm(split, n_threads, n_epochs=1), peers.catboost(split, n_threads)
    rows = pd.concat([split.test.X] * COPIES, ignore_index=True)
    bulk = medians(
        {
            "lassoflexnet": lambda: model.predict(rows),
            "tabm": lambda: tabm.predict(rows),
            "catboost": lambda: catboost.predict(rows),
        },
        repeats,
        warm_up=1,
    )
    array, frame = split.test.X.to_numpy()[:1], split.test.X[:1]
    # Not in turns: these are not compared, and whoever serves rows gets them of one kind.
    # A model fitted on named columns takes an array by position.
    single = {
        **medians({"numpy": lambda: model.predict(array)}, 400, warm_up=50),
        **medians({"frame": lambda: model.predict(frame)}, 400, warm_up=50),
    }
    checks = [
        at_least("predict: times TabM's rows per second", bulk["tabm"] / bulk["lassoflexnet"], 5),
        at_most("predict: milliseconds for one numpy row", 1e3 * single["numpy"], 1),
    ]
    figures = {
        **{f"{name}_rows_per_s": round(len(rows) / s) for name, s in bulk.items()},
        **{f"one_{name}_row_ms": round(1e3 * s, 3) for name, s in single.items()},
    }
    return Section(checks, figures)
