"""Row numbers of the three parts of a split, and what every protocol does with them.

Called by protocols.
"""

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from lassoflexnet.bench.rows import Split, Table

TEST, VALIDATION = 0.2, 0.15
RARE = 10
"""Classes of fewer rows are stratified as if they were one."""


class Parts(NamedTuple):
    """Row numbers of train, validation and test."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def hold_out_parts(table: Table, seed: int) -> Parts:
    """65 % train, 15 % validation, 20 % test; classes in their shares."""
    groups = strata(table)
    rest, test = _two(np.arange(len(table.y)), groups, TEST, seed)
    train, validation = _two(rest, groups, VALIDATION / (1 - TEST), seed)
    return Parts(train, validation, test)


def inner_parts(parts: Parts, table: Table, seed: int) -> Parts:
    """Of the training rows some to validate on; the validation rows in place of the test rows.

    To choose by, so that test rows take no part in a choice.
    """
    train, validation = _two(parts.train, strata(table), VALIDATION / (1 - TEST), seed)
    return Parts(train, validation, parts.validation)


def _two(
    rows: np.ndarray, groups: np.ndarray | None, share: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    stratify = None if groups is None else groups[rows]
    first, second = train_test_split(rows, test_size=share, random_state=seed, stratify=stratify)
    return first, second


def strata(table: Table) -> np.ndarray | None:
    """Groups of rows to spread evenly over the parts: classes, the rare ones together.

    None for regression, and for tables with too few rows to give each class one
    validation row. Common classes alone are left as they are, so the split is the
    published one.
    """
    if table.task == "regression":
        return None
    counts = np.bincount(table.y)
    groups = np.where(counts[table.y] < RARE, -1, table.y)
    if 0 < (groups == -1).sum() < RARE:
        # A group so small cannot be cut twice: it goes with the largest class.
        groups[groups == -1] = counts.argmax()
    _, sizes = np.unique(groups, return_counts=True)
    enough = sizes.min() >= RARE and len(sizes) <= int(VALIDATION * len(groups))
    return groups if enough else None


def capped(parts: Parts, max_train_rows: int | None) -> Parts:
    """At most so many training rows, drawn by seed 0; validation rows in proportion.

    Test rows stay: scores are on the same rows at every cap.
    """
    n_train = len(parts.train)
    if max_train_rows is None or max_train_rows >= n_train:
        return parts
    n_validation = max(1, round(len(parts.validation) * max_train_rows / n_train))
    generator = np.random.default_rng(0)
    return Parts(
        _some(parts.train, max_train_rows, generator),
        _some(parts.validation, n_validation, generator),
        parts.test,
    )


def _some(rows: np.ndarray, number: int, generator: np.random.Generator) -> np.ndarray:
    """Some rows, in the order that they had."""
    return rows[np.sort(generator.choice(len(rows), number, replace=False))]


def standardised(table: Table, train: np.ndarray) -> Table:
    """The table with a numeric target in units of its spread over these rows.

    Protocols hand in all training rows, before any cap, so that the unit is the same at
    every cap.
    """
    if table.task != "regression":
        return table
    mean, std = table.y[train].mean(), table.y[train].std()
    return table._replace(y=(table.y - mean) / (std if std > 0 else 1.0))


def cut(table: Table, parts: Parts, real: tuple[str, ...] = ()) -> Split:
    """Rows of the parts."""
    train, validation, test = (table.at(rows) for rows in parts)
    return Split(train, validation, test, table.task, table.n_classes, real)
