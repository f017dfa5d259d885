"""Carrying out one run: load, split, fit, predict, score.

Called by executors, maybe in another process; gives back a JSON value and never raises. Errors of
single rows, where they are asked for, are an array in it, which is kept in a file of its own.
"""

import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from lassoflexnet.bench.analyses.catalogue import PROTOCOL, make_analysis
from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.protocols.scores import row_errors, score
from lassoflexnet.bench.provenance import data_sha, machine, versions
from lassoflexnet.bench.results import ROW_ERRORS, Result
from lassoflexnet.bench.rows import Rows, Split
from lassoflexnet.bench.runs import Run
from lassoflexnet.bench.settling import settled


class Places(NamedTuple):
    """Folder of data sets; journal file or database URL of searches for settings."""

    data: Path | None = None
    studies: str | None = None


NOWHERE = Places()


def execute(run: Run, places: Places = NOWHERE) -> Result:
    """Result of a run; one that fails is a result too, with its traceback."""
    try:
        with one_thread():
            found = CARRIED_OUT.get(run.protocol, _fit)(run, places)
    except Exception as error:
        found = {
            "status": "failed",
            "error": f"{type(error).__name__}: {error}",
            "traceback": traceback.format_exc(),
        }
    return {"run": run.identity(), **found, "versions": versions(), "machine": machine()}


def _fit(run: Run, places: Places) -> Result:
    """Fit a method to a split and score it."""
    table = load(run.dataset, places.data)
    split = make_protocol(run.protocol, run.case).split(table, run.seed)
    _forget_peak()
    method, tuning = settled(run, table, places.studies)
    started = time.perf_counter()
    fitted = method.fit(split, run.seed)
    trained = time.perf_counter()
    predicted = fitted.predict(split.test.X)
    test = score(split.test.y, predicted, split.task, split.n_classes)
    ended = time.perf_counter()
    return {
        "status": "done",
        "scores": test,
        "validation": (
            {} if fitted.learnt_validation else _scores(fitted, split.validation, split)
        ),
        "n_columns": split.train.X.shape[1],
        "n_rows": [len(part.y) for part in (split.train, split.validation, split.test)],
        **_selection(fitted, split),
        "facts": {**(fitted.facts or {}), **tuning},
        "seconds": {"fit": round(trained - started, 3), "predict": round(ended - trained, 3)},
        "peak_mb": _peak_mb(),
        "data_sha": data_sha(table),
        **(_row_errors(predicted, split) if run.keep_errors else {}),
    }


def _analyse(run: Run, places: Places) -> Result:
    """Carry out an analysis."""
    analysis = make_analysis(run.method, run.settings, run.dataset)
    _forget_peak()
    started = time.perf_counter()
    found = analysis.carry_out(run.seed, places.data)
    return {
        "status": "done",
        **found,
        "validation": {},
        "n_columns": None,
        "seconds": {"fit": round(time.perf_counter() - started, 3), "predict": 0.0},
        "peak_mb": _peak_mb(),
    }


CARRIED_OUT: Mapping[str, Callable[[Run, Places], Result]] = {PROTOCOL: _analyse}
"""How runs of a protocol are carried out, where it is not by fitting a method to a split."""


def _scores(fitted: Fitted, rows: Rows, split: Split) -> dict[str, float]:
    return score(rows.y, fitted.predict(rows.X), split.task, split.n_classes)


def _row_errors(predicted: np.ndarray, split: Split) -> dict[str, np.ndarray]:
    errors = row_errors(split.test.y, predicted, split.task, split.n_classes)
    return {ROW_ERRORS: errors.astype(np.float32)}


def _selection(fitted: Fitted, split: Split) -> dict[str, Any]:
    """What was selected; with its precision and recall where the truth is known."""
    if fitted.selected is None:
        return {}
    kept, real = set(fitted.selected), set(split.real)
    found: dict[str, Any] = {"selected": list(fitted.selected)}
    if real:
        n_right = len(kept & real)
        found["precision"] = n_right / len(kept) if kept else float(not real)
        found["recall"] = n_right / len(real)
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for torch and the linear algebra, whatever was set before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


def _forget_peak() -> None:
    """Make the kernel count the peak from here; only Linux can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_mb() -> float | None:
    """Largest resident memory since the peak was forgotten."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [float(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return float(np.round(peaks[0] / 1024, 1)) if peaks else None
