"""TabReD's own folders: arrays of columns, the target, and the splits that came with them.

A source of the registry, and the facts about the eight data sets that protocols need.
Rows are in the order of time there.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.bench.rows import Table, Task
from lassoflexnet.exceptions import InvalidInput

PARTS = ("train", "val", "test")
TASKS: dict[str, Task] = {
    "regression": "regression",
    "binclass": "binary",
    "multiclass": "multiclass",
}


class Facts(NamedTuple):
    """Task of a data set, and the rows of each validation and test window."""

    task: Task
    window_rows: int


TABRED = {
    "homesite-insurance": Facts("binary", 20_000),
    "ecom-offers": Facts("binary", 20_000),
    "homecredit-default": Facts("binary", 50_000),
    "sberbank-housing": Facts("regression", 4_500),
    "cooking-time": Facts("regression", 40_000),
    "delivery-eta": Facts("regression", 40_000),
    "maps-routing": Facts("regression", 60_000),
    "weather": Facts("regression", 40_000),
}


@dataclass(frozen=True)
class TabredFolder:
    """A folder of TabReD's data sets, each in a folder of its name; or one of those."""

    folder: Path

    def names(self) -> tuple[str, ...]:
        """Names of the folders that hold a target."""
        return tuple(self._places())

    def load(self, name: str) -> Table:
        """Read the arrays, and the splits that lie beside them."""
        place = self._places()[name]
        task = _task(place, name)
        y = np.load(place / "Y.npy").reshape(-1)
        y = y.astype(float if task == "regression" else int)
        time = np.arange(len(y), dtype=float)
        return Table(name, _columns(place, len(y)), y, task, time, _splits(place))

    def _places(self) -> dict[str, Path]:
        places = (self.folder, *sorted(p for p in self.folder.iterdir() if p.is_dir()))
        return {place.resolve().name: place for place in places if (place / "Y.npy").exists()}


def _task(place: Path, name: str) -> Task:
    if (place / "info.json").exists():
        given = json.loads((place / "info.json").read_text())["task_type"]
        if given in TASKS:
            return TASKS[given]
    if name in TABRED:
        return TABRED[name].task
    raise InvalidInput(
        f"`{place}` does not say its task. Put an `info.json` there with `task_type`: "
        f"one of {', '.join(TASKS)}."
    )


def _columns(place: Path, n_rows: int) -> pd.DataFrame:
    """Numbers and flags as they are, categories as such; timestamps are no columns."""
    frames = [
        _frame(place, "num", None),
        _frame(place, "bin", None),
        _frame(place, "cat", "category"),
    ]
    found = pd.concat([frame for frame in frames if frame is not None], axis=1)
    if len(found) != n_rows:
        raise InvalidInput(f"`{place}`: columns have {len(found)} rows, the target {n_rows}.")
    return found


def _frame(place: Path, kind: str, dtype: str | None) -> pd.DataFrame | None:
    path = place / f"X_{kind}.npy"
    if not path.exists():
        return None
    values = np.load(path)
    names = [f"{kind}_{i}" for i in range(values.shape[1])]
    frame = pd.DataFrame(values, columns=names)
    return frame if dtype is None else frame.astype(str).astype(dtype)


def _splits(place: Path) -> dict[str, tuple[np.ndarray, ...]]:
    """Rows of train, validation and test by the name of the split."""
    inside = {path.name: path for path in place.glob("splits/*") if path.is_dir()}
    # Folders that TabReD's own preprocessing has just written are named so.
    beside = {path.name.removeprefix("split-"): path for path in place.glob("split-*")}
    return {name: _parts(path) for name, path in {**inside, **beside}.items()}


def _parts(split: Path) -> tuple[np.ndarray, ...]:
    found = []
    for part in PARTS:
        paths = [split / f"{part}_idx.npy", split / f"{part}.npy"]
        here = [path for path in paths if path.exists()]
        if not here:
            raise InvalidInput(f"`{paths[0]}` does not exist. A split needs {', '.join(PARTS)}.")
        found.append(np.load(here[0]).astype(int))
    return tuple(found)
