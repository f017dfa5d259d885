"""From a frame as published to a table: columns dropped, target coded, rows with a target.

Called by every source that has a frame.
"""

import numpy as np
import pandas as pd

from lassoflexnet.bench.data.cards import Card
from lassoflexnet.bench.data.times import time_order
from lassoflexnet.bench.rows import Table, Task
from lassoflexnet.exceptions import InvalidInput


def to_table(frame: pd.DataFrame, card: Card) -> Table:
    """Make a table of what a card describes; rows keep their order."""
    absent = [name for name in (card.target, *card.drop) if name not in frame]
    if absent:
        raise InvalidInput(
            f"`{card.name}` has no column `{absent[0]}`, though its card names it. "
            "Correct `target` or `drop` of the card."
        )
    frame = frame[frame[card.target].notna()].reset_index(drop=True)
    time = time_order(frame, card.time_order)
    columns = frame.drop(columns=[card.target, *card.drop])
    X = plain_numbers(columns.drop(columns=list(time.hidden), errors="ignore"))
    return Table(card.name, X, coded(frame[card.target], card.task), card.task, time.values)


def plain_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Numbers with pandas' own missing value -> float64 with NaN, which every method takes."""
    special = {
        name: "float64"
        for name, kind in X.dtypes.items()
        if pd.api.types.is_extension_array_dtype(kind) and pd.api.types.is_numeric_dtype(kind)
    }
    return X.astype(special)


def coded(target: pd.Series, task: Task) -> np.ndarray:
    """Numbers as float64, or labels as 0, 1, ... in the order of their text.

    >>> coded(pd.Series(["no", "yes", "no"]), "binary")
    array([0, 1, 0])
    >>> coded(pd.Series([10, 9, 1]), "multiclass")
    array([1, 2, 0])
    """
    if task == "regression":
        return target.to_numpy(dtype=float)
    return np.unique(target.astype(str).to_numpy(dtype=object), return_inverse=True)[1]
