"""Extraneous columns of the feature-selection benchmark (Cherepanova et al., 2023).

Called by protocols, for the whole table and before it is split. The generator always
starts from 0, so a table, a kind and a share give one set of columns.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown

Draw = Callable[[np.ndarray, int, np.random.RandomState], np.ndarray]


class Kind(NamedTuple):
    """How columns are named, and drawn: real columns (n, d), number -> (n, number)."""

    prefix: str
    draw: Draw


def n_added(n_columns: int, share: float) -> int:
    """Number of columns to add, for them to be this share of all columns.

    >>> n_added(8, 0.5), n_added(8, 0.75), n_added(8, 0.0)
    (8, 24, 0)
    """
    return int(n_columns / (1 - share) * share)


def sources(n_columns: int, number: int, generator: np.random.RandomState) -> np.ndarray:
    """Draw columns with replacement: always nine for each, so fewer are the first of more."""
    most = int(n_columns / 0.1 * 0.9)
    return generator.choice(n_columns, most, replace=True)[:number]


def random_columns(real: np.ndarray, number: int, generator: np.random.RandomState) -> np.ndarray:
    """Standard normal numbers."""
    return generator.standard_normal((len(real), number))


def corrupted_columns(
    real: np.ndarray, number: int, generator: np.random.RandomState
) -> np.ndarray:
    """Half a real column, half normal noise of its spread."""
    copies = real[:, sources(real.shape[1], number, generator)]
    noise = generator.standard_normal(copies.shape) * np.nanstd(copies, axis=0)
    return 0.5 * copies + 0.5 * noise


def secondorder_columns(
    real: np.ndarray, number: int, generator: np.random.RandomState
) -> np.ndarray:
    """Products of two real columns, or of one with itself."""
    first = sources(real.shape[1], number, generator)
    second = sources(real.shape[1], number, generator)
    return real[:, first] * real[:, second]


KINDS = {
    "random": Kind("noise", random_columns),
    "corrupted": Kind("corrupted", corrupted_columns),
    "secondorder": Kind("secondorder", secondorder_columns),
}
NONE = "none"


def with_added(
    X: pd.DataFrame, kind: str, share: float, *, count_nominal: bool = False
) -> pd.DataFrame:
    """Append columns until they are ``share`` of all numeric ones; share 0 appends none.

    Nominal columns are never copied. They are not counted either, as published, unless
    ``count_nominal`` makes it the share of all columns.
    """
    check_added(kind, share)
    real = X.select_dtypes("number").to_numpy(dtype=float, na_value=np.nan)
    n_columns = X.shape[1] if count_nominal else real.shape[1]
    number = 0 if kind == NONE else n_added(n_columns, share)
    if number == 0:
        return X
    prefix, draw = KINDS[kind]
    values = draw(real, number, np.random.RandomState(0))
    if values.shape[1] < number:
        raise InvalidInput(
            f"{number} {kind} columns are asked for, but {real.shape[1]} numeric columns make "
            f"{values.shape[1]}. Lower `share`, or add random columns."
        )
    names = [f"{prefix}_{i}" for i in range(number)]
    return pd.concat([X, pd.DataFrame(values, columns=names, index=X.index)], axis=1)


MOST_MADE = 0.9


def check_added(kind: str, share: float) -> None:
    """Raise unless there are such columns."""
    if kind not in (NONE, *KINDS):
        raise unknown("`added`", str(kind), (NONE, *KINDS))
    if not isinstance(share, int | float) or not 0 <= share < 1:
        raise InvalidInput(f"`share` is {share!r}. Use a number from 0 to below 1.")
    # Columns made from real ones are drawn nine times as often as there are real ones.
    if kind not in (NONE, "random") and share > MOST_MADE:
        raise InvalidInput(f"`share` is {share!r}. Use at most {MOST_MADE} for `{kind}` columns.")
