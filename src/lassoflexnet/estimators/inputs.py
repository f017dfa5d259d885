"""Forms and lengths of what the user hands to ``fit``: weights, validation rows.

Called by the reader.
"""

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.table.doubts import warn_caller
from lassoflexnet.table.frames import as_table

FEW_ROWS = 50
"""Training rows below which ``fit`` warns."""


class EvalSet(NamedTuple):
    """Validation table, target and weights."""

    X: Any
    y: Any
    sample_weight: Any


def read_eval_set(eval_set: Any) -> EvalSet:
    """Check the form of ``eval_set``: (X, y), (X, y, sample_weight) or a list of one such."""
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        size = f" of length {len(eval_set)}" if isinstance(eval_set, Sized) else ""
        raise InvalidInput(
            f"it is a {type(eval_set).__name__}{size}. "
            "Use a tuple (X_val, y_val) or (X_val, y_val, sample_weight)."
        )
    return EvalSet(eval_set[0], eval_set[1], eval_set[2] if len(eval_set) == 3 else None)


def warn_of_names(X: Any) -> None:
    """Say that names go unread: the model was fitted on a table without."""
    if type(X) is not np.ndarray and as_table(X).names is not None:
        warn_caller(
            "X has column names, but the model was fitted on a table without: columns are taken "
            "by position. Fit on named columns to have them matched."
        )


def warn_of_few_rows(n_rows: int) -> None:
    """Say that columns cannot be told apart on so few training rows."""
    if n_rows < FEW_ROWS:
        plural = "" if n_rows == 1 else "s"
        warn_caller(
            f"fit has {n_rows} training row{plural}, fewer than {FEW_ROWS}: which columns are kept "
            "is mostly chance, and so may predictions be. Add rows, or use a regularised linear "
            "model."
        )


def warn_of_nothing_kept(n_selected: int) -> None:
    """Say that a model without columns predicts a constant."""
    if n_selected == 0:
        warn_caller(
            "no column is kept: the model predicts a constant. Either no column predicts the "
            "target, or the path jumped over the few columns asked for: then raise `n_lambdas`."
        )


@contextmanager
def naming(argument: str) -> Iterator[None]:
    """Say in errors which argument was being read, since X and y have others' names too."""
    try:
        yield
    except (InvalidInput, SchemaMismatch) as error:
        raise type(error)(f"`{argument}`: {error}") from error


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Weights as float64 (n,); None is all ones."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput("`sample_weight` is not numeric. Pass one number per row.") from error
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise InvalidInput(
            f"`sample_weight` has {weight.ndim} dimensions. Sample weights must be 1D."
        )
    check_lengths(n_rows, len(weight), "sample_weight")
    if not np.isfinite(weight).all():
        raise InvalidInput("`sample_weight` holds NaN or infinity. Use finite numbers.")
    if (weight < 0).any():
        raise InvalidInput(
            f"`sample_weight` has negative values (first at row {int((weight < 0).argmax())}). "
            "Use weights of 0 or more."
        )
    if not weight.any():
        raise InvalidInput("`sample_weight` is zero for every row. Give some row a positive one.")
    return weight


def check_lengths(n_rows: int, n_other: int, name: str) -> None:
    """Raise unless X and the other have the same number of rows."""
    if n_rows != n_other:
        raise InvalidInput(
            f"X has {n_rows} rows and `{name}` has {n_other}: inconsistent numbers of samples. "
            "Pass one value per row."
        )
