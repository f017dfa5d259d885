"""The argument ``categorical_features``: which columns the user calls categorical.

Called once by schema inference.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput

CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | np.ndarray

_ALLOWED = 'it may be "auto", a list of column names, a list of indices, or a boolean mask'


def declared_categorical(
    given: CategoricalFeatures, names: tuple[str, ...] | None, n_columns: int
) -> np.ndarray:
    """Mask of the columns declared categorical: (d,).

    Parameters
    ----------
    given : "auto", list of str, list of int, or mask of shape (d,)
        The argument as the user gave it; "auto" declares none.
    names : tuple of str or None
        Column names of the table.
    n_columns : int
        Number of columns, d.
    """
    if isinstance(given, str) and given == "auto":
        return np.zeros(n_columns, dtype=bool)
    array = np.asarray(given)
    if array.ndim != 1:
        raise InvalidInput(f"`categorical_features` is {given!r}; {_ALLOWED}.")
    if array.size == 0:
        return np.zeros(n_columns, dtype=bool)
    if array.dtype.kind not in _BY_DTYPE:
        raise InvalidInput(f"`categorical_features` holds {array.dtype}; {_ALLOWED}.")
    return _BY_DTYPE[array.dtype.kind](array, names, n_columns)


def _from_mask(mask: np.ndarray, _: Any, n_columns: int) -> np.ndarray:
    if len(mask) != n_columns:
        raise InvalidInput(
            f"`categorical_features` is a mask of length {len(mask)}, and X has {n_columns} "
            "columns. Give one entry per column."
        )
    return mask


def _from_indices(index: np.ndarray, _: Any, n_columns: int) -> np.ndarray:
    outside = index[(index < 0) | (index >= n_columns)]
    if outside.size:
        raise InvalidInput(
            f"`categorical_features` holds index {outside[0]}, and X has {n_columns} columns. "
            f"Use indices from 0 to {n_columns - 1}."
        )
    return np.isin(np.arange(n_columns), index)


def _from_names(array: np.ndarray, names: tuple[str, ...] | None, _: int) -> np.ndarray:
    if names is None:
        raise InvalidInput(
            "`categorical_features` holds names, and the columns of X have none. "
            "Pass indices or a mask."
        )
    unknown = [str(name) for name in array if name not in names]
    if unknown:
        raise InvalidInput(
            f"`categorical_features` names {_quoted(unknown)}, and X has no such column. "
            f"Choose among {_quoted(names)}."
        )
    return np.isin(np.array(names, dtype=object), array.astype(object))


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_BY_DTYPE: dict[str, Callable[[np.ndarray, Any, int], np.ndarray]] = {
    "b": _from_mask,
    "i": _from_indices,
    "u": _from_indices,
    "U": _from_names,
    "O": _from_names,
}
