"""How an estimator is fitted and judged in a trial: ours by validation loss, others by score.

Chosen once by ``tune``; the only file that knows the two apart.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing

from lassoflexnet.estimators._base import TabularEstimator
from lassoflexnet.training.history import Epoch, watched
from lassoflexnet.tuning.study import Report

JUDGED_STAGES = ("dense", "path", "refit")
"""Stages whose validation losses are those of networks that choose the columns or are kept."""


class Sample(NamedTuple):
    """Rows with their target and, if any are given, weights."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None

    def rows(self, index: np.ndarray) -> "Sample":
        """Some of them."""
        weight = None if self.weight is None else self.weight[index]
        return Sample(_safe_indexing(self.X, index), self.y[index], weight)


class Judge(Protocol):
    """How a trial's model is fitted and what it is worth."""

    def target(self, estimator: Any, y: Any) -> np.ndarray:
        """Target, checked as far as the estimator's kind allows."""

    def fraction(self, estimator: Any) -> float:
        """Share of the rows to hold out."""

    def fit(self, model: Any, train: Sample, held: Sample, report: Report) -> None:
        """Fit, reporting on the way if there is a way."""

    def loss(self, model: Any, held: Sample) -> float:
        """What is minimised."""

    def score(self, loss: float) -> float:
        """The same as users know it."""


class ValidationLoss:
    """For our estimators: the loss (or ``eval_metric``) of the kept network."""

    def target(self, estimator: Any, y: Any) -> np.ndarray:
        """Target as ``fit`` would check it."""
        return np.asarray(estimator._target_reader().read(y))

    def fraction(self, estimator: Any) -> float:
        """What ``fit`` itself would hold out."""
        return float(estimator.validation_fraction)

    def fit(self, model: Any, train: Sample, held: Sample, report: Report) -> None:
        """Fit with the held-out rows for validation, reporting epochs."""
        judges = (held.X, held.y, held.weight)
        with watched(EpochReport(report)):
            model.fit(train.X, train.y, sample_weight=train.weight, eval_set=judges)

    def loss(self, model: Any, held: Sample) -> float:  # noqa: ARG002
        """What the fit says of them: of a regression, of the standardised target."""
        return float(model.validation_loss_)

    def score(self, loss: float) -> float:
        """The loss itself."""
        return loss


class HeldOutScore:
    """For any estimator with ``score``: what that says of the held-out rows."""

    def target(self, estimator: Any, y: Any) -> np.ndarray:  # noqa: ARG002
        """Target as it is."""
        return np.asarray(y)

    def fraction(self, estimator: Any) -> float:  # noqa: ARG002
        """As for ours by default."""
        return 0.15

    def fit(self, model: Any, train: Sample, held: Sample, report: Report) -> None:  # noqa: ARG002
        """Fit; there are no epochs to report."""
        model.fit(train.X, train.y, **_weights(train))

    def loss(self, model: Any, held: Sample) -> float:
        """The score with its sign turned."""
        return -float(check_scoring(model)(model, held.X, held.y, **_weights(held)))

    def score(self, loss: float) -> float:
        """Higher is better."""
        return -loss


def judge_of(estimator: Any) -> Judge:
    """How this estimator is judged."""
    return ValidationLoss() if isinstance(estimator, TabularEstimator) else HeldOutScore()


class EpochReport:
    """Reports the lowest validation loss so far, after each epoch that may lower it.

    The lowest, since that network is what a stage keeps: along the path the loss of an
    epoch rises as columns leave, which says nothing against a trial. Epochs of other stages
    are of networks with fewer rows, or of one member among several, and do not count.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self.n_epochs = 0
        self.lowest = math.inf

    def __call__(self, epoch: Epoch) -> None:
        """Note an epoch."""
        if epoch.stage not in JUDGED_STAGES:
            return
        self.n_epochs += 1
        losses = (epoch.validation_loss, epoch.average_loss)
        self.lowest = min([self.lowest, *(x for x in losses if math.isfinite(x))])
        if math.isfinite(self.lowest):
            self.report(self.n_epochs, self.lowest)


def _weights(sample: Sample) -> dict[str, Any]:
    """Keyword for estimators that may not take weights at all."""
    return {} if sample.weight is None else {"sample_weight": sample.weight}
