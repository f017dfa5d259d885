"""The target as other packages want it, and their predictions as the benchmark wants them.

Used by every adapter whose package cannot take classes that training rows lack, or targets
of any scale.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.bench.methods.base import Fitted, spread
from lassoflexnet.bench.rows import Rows, Split


class Target(NamedTuple):
    """A coded target.

    Attributes
    ----------
    train : ndarray
        Targets of the training rows: standardised numbers, or classes without gaps.
    validation : Rows
        Validation rows whose class occurs in training, coded alike.
    back : callable
        Predictions of coded targets -> predictions of the benchmark's.
    is_regression : bool
        Whether the target is a number.
    """

    train: np.ndarray
    validation: Rows
    back: Callable[[np.ndarray], np.ndarray]
    is_regression: bool


def coded(split: Split) -> Target:
    """Code the target of a split by its training rows."""
    return _standardised(split) if split.task == "regression" else _without_gaps(split)


def _standardised(split: Split) -> Target:
    mean, std = float(np.mean(split.train.y)), float(np.std(split.train.y)) or 1.0
    train, validation = ((np.asarray(rows.y, float) - mean) / std for rows in split[:2])

    def back(predictions: np.ndarray) -> np.ndarray:
        return np.asarray(predictions, float).reshape(-1) * std + mean

    return Target(train, Rows(split.validation.X, validation), back, is_regression=True)


def _without_gaps(split: Split) -> Target:
    classes, train = np.unique(split.train.y, return_inverse=True)
    known = np.isin(split.validation.y, classes)
    rows = split.validation.X[known].reset_index(drop=True)
    validation = Rows(rows, np.searchsorted(classes, split.validation.y[known]))

    def back(predictions: np.ndarray) -> np.ndarray:
        return spread(np.asarray(predictions, float), classes, split.n_classes)

    return Target(train, validation, back, is_regression=False)


def fitted(
    model: Any,
    prepare: Callable[[pd.DataFrame], Any],
    target: Target,
    facts: dict[str, Any] | None = None,
) -> Fitted:
    """A fitted model of scikit-learn's kind as the benchmark wants it."""
    answer = model.predict if target.is_regression else model.predict_proba
    return Fitted(lambda X: target.back(answer(prepare(X))), None, facts)
