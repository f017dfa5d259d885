"""Small tables, the same one in every make, and a short way to fit an encoder.

Used by the tests of the table package.
"""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import torch

from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from lassoflexnet.table.fitted import FittedEncoding
from lassoflexnet.table.schema import infer_schema
from lassoflexnet.table.table_encoder import FittedTable, TableEncoder

Cells = dict[str, list[Any]]


def mixed(n: int = 60, seed: int = 0) -> Cells:
    """Cells of every kind, each kind with a missing one."""
    rng = np.random.default_rng(seed)
    cells: Cells = {
        "age": rng.integers(18, 90, n).tolist(),
        "income": rng.lognormal(10, 1, n).tolist(),
        "owner": (rng.random(n) < 0.4).tolist(),
        "town": rng.choice(["Ulm", "Bonn", "Kiel"], n).tolist(),
        "born": [date(1950 + int(k), 1 + int(k) % 12, 7) for k in rng.integers(0, 50, n)],
        "seen": [datetime(2024, 1, 1 + int(k) % 28, int(k) % 24) for k in rng.integers(0, 500, n)],
        "same": [7.0] * n,
        "none": [None] * n,
    }
    for at, name in enumerate(("income", "owner", "town", "born", "seen")):
        cells[name][at] = None
    return cells


def as_pandas(cells: Cells) -> pd.DataFrame:
    return pd.DataFrame(cells)


def as_polars(cells: Cells) -> pl.DataFrame:
    return pl.DataFrame(cells)


def as_arrow(cells: Cells) -> pa.Table:
    return pa.table(cells)


def as_objects(cells: Cells) -> np.ndarray:
    return np.array(list(cells.values()), dtype=object).T


def as_lists(cells: Cells) -> list[list[Any]]:
    return [list(row) for row in zip(*cells.values(), strict=True)]


FRAMES: list[Callable[[Cells], Any]] = [as_pandas, as_polars, as_arrow]
MAKES: list[Callable[[Cells], Any]] = [*FRAMES, as_objects, as_lists]


def fit_table(
    X: Any, y: np.ndarray | None = None, encoder: TableEncoder | None = None, **options: Any
) -> FittedTable:
    """Infer the schema and fit, to a target that depends on nothing unless it is given."""
    schema = infer_schema(X, options.pop("categorical_features", "auto"))
    n_rows = schema.read(X)[0]
    target = np.random.default_rng(1).normal(size=n_rows) if y is None else y
    options = {"is_classification": False, "rng": np.random.default_rng(2), **options}
    return (encoder or TableEncoder()).fit(X, schema, target, **options)


def dense_piece(piece: FittedEncoding, x: np.ndarray) -> np.ndarray:
    """Vectors a single piece's code stands for: (n, k)."""
    slot, fraction = piece(x)
    layout = CodeLayout((0,), (0,), (piece.n_ordered,), (piece.n_slots,))
    codes = Codes(torch.from_numpy(slot)[None], torch.from_numpy(fraction)[None])
    return dense_codes(codes, layout)[0].numpy()
