"""What a result was made with: packages, machine, data.

Noted in every result by ``execution``; compared by the command line.
"""

import hashlib
import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from lassoflexnet import __version__
from lassoflexnet.bench.results import Result
from lassoflexnet.bench.rows import Table
from lassoflexnet.bench.runs import Run

# Packages whose version may change a result.
PACKAGES = (
    *("torch", "numpy", "scipy", "scikit-learn", "pandas", "optuna"),
    *("xgboost-cpu", "xgboost", "catboost", "lightgbm", "interpret-core", "lassonet"),
    *("pytabkit", "rtdl-revisiting-models", "deepctr-torch", "pytorch-tabnet"),
    *("tabpfn", "tabicl"),
)


def versions() -> dict[str, str]:
    """Versions of Python, of this package, and of what else is installed and may matter."""
    # Our own is not asked of the installation: a source tree has none.
    found = {"python": platform.python_version(), "lassoflexnet": __version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Name of the processor, and number of its cores."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    return {"processor": name, "cores": os.cpu_count()}


def data_sha(table: Table) -> str:
    """Short hash of a table's names, cells and target."""
    found = hashlib.sha256(repr([*map(str, table.X.columns)]).encode())
    for name in table.X:
        cells = table.X[name]
        # Categories by their names: their codes may depend on the reader.
        plain = cells.astype(object) if isinstance(cells.dtype, pd.CategoricalDtype) else cells
        found.update(pd.util.hash_pandas_object(plain, index=False).to_numpy().tobytes())
    found.update(pd.util.hash_pandas_object(pd.Series(table.y), index=False).to_numpy().tobytes())
    return found.hexdigest()[:16]


class DataWatch:
    """Remembers which data results were made from, and notices other data."""

    def __init__(self, finished: Iterable[tuple[Run, Result]]) -> None:
        self.known = {r.dataset: x["data_sha"] for r, x in finished if "data_sha" in x}

    def warning(self, run: Run, result: Result) -> str | None:
        """What is to be said of a new result, once for each data set; None if nothing."""
        now = result.get("data_sha")
        if now is None or self.known.setdefault(run.dataset, now) == now:
            return None
        self.known[run.dataset] = now
        return (
            f"`{run.dataset}` is not the table that earlier results were made from: their "
            "scores cannot be compared. Delete those results, or bring the table back."
        )
