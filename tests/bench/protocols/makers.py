"""Small tables for tests of protocols; column ``row`` says which row a row was."""

from itertools import chain

import numpy as np
import pandas as pd

from lassoflexnet.bench.rows import Split, Table


def numbers(n_rows: int = 200, *, time: np.ndarray | None = None) -> Table:
    """A table with a numeric target."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"row": np.arange(n_rows, dtype=float), "x": rng.standard_normal(n_rows)})
    return Table("numbers", X, 50 + 7 * rng.standard_normal(n_rows), "regression", time)


def classes(counts: list[int]) -> Table:
    """A table with so many rows of each class, shuffled."""
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    X = pd.DataFrame({"row": np.arange(len(y), dtype=float), "x": np.sin(np.arange(len(y)))})
    return Table("classes", X, y, "binary" if len(counts) == 2 else "multiclass")


def rows_of(split: Split) -> list[list[int]]:
    """Row numbers of the parts, in their order."""
    return [part.X["row"].astype(int).tolist() for part in split[:3]]


def assert_cut(table: Table, split: Split) -> None:
    """Every row is in one part, and still has its cells and its class."""
    parts = rows_of(split)
    assert sorted(chain(*parts)) == list(range(len(table.y)))
    for rows, part in zip(parts, split[:3], strict=True):
        np.testing.assert_array_equal(part.X["x"], table.X["x"].to_numpy()[rows])
        assert part.X.index.tolist() == list(range(len(rows)))
        if table.task != "regression":
            np.testing.assert_array_equal(part.y, table.y[rows])
