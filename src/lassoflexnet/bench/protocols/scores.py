"""Scores of predictions, and which of them a protocol is about.

Called with the rows of one part and what a method predicts for them.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from lassoflexnet.bench.rows import Task
from lassoflexnet.exceptions import InvalidInput

SMALLEST = 1e-7
"""Probabilities are clipped here before the logarithm: about where float32 ends."""


class Headline(NamedTuple):
    """A score, and whether more of it is better."""

    name: str
    higher_is_better: bool


RMSE = Headline("rmse", higher_is_better=False)
ACCURACY = Headline("accuracy", higher_is_better=True)
ROC_AUC = Headline("roc_auc", higher_is_better=True)
LOG_LOSS = Headline("log_loss", higher_is_better=False)

BY_ACCURACY: Mapping[Task, Headline] = {
    "regression": RMSE,
    "binary": ROC_AUC,
    "multiclass": ACCURACY,
}
BY_LOSS: Mapping[Task, Headline] = {
    "regression": RMSE,
    "binary": LOG_LOSS,
    "multiclass": LOG_LOSS,
}
BY_AUC: Mapping[Task, Headline] = {**BY_LOSS, "binary": ROC_AUC}


def score(y: np.ndarray, predictions: np.ndarray, task: Task, n_classes: int) -> dict[str, float]:
    """Every score of the task.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Target.
    predictions : ndarray of shape (n,) or (n, n_classes)
        Numbers, or probabilities of the classes.
    task : {"regression", "binary", "multiclass"}
        What is predicted.
    n_classes : int
        Number of classes of the whole table.

    Returns
    -------
    dict
        ``rmse`` and ``r2``; or ``accuracy``, ``log_loss`` and, if every class is among the
        rows, ``roc_auc`` (two classes) or ``roc_auc_ovo`` (more: mean over all pairs).
    """
    predictions = _checked(y, predictions, task, n_classes)
    return _numbers(y, predictions) if task == "regression" else _classes(y, predictions)


def row_errors(y: np.ndarray, predictions: np.ndarray, task: Task, n_classes: int) -> np.ndarray:
    """Error of every row: squared, or the negative log likelihood of its class.

    Their mean is the square of ``rmse``, or ``log_loss``.
    """
    predictions = _checked(y, predictions, task, n_classes)
    return (_squares if task == "regression" else _log_losses)(y, predictions)


def _checked(y: np.ndarray, predictions: np.ndarray, task: Task, n_classes: int) -> np.ndarray:
    shape = (len(y),) if task == "regression" else (len(y), n_classes)
    predictions = np.asarray(predictions, dtype=float)
    if predictions.shape != shape:
        raise InvalidInput(f"predictions have the shape {predictions.shape}. Use {shape}.")
    if not np.isfinite(predictions).all():
        raise InvalidInput("predictions hold NaN or infinity: the method has failed.")
    return predictions


def _squares(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    return np.square(y - predictions)


def _log_losses(y: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    p = np.clip(predictions, 0, None)
    total = np.maximum(p.sum(axis=1), SMALLEST)
    return -np.log(np.clip(p[np.arange(len(y)), y] / total, SMALLEST, 1))


def _numbers(y: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    error = _squares(y, predictions).mean()
    spread = y.var()
    r2 = {"r2": float(1 - error / spread)} if spread > 0 else {}
    return {"rmse": float(np.sqrt(error)), **r2}


def _classes(y: np.ndarray, predictions: np.ndarray) -> dict[str, float]:
    n_classes = predictions.shape[1]
    p = np.clip(predictions, 0, None)
    # Ranks are taken from p as it is: scaling rows would break ties by rounding.
    found = {
        "accuracy": float((p.argmax(axis=1) == y).mean()),
        "log_loss": float(_log_losses(y, predictions).mean()),
    }
    if len(np.unique(y)) < n_classes:
        return found
    if n_classes == 2:
        return {**found, "roc_auc": float(roc_auc_score(y, p[:, 1]))}
    return {**found, "roc_auc_ovo": float(np.mean([_against(y, p, k) for k in range(n_classes)]))}


def _against(y: np.ndarray, p: np.ndarray, k: int) -> float:
    """Mean over the other classes of the AUC of class k against that one, by p_k.

    Sorts once for all pairs: with a hundred classes, pair by pair takes seconds.
    """
    own = np.sort(p[y == k, k])
    below = np.searchsorted(own, p[:, k], side="left")
    not_above = np.searchsorted(own, p[:, k], side="right")
    won = 1 - (below + not_above) / (2 * len(own))
    by_class = np.bincount(y, weights=won) / np.bincount(y)
    return float(np.delete(by_class, k).mean())
