"""Targets: what the user calls y, as the network wants it, and back.

Used by the estimators' ``fit`` and ``predict``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.utils import column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from torch import Tensor

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.bins import mean_and_std
from lassoflexnet.table.cells import missing_cells
from lassoflexnet.table.doubts import warn_caller
from lassoflexnet.training.tasks import (
    BINARY,
    REGRESSION,
    Task,
    binary_probabilities,
    multiclass,
    probabilities,
)


@dataclass(frozen=True, eq=False)
class NumericTarget:
    """A number, standardised for training.

    Attributes
    ----------
    mean, scale : float
        Of the training rows. A constant target has scale 0 and is predicted exactly.
    """

    mean: float
    scale: float

    @staticmethod
    def fit(y: np.ndarray, weight: np.ndarray) -> "NumericTarget":
        """Learn mean and scale."""
        if (y == y[0]).all():
            return NumericTarget(float(y[0]), 0.0)
        return NumericTarget(*mean_and_std(y, weight))

    @property
    def task(self) -> Task:
        """Squared error on one output."""
        return REGRESSION

    def encode(self, y: np.ndarray) -> Tensor:
        """Standardise."""
        return torch.as_tensor((y - self.mean) / (self.scale or 1.0), dtype=torch.float32)

    def row_weight(self, encoded: Tensor) -> np.ndarray:
        """Weight of each row for its target: ones, (n,)."""
        return np.ones(len(encoded))

    def decode(self, outputs: Tensor) -> np.ndarray:
        """Predictions in the target's own unit: (n, 1) -> (n,)."""
        return outputs.squeeze(1).numpy() * self.scale + self.mean


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """A class label of any type, numbered for training.

    Attributes
    ----------
    classes : ndarray of shape (c,)
        Labels, sorted.
    weights : ndarray of shape (c,)
        Weights of the classes.
    """

    classes: np.ndarray
    weights: np.ndarray

    @staticmethod
    def fit(y: np.ndarray, class_weight: Any) -> "ClassTarget":
        """Learn the classes and what each weighs."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise InvalidInput(
                f"y holds only one class, {classes.tolist()[0]!r} (rows with a `sample_weight` "
                "of 0 do not count). Add rows of another class."
            )
        return ClassTarget(classes, _class_weights(class_weight, classes, y))

    @property
    def task(self) -> Task:
        """Log loss: of one logit for two classes, else of one per class."""
        return BINARY if len(self.classes) == 2 else multiclass(len(self.classes))

    def encode(self, y: np.ndarray) -> Tensor:
        """Class numbers."""
        number = {label: at for at, label in enumerate(self.classes.tolist())}
        unseen = [label for label in y.tolist() if label not in number]
        if unseen:
            raise InvalidInput(
                f"y holds class {unseen[0]!r}, which the training rows do not. "
                "Remove those rows, or add some of that class to the training rows."
            )
        return torch.tensor([number[label] for label in y.tolist()], dtype=torch.long)

    def row_weight(self, encoded: Tensor) -> np.ndarray:
        """Weight of each row for its class: (n,)."""
        return self.weights[encoded.numpy()]

    def probabilities(self, outputs: Tensor) -> np.ndarray:
        """One column per class: (n, c) -> (n, n_classes)."""
        link = binary_probabilities if len(self.classes) == 2 else probabilities
        return link(outputs).numpy()


@dataclass(frozen=True)
class Numbers:
    """How a regressor reads its target."""

    is_classification = False

    def read(self, y: Any) -> np.ndarray:
        """Check: finite numbers, one per row."""
        y = _one_column(y)
        _refuse_missing(y)
        numbers = _as_numbers(y)
        _refuse_infinity(numbers)
        return numbers

    def fit(self, y: np.ndarray, weight: np.ndarray) -> NumericTarget:
        """Learn how the target is coded; warn if there is nothing to learn."""
        target = NumericTarget.fit(y, weight)
        if target.scale == 0:
            warn_caller(
                f"y is {target.mean:g} in all {len(y)} training rows, so every prediction will be "
                f"{target.mean:g} and no column can matter. Check that y is the right column."
            )
        return target


@dataclass(frozen=True)
class Labels:
    """How a classifier reads its target; ``class_weight`` as in scikit-learn."""

    class_weight: Any = None
    is_classification = True

    def read(self, y: Any) -> np.ndarray:
        """Check: labels of one type, none missing."""
        y = _one_column(y)
        _refuse_missing(y)
        _refuse_infinity(y)
        if y.dtype.kind == "O" and len({isinstance(label, str) for label in y}) > 1:
            raise InvalidInput("y mixes text and other labels. Convert them to one type.")
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise InvalidInput(f"y does not hold class labels. {error}") from None
        return y

    def fit(self, y: np.ndarray, weight: np.ndarray) -> ClassTarget:  # noqa: ARG002
        """Learn the classes."""
        return ClassTarget.fit(y, self.class_weight)


def _one_column(y: Any) -> np.ndarray:
    if y is None:
        raise InvalidInput("requires y to be passed, but the target y is None.")
    try:
        y = column_or_1d(np.asarray(y), warn=True)
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise InvalidInput(f"y is not a column of values. {reason}") from None
    if len(y) == 0:
        raise InvalidInput("Found array with 0 sample(s) in y while a minimum of 1 is required.")
    return y


def _refuse_missing(y: np.ndarray) -> None:
    missing = missing_cells(y)
    if missing.any():
        raise InvalidInput(
            f"Input y contains NaN: {missing.sum()} of {len(y)} values are missing, "
            f"the first at row {int(missing.argmax())}. Remove those rows."
        )


def _refuse_infinity(y: np.ndarray) -> None:
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise InvalidInput(
            "Input y contains infinity or a value too large for dtype('float64'). "
            f"Remove those rows (the first is row {int(np.isinf(y).argmax())})."
        )


def _as_numbers(y: np.ndarray) -> np.ndarray:
    try:
        # Dates would turn into numbers without a word, complex numbers with a warning.
        return y.astype(np.float64, casting="unsafe" if y.dtype.kind in "OUST" else "same_kind")
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"y is not numeric (first value {y.tolist()[0]!r}), and a regressor predicts numbers. "
            "Convert it, or use a classifier."
        ) from error


def _class_weights(class_weight: Any, classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    try:
        weights = compute_class_weight(class_weight, classes=classes, y=y)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"`class_weight` does not fit the classes of y. {error}") from None
    for label, weight in zip(classes.tolist(), weights, strict=True):
        if not 0 < weight < np.inf:
            raise InvalidInput(
                f"`class_weight` gives class {label!r} the weight {weight:g}. "
                "Use a positive number, or remove the rows of that class."
            )
    return weights
