"""Small folders of data sets for tests of sources."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def write_set(folder: Path, frame: pd.DataFrame, **card: Any) -> dict[str, Any]:
    """Put a Parquet file and its line into a folder; give back the card."""
    path = folder / card.setdefault("file", f"{card['name']}.parquet")
    frame.to_parquet(path)
    card.setdefault("sha256", hashlib.sha256(path.read_bytes()).hexdigest())
    with (folder / "cards.jsonl").open("a") as file:
        file.write(json.dumps({"rows": len(frame), **card}) + "\n")
    return card


def write_tabred(place: Path, n_rows: int = 60, task: str | None = "regression") -> dict:
    """Put arrays in TabReD's layout into a folder; give back what they hold."""
    rng = np.random.default_rng(1)
    arrays = {
        "X_num": rng.standard_normal((n_rows, 3)).astype("float32"),
        "X_bin": rng.integers(0, 2, (n_rows, 1)).astype("float32"),
        "X_cat": rng.integers(0, 4, (n_rows, 2)),
        "X_meta": np.arange(n_rows)[:, None],
        "Y": rng.standard_normal(n_rows).astype("float32"),
    }
    if task == "binclass":
        arrays["Y"] = rng.integers(0, 2, n_rows).astype("uint64")
    place.mkdir(parents=True)
    for name, values in arrays.items():
        np.save(place / f"{name}.npy", values)
    if task is not None:
        (place / "info.json").write_text(json.dumps({"name": place.name, "task_type": task}))
    return arrays


def write_split(folder: Path, parts: tuple[list[int], list[int], list[int]]) -> None:
    """Put the row numbers of a split into a folder."""
    folder.mkdir(parents=True)
    for name, rows in zip(("train", "val", "test"), parts, strict=True):
        np.save(folder / f"{name}_idx.npy", np.array(rows))
