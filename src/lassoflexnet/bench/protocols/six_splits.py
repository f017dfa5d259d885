"""TabReD's six splits (Rubachev et al., 2024): three windows in time, three at random.

For TabReD's own data sets, and for any table whose rows have an order in time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lassoflexnet.bench.data.tabred import TABRED
from lassoflexnet.bench.protocols.base import (
    SplitProtocol,
    check_number,
    check_rows,
    check_word,
)
from lassoflexnet.bench.protocols.parts import Parts, capped, cut
from lassoflexnet.bench.protocols.scores import BY_AUC, Headline
from lassoflexnet.bench.rows import Split, Table, Task
from lassoflexnet.exceptions import InvalidInput

N_WINDOWS = 3
SHARE = 10
"""A window has a tenth of the rows, unless something else is said or published."""


@dataclass(frozen=True)
class SixSplits(SplitProtocol):
    """Rows in the order of time; a window of training, validation and test rows slides on.

    With n rows and N test rows the first window trains on the first n - 4N rows, validates
    on the next N and tests on the N after them; each further window starts N rows later.
    A random split has the rows of its window, shuffled and cut into the same sizes. Splits
    that came with a table are used as they are, unless ``test_rows`` is given. The run's
    seed changes nothing here. A numeric target stays in its own units, as TabReD has it.

    Attributes
    ----------
    kind : {"sliding_window", "random"}
        In time, or shuffled.
    window : int
        Which window, 0 to 2.
    test_rows : int or None
        N; None takes TabReD's own number for its data sets, and a tenth of the rows for others.
    max_train_rows : int or None
        Train on a random subset, and validate on one in proportion. Windows in time are
        thinned alike, not cut to their last rows, so that the two kinds of split stay alike.
    """

    kind: str = "sliding_window"
    window: int = 0
    test_rows: int | None = None
    max_train_rows: int | None = None
    scores: ClassVar[Mapping[Task, Headline]] = BY_AUC

    def __post_init__(self) -> None:
        check_word("kind", self.kind, tuple(_KINDS))
        check_number("window", self.window, N_WINDOWS)
        check_rows("test_rows", self.test_rows)
        check_rows("max_train_rows", self.max_train_rows)

    def split(self, table: Table, seed: int) -> Split:  # noqa: ARG002
        """Take the split that came with the table, or make it."""
        name = f"{self.kind.replace('_', '-')}-{self.window}"
        shipped = table.splits or {}
        if name in shipped and self.test_rows is None:
            parts = Parts(*shipped[name])
        else:
            parts = self._made(table)
        return cut(table, capped(parts, self.max_train_rows))

    def _made(self, table: Table) -> Parts:
        order = _in_time(table)
        n_test = self.test_rows or _test_rows(table)
        n_train = len(order) - (N_WINDOWS + 1) * n_test
        if n_train < 1 or n_test < 1:
            raise InvalidInput(
                f"`{table.name}` has {len(order)} rows: too few for windows of {n_test} test "
                f"rows. Use a `test_rows` below {(len(order) + 3) // 4}."
            )
        rows = _KINDS[self.kind](order, n_train + 2 * n_test, n_test, self.window)
        return Parts(*np.split(rows, [n_train, n_train + n_test]))


def _in_time(table: Table) -> np.ndarray:
    if table.time is None:
        raise InvalidInput(
            f"`{table.name}` has no order in time. Use a data set that has one, give its card "
            "a `time_order`, or take another protocol."
        )
    return np.argsort(table.time, kind="stable")


def _test_rows(table: Table) -> int:
    return TABRED[table.name].window_rows if table.name in TABRED else len(table.y) // SHARE


def _in_order(order: np.ndarray, length: int, step: int, window: int) -> np.ndarray:
    return order[window * step : window * step + length]


def _shuffled(order: np.ndarray, length: int, step: int, window: int) -> np.ndarray:
    # One generator goes through the windows in turn: the last depends on those before.
    generator = np.random.RandomState(0)
    for number in range(window + 1):
        rows = _in_order(order, length, step, number).copy()
        generator.shuffle(rows)
    return rows


_KINDS = {"sliding_window": _in_order, "random": _shuffled}
