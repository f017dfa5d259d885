"""Section 2: a whole default fit on California Housing, against whole fits of peers.

TabM's whole fit takes about an hour on a CPU, so it comes from one recorded run
(``--record-tabm``): its seconds are brought to this run by the seconds of a TabM epoch,
which are measured in both.
"""

import json
import time
from functools import partial
from pathlib import Path
from typing import Any

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.bench.checking import Check, at_least
from lassoflexnet.bench.rows import Split
from lassoflexnet.bench.speed import peers
from lassoflexnet.bench.speed.measure import Section, seconds_of

SHORT, LONG = 1, 3


def measure_fits(split: Split, n_threads: int, recorded: Path) -> Section:
    """Seconds of each fit, one after another in this run."""
    seconds = {
        "lassoflexnet": seconds_of(lambda: default_fit(split, n_threads)),
        "realmlp": seconds_of(lambda: peers.realmlp(split, n_threads)),
        "catboost": seconds_of(lambda: peers.catboost(split, n_threads)),
        "lassonet_path": seconds_of(lambda: peers.lassonet_path(split)),
        "tabm_epoch": tabm_epoch(split, n_threads),
    }
    ours = seconds["lassoflexnet"]
    checks = [
        at_least("fit: times faster than LassoNet's path", seconds["lassonet_path"] / ours, 1),
        at_least("fit: times faster than RealMLP", seconds["realmlp"] / ours, 1),
        _against_tabm(seconds, recorded, n_threads),
    ]
    return Section(checks, {f"{name}_s": round(s, 2) for name, s in seconds.items()})


def default_fit(split: Split, n_threads: int) -> LassoFlexNetRegressor:
    """Our default constructor; it holds out rows itself, and learns from them in the end."""
    model = LassoFlexNetRegressor(random_state=0, n_threads=n_threads)
    return model.fit(*split.train.joined(split.validation))


def tabm_epoch(split: Split, n_threads: int) -> float:
    """Seconds of one epoch of TabM, what precedes the first one taken off."""
    short, long = (
        seconds_of(partial(peers.tabm, split, n_threads, n_epochs=n)) for n in (SHORT, LONG)
    )
    return (long - short) / (LONG - SHORT)


def record_tabm(split: Split, n_threads: int, path: Path) -> dict[str, Any]:
    """Fit TabM to the end and write down what it took."""
    epoch = tabm_epoch(split, n_threads)
    # Seconds of the processor: an hour is long enough for the machine to become busy.
    started = time.process_time()
    peers.tabm(split, n_threads)
    facts = {
        "fit_s": round(time.process_time() - started, 1),
        "epoch_s": round(epoch, 2),
        "threads": n_threads,
    }
    path.write_text(json.dumps(facts, indent=2) + "\n")
    return facts


def _against_tabm(seconds: dict[str, float], recorded: Path, n_threads: int) -> Check:
    name = "fit: times faster than TabM (its recorded fit)"
    if not recorded.exists() or json.loads(recorded.read_text())["threads"] != n_threads:
        return Check(name, None, ">= 10 (run `make bench-tabm` first)", ok=False)
    facts = json.loads(recorded.read_text())
    whole = facts["fit_s"] / facts["epoch_s"] * seconds["tabm_epoch"]
    return at_least(name, whole / seconds["lassoflexnet"], 10)
