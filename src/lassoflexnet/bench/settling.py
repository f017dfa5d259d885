"""The method of a run, its settings searched for first where the run asks for that.

Called by ``execution``.
"""

import time
from typing import Any

from lassoflexnet.bench.methods.base import Method
from lassoflexnet.bench.methods.catalogue import make_method, read_method
from lassoflexnet.bench.methods.tuned import Tuned
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.rows import Table
from lassoflexnet.bench.runs import Run, digest
from lassoflexnet.tuning import StudySettings


def settled(run: Run, table: Table, studies: str | None) -> tuple[Method, dict[str, Any]]:
    """The run's method, ready to fit; and what a search found.

    Parameters
    ----------
    run, table
        What to fit, to which data set.
    studies : str or None
        Journal file or database URL: a search that was stopped goes on, and runs that share
        a search share its trials. None keeps nothing.
    """
    method = read_method(run.method, run.settings)
    return _tuned(method, run, table, studies) if isinstance(method, Tuned) else (method, {})


def _tuned(
    tuned: Tuned, run: Run, table: Table, studies: str | None
) -> tuple[Method, dict[str, Any]]:
    case = {**run.case, **tuned.on}
    protocol = make_protocol(run.protocol, case)
    # As published, one search serves all seeds; unless a seed has test rows of its own.
    seed = run.seed if protocol.splits_by_seed else 0
    name = digest({**run.identity(), "case": case, "seed": seed})
    settings = StudySettings(tuned.n_trials, storage=studies, name=name, random_state=seed)
    split = protocol.split(table, seed)
    started = time.perf_counter()
    found = tuned.search(split, make_method, settings)
    facts = {
        "params": found.best_params,
        "n_trials": len(found.trials),
        "search_s": round(time.perf_counter() - started, 3),
    }
    return tuned.with_settings(found.best_params, make_method), {"tuning": facts}
