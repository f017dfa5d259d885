"""Screening: which columns enter training at all when there are too many.

Called by ``fit`` before anything is built. Columns are scored one at a time, which is
cheap and blind to columns that matter only together with others; so what was left out
is scored again on what the fitted network leaves unexplained, and called back if that
shows more than chance.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.constant import best_constant, slopes
from lassoflexnet.training.data import TrainingData
from lassoflexnet.training.evaluation import predict
from lassoflexnet.training.marginal import marginal_scores
from lassoflexnet.training.tasks import RowMetric

# Fewer columns than this are never screened: training them is cheap.
MIN_FEATURES = 100


@dataclass(frozen=True)
class MarginalScreening:
    """Keep the columns of the highest marginal score.

    Attributes
    ----------
    max_features : int or None
        Columns that enter the first training, and most that are called back at a time. None
        is n / log(n) of n training rows, a number that keeps all relevant columns with high
        probability under the conditions of sure independence screening (Fan and Lv, 2008),
        and 100 at least.
    always : bool
        Screen whenever there are more columns than that; otherwise only where there are more
        columns than training rows.
    level : float
        Columns left out are called back if their score on the residuals has a chance below
        this to occur in any of them.
    max_rounds : int
        Times that columns may be called back, each with a new training.
    """

    max_features: int | None = None
    always: bool = False
    level: float = 0.01
    max_rounds: int = 2

    def limit(self, n_features: int, n_rows: int) -> int:
        """Columns that may enter training."""
        if not (self.always or n_features > max(n_rows, MIN_FEATURES)):
            return n_features
        found = max(int(n_rows / math.log(max(n_rows, 3))), MIN_FEATURES)
        return min(self.max_features or found, n_features)

    def first(self, data: TrainingData, loss: RowMetric, n_outputs: int) -> Tensor:
        """Numbers of the columns to start with, ascending."""
        rows = data.train
        constant = best_constant(rows, loss, n_outputs)
        residual = slopes(constant.expand(rows.n_rows, -1), rows, loss)
        scores = marginal_scores(rows.codes, data.layout, residual, rows.weight)
        best = scores.topk(self.limit(data.layout.n_features, rows.n_rows)).indices
        return best.sort().values

    def recalled(
        self, data: TrainingData, seen: Tensor, kept: Tensor, network: Network, loss: RowMetric
    ) -> Tensor:
        """Numbers of the columns to call back: none of those that training has seen."""
        residual, scored = [], data.keep(kept)
        for rows in (scored.train, scored.validation):
            residual.append(slopes(predict(network, rows.codes), rows, loss))
        both = data.joined().train
        scores = marginal_scores(both.codes, data.layout, torch.cat(residual), both.weight)
        scores[seen] = -torch.inf
        n_out = data.layout.n_features - len(seen)
        bound = NormalDist().inv_cdf(1 - self.level / max(n_out, 1))
        found = torch.nonzero(scores > bound).squeeze(1)
        most = self.limit(data.layout.n_features, data.train.n_rows)
        return found[scores[found].topk(min(most, len(found))).indices]


@dataclass(frozen=True)
class ScreeningReport:
    """What screening did.

    Attributes
    ----------
    n_features : int
        Columns there were.
    n_entered : int
        Columns that entered the last training.
    recalled : tuple of int
        Columns called back after an earlier training.
    """

    n_features: int
    n_entered: int
    recalled: tuple[int, ...] = ()

    def renumbered(self, numbers: np.ndarray, n_features: int) -> "ScreeningReport":
        """The same in the numbering of a larger table."""
        recalled = tuple(int(numbers[f]) for f in self.recalled)
        return ScreeningReport(n_features, self.n_entered, recalled)
