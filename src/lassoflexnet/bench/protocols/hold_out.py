"""The plainest protocol: another random split for every seed, maybe with columns added.

Experiments use it, and the search for settings of a user's own table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lassoflexnet.bench.data.added import check_added, with_added
from lassoflexnet.bench.protocols.base import SplitProtocol, check_rows
from lassoflexnet.bench.protocols.parts import (
    capped,
    cut,
    hold_out_parts,
    inner_parts,
    standardised,
)
from lassoflexnet.bench.protocols.scores import BY_LOSS, Headline
from lassoflexnet.bench.rows import Split, Table, Task


@dataclass(frozen=True)
class HoldOut(SplitProtocol):
    """65/15/20 by the run's seed; a numeric target in units of its spread over training rows.

    Attributes
    ----------
    max_train_rows : int or None
        Train on a random subset, and validate on one in proportion.
    added : {"none", "random", "corrupted", "secondorder"}
        Kind of the columns that are appended; the same ones for every seed.
    share : float
        Their share of all columns then, nominal ones too; 0 appends none.
    inner : bool
        Leave the test rows out: score on the validation rows, and validate on some of the
        training rows. Settings are chosen so.
    """

    max_train_rows: int | None = None
    added: str = "none"
    share: float = 0.5
    inner: bool = False
    scores: ClassVar[Mapping[Task, Headline]] = BY_LOSS
    splits_by_seed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_rows("max_train_rows", self.max_train_rows)
        check_added(self.added, self.share)

    def split(self, table: Table, seed: int) -> Split:
        """Append columns to the whole table, then cut it by this seed."""
        wide = with_added(table.X, self.added, self.share, count_nominal=True)
        has_more = wide.shape[1] > table.X.shape[1]
        real = tuple(str(name) for name in table.X.columns) if has_more else ()
        parts = hold_out_parts(table, seed)
        table = standardised(table._replace(X=wide), parts.train)
        if self.inner:
            parts = inner_parts(parts, table, seed)
        return cut(table, capped(parts, self.max_train_rows), real)
