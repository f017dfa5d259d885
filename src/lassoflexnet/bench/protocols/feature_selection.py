"""The protocol of the feature-selection benchmark (Cherepanova et al., 2023).

Also the one of the README's table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from lassoflexnet.bench.data.added import check_added, with_added
from lassoflexnet.bench.protocols.base import SplitProtocol, check_rows
from lassoflexnet.bench.protocols.parts import capped, cut, hold_out_parts, standardised
from lassoflexnet.bench.protocols.scores import BY_ACCURACY, Headline
from lassoflexnet.bench.rows import Split, Table, Task

# As published: these are standardised, all others are brought to normal quantiles.
STANDARD = {"aloi", "covertype", "covertype_93k", "eye_movements", "helena"}


@dataclass(frozen=True)
class FeatureSelection(SplitProtocol):
    """Extraneous columns, then 65/15/20 by seed 0: the run's seed changes nothing here.

    A numeric target is in units of its spread over the training rows. Columns of text
    that hold nothing but numbers are numbers, since the benchmark's tables are numeric.

    Attributes
    ----------
    added : {"none", "random", "corrupted", "secondorder"}
        Kind of the columns that are appended.
    share : float
        Their share of all columns then; 0 appends none.
    max_train_rows : int or None
        Train on a random subset, and validate on one in proportion.
    """

    added: str = "none"
    share: float = 0.5
    max_train_rows: int | None = None
    scores: ClassVar[Mapping[Task, Headline]] = BY_ACCURACY

    def __post_init__(self) -> None:
        check_added(self.added, self.share)
        check_rows("max_train_rows", self.max_train_rows)

    def split(self, table: Table, seed: int) -> Split:  # noqa: ARG002
        """Append columns to the whole table, then cut it."""
        numeric = as_numbers(table.X)
        wide = with_added(numeric, self.added, self.share)
        parts = hold_out_parts(table, seed=0)
        table = standardised(table._replace(X=wide), parts.train)
        has_more = wide.shape[1] > numeric.shape[1]
        real = tuple(str(name) for name in numeric.columns) if has_more else ()
        split = cut(table, capped(parts, self.max_train_rows), real)
        scaling = "standard" if table.name in STANDARD else "quantile"
        return split._replace(scaling=scaling, stopping="score")


def as_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Read columns of text or categories as numbers where every cell is one."""
    found = {}
    for name, column in X.items():
        kind = column.dtype
        if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind):
            continue
        numbers = pd.to_numeric(column.astype(object), errors="coerce")
        if numbers.isna().sum() == column.isna().sum():
            found[str(name)] = numbers.astype(float)
    return X.assign(**found)
