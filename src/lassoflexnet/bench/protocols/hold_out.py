"""The plainest protocol: another random split for every seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lassoflexnet.bench.protocols.base import SplitProtocol, check_rows
from lassoflexnet.bench.protocols.parts import capped, cut, hold_out_parts, standardised
from lassoflexnet.bench.protocols.scores import BY_LOSS, Headline
from lassoflexnet.bench.rows import Split, Table, Task


@dataclass(frozen=True)
class HoldOut(SplitProtocol):
    """65/15/20 by the run's seed; a numeric target in units of its spread over training rows.

    Attributes
    ----------
    max_train_rows : int or None
        Train on a random subset, and validate on one in proportion.
    """

    max_train_rows: int | None = None
    scores: ClassVar[Mapping[Task, Headline]] = BY_LOSS
    splits_by_seed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_rows("max_train_rows", self.max_train_rows)

    def split(self, table: Table, seed: int) -> Split:
        """Cut the table by this seed."""
        parts = hold_out_parts(table, seed)
        return cut(standardised(table, parts.train), capped(parts, self.max_train_rows))
