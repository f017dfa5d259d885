"""Loss curves of one fit: training, validation and averaged, through dense stage and path.

An analysis (paper, appendix "Lambda-Training Improvements").
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.bench.analyses.base import Found, rounded
from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.methods.catalogue import fingerprint, make_method
from lassoflexnet.bench.protocols import FeatureSelection
from lassoflexnet.training.history import Epoch

STAGES = ("dense", "path")


@dataclass(frozen=True)
class LossCurves:
    """One fit of our estimator to a data set without added columns.

    Attributes
    ----------
    dataset, max_train_rows : str, int
        Data set, and how many of its rows are trained on.
    arguments : mapping
        What differs from the estimator's defaults.
    """

    dataset: str = "CH"
    max_train_rows: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the arguments by their names."""
        make_method("lassoflexnet", self.arguments)

    def fingerprint(self) -> str | None:
        """What default means for our estimator."""
        return fingerprint("lassoflexnet", self.arguments)

    def carry_out(self, seed: int, data: Path | None = None) -> dict[str, Any]:
        """Fit once and read the history."""
        protocol = FeatureSelection(max_train_rows=self.max_train_rows)
        split = protocol.split(load(self.dataset, data), seed)
        kind = LassoFlexNetRegressor if split.task == "regression" else LassoFlexNetClassifier
        model = kind(random_state=seed, n_threads=1, **self.arguments)
        model.fit(*split.train, eval_set=tuple(split.validation))
        return curves(model.history_.epochs).to_dict()


def curves(epochs: tuple[Epoch, ...]) -> Found:
    """Series of the dense stage and the path, and what the latter gained."""
    shown = [row for row in epochs if row.stage in STAGES]
    dense, path = ([row for row in shown if row.stage == stage] for stage in STAGES)
    series = ("stage", "epoch")
    numbers = ("lam", "train_loss", "validation_loss", "average_loss", "n_features")
    facts = {name: [getattr(row, name) for row in shown] for name in series}
    facts |= {name: rounded([getattr(row, name) for row in shown]) for name in numbers}
    before, after = best(dense), best(path or dense)
    scores = {
        "path_loss": loss(after),
        "dense_loss": loss(before),
        "gain": loss(before) - loss(after),
        "train_rise": after.train_loss - before.train_loss,
        "average_gain": average_gain(shown),
    }
    return Found(scores, facts)


def loss(row: Epoch) -> float:
    """Validation loss of the better of the live and the averaged network."""
    return min(row.validation_loss, row.average_loss)


def best(epochs: list[Epoch]) -> Epoch:
    """Epoch of the lowest validation loss, of those that were looked at."""
    return min((row for row in epochs if not math.isnan(row.validation_loss)), key=loss)


def average_gain(epochs: list[Epoch]) -> float:
    """How much lower the averaged network's validation loss is, in the median over looks.

    Not the mean: right after a cut the average may be far off, at a single look.
    """
    return float(np.nanmedian([row.validation_loss - row.average_loss for row in epochs]))
