"""Sizes that follow the number of training rows, when the user leaves them "auto" (or "fine").

``verbose`` prints what they gave. Few rows want few bins and a small, strongly regularised
network; many rows want large batches. Two more rules in the number of rows stand where they are
used: rows that members are stopped on (``training/members.py``), and columns that pass screening
(``training/screening.py``).
"""

import math
from collections.abc import Callable
from typing import Any

# Several networks predict; one on half of the rows says little of what they can do, least of all
# below the first of these. From the second on, time was thought dearer; that was not measured.
FEW_ROWS, MANY_ROWS = 2000, 50_000


def n_bins(n_rows: int) -> int:
    """One bin per 40 training rows, from 4 to 48.

    >>> [n_bins(n) for n in (100, 600, 13_416)]
    [4, 15, 48]
    """
    return _bins(n_rows, most=48)


def fine_bins(n_rows: int) -> int:
    """One bin per 40 training rows, from 4 to 96.

    >>> [fine_bins(n) for n in (100, 600, 13_416)]
    [4, 15, 96]
    """
    return _bins(n_rows, most=96)


def _bins(n_rows: int, most: int) -> int:
    return min(max(n_rows // 40, 4), most)


def d_hidden(n_rows: int) -> int:
    """32 units, and 32 more for every 320 training rows beyond 800, up to 256.

    >>> [d_hidden(n) for n in (300, 1_200, 2_000, 13_416)]
    [32, 64, 128, 256]
    """
    return min(32 + 32 * (max(n_rows - 800, 0) // 320), 256)


def dropout(n_rows: int) -> float:
    """Falls by 0.2 per power of ten: 0.3 up to 1,000 training rows, 0.1 from 10,000.

    >>> [round(dropout(n), 2) for n in (300, 3_162, 200_000)]
    [0.3, 0.2, 0.1]
    """
    return min(max(0.9 - 0.2 * math.log10(n_rows), 0.1), 0.3)


def embedding_dropout(n_rows: int) -> float:
    """Falls by 0.3 per power of ten: 0.15 up to 1,000 training rows, none from 3,162.

    >>> [round(embedding_dropout(n), 2) for n in (300, 2_000, 200_000)]
    [0.15, 0.06, 0.0]
    """
    return min(max(1.05 - 0.3 * math.log10(n_rows), 0.0), 0.15)


def batch_size(n_rows: int) -> int:
    """A tenth of the training rows, 32 to 64; then about 26 steps an epoch, up to 512 rows.

    Beyond 131,072 rows 256 steps, up to 4,096 rows.

    >>> [batch_size(n) for n in (100, 600, 2_000, 13_416, 1_000_000)]
    [32, 60, 76, 512, 3906]
    """
    few = min(max(n_rows / 26, min(n_rows / 10, 64), 32), 512)
    return math.floor(max(few, min(n_rows / 256, 4096)))


def max_epochs(n_rows: int) -> int:
    """Epochs that make about 600 steps, from 30 to 100.

    >>> [max_epochs(n) for n in (100, 600, 13_416, 1_000_000)]
    [100, 60, 30, 30]
    """
    return min(max(round(600 * batch_size(n_rows) / n_rows), 30), 100)


def max_epochs_per_lambda(n_rows: int) -> int:
    """Epochs that make about 104 steps, from 1 to 8.

    A lambda needs steps to take effect.

    >>> [max_epochs_per_lambda(n) for n in (300, 3_000, 13_416, 1_000_000)]
    [8, 4, 4, 1]
    """
    return min(max(math.ceil(104 * batch_size(n_rows) / n_rows), 1), 8)


def n_deals(n_rows: int) -> int:
    """How often rows are dealt out to the halves by which supports are compared.

    >>> [n_deals(n) for n in (600, 13_416, 1_000_000)]
    [3, 2, 1]
    """
    return 1 + (n_rows < FEW_ROWS) + (n_rows < MANY_ROWS)


RULES: dict[str, Callable[[int], float]] = {
    "n_bins": n_bins,
    "d_hidden": d_hidden,
    "dropout": dropout,
    "embedding_dropout": embedding_dropout,
    "batch_size": batch_size,
    "max_epochs": max_epochs,
    "max_epochs_per_lambda": max_epochs_per_lambda,
}
"""Argument -> what "auto" means for it."""

FINE_RULES: dict[str, Callable[[int], float]] = {"n_bins": fine_bins}
"""Argument -> what "fine" means for it."""

_WORDS = {"auto": RULES, "fine": FINE_RULES}


def ruled(arguments: dict[str, Any], n_rows: int) -> dict[str, float]:
    """Sizes that rules have to say, since the arguments hold a word."""
    return {
        name: rule(n_rows)
        for word, rules in _WORDS.items()
        for name, rule in rules.items()
        if arguments[name] == word
    }


def settled(arguments: dict[str, Any], n_rows: int) -> dict[str, Any]:
    """Arguments with a number in place of every word that stands for a size."""
    return {**arguments, **ruled(arguments, n_rows)}
