"""The rotation experiment: whether a method cares which directions the columns are.

An analysis. Trees and our per-column embeddings should; a plain network should not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.analyses.base import Found
from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.methods.catalogue import fingerprint, make_method
from lassoflexnet.bench.methods.inputs import quantile_scaler
from lassoflexnet.bench.protocols import FeatureSelection
from lassoflexnet.bench.protocols.scores import BY_LOSS, score
from lassoflexnet.bench.rows import Rows, Split
from lassoflexnet.exceptions import InvalidInput

SMALLEST = 1e-9


@dataclass(frozen=True)
class Rotation:
    """Fit a method to normalised columns, and to the same columns rotated at random.

    The seed sets the rotation and the method; rows are those of the feature-selection
    protocol.

    Attributes
    ----------
    learner, learner_settings : str, mapping
        Method by its name in the catalogue, and what differs from its defaults.
    dataset, max_train_rows : str, int
        Data set of numeric columns, and how many of its rows are trained on.
    """

    learner: str = "lassoflexnet"
    learner_settings: Mapping[str, Any] = field(default_factory=dict)
    dataset: str = "CH"
    max_train_rows: int | None = 5000

    def __post_init__(self) -> None:
        """Check the method by making it."""
        make_method(self.learner, self.learner_settings)

    def fingerprint(self) -> str | None:
        """What default means for the method."""
        return fingerprint(self.learner, self.learner_settings)

    def carry_out(self, seed: int, data: Path | None = None) -> dict[str, Any]:
        """Test loss with the columns as they are, and rotated."""
        protocol = FeatureSelection(max_train_rows=self.max_train_rows)
        split = normalised(protocol.split(load(self.dataset, data), seed))
        turn = random_rotation(split.train.X.shape[1], seed)
        test = {
            "plain": self._test_scores(split, seed),
            "rotated": self._test_scores(rotated(split, turn), seed),
        }
        name = BY_LOSS[split.task].name
        before, after = test["plain"][name], test["rotated"][name]
        scores = {"rotated_loss": after, "plain_loss": before, "rise": after - before}
        return Found(scores, {"loss": name, **test}).to_dict()

    def _test_scores(self, split: Split, seed: int) -> dict[str, float]:
        fitted = make_method(self.learner, self.learner_settings).fit(split, seed)
        return score(split.test.y, fitted.predict(split.test.X), split.task, split.n_classes)


def normalised(split: Split) -> Split:
    """Columns by normal quantiles, with mean 0 and deviation 1 over the training rows.

    Without quantiles a few extreme cells decide what scaling does to mixtures of columns, and
    a network that does not mind rotations seems to. A missing cell is the median.
    """
    X = split.train.X
    nominal = [str(name) for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    if nominal:
        raise InvalidInput(
            f"column `{nominal[0]}` is not numeric and cannot be rotated. Name a data set of "
            "numeric columns, such as CH."
        )
    median = X.median().fillna(0.0)
    quantiles = quantile_scaler(X.fillna(median).to_numpy(dtype=float))

    def normal(X: pd.DataFrame) -> pd.DataFrame:
        values = quantiles.transform(X.fillna(median).to_numpy(dtype=float))
        return pd.DataFrame(values, columns=X.columns)

    made = _changed(split, normal)
    mean, std = made.train.X.mean(), made.train.X.std(ddof=0)
    # A constant column may come out with a deviation of rounding errors.
    scale = std.where(std > SMALLEST, 1.0)
    return _changed(made, lambda X: (X - mean) / scale)


def rotated(split: Split, turn: np.ndarray) -> Split:
    """Every row x becomes ``turn x``; columns get new names, since they are mixtures."""
    names = [f"direction_{i}" for i in range(len(turn))]
    return _changed(split, lambda X: pd.DataFrame(X.to_numpy(dtype=float) @ turn.T, columns=names))


def random_rotation(d: int, seed: int) -> np.ndarray:
    """Orthogonal matrix (d, d), all of them equally likely."""
    q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))
    # QR alone prefers some signs; with R's diagonal positive it does not.
    return np.asarray(q * np.sign(np.diag(r)))


def _changed(split: Split, change: Any) -> Split:
    train, validation, test = (Rows(change(part.X), part.y) for part in split[:3])
    return split._replace(train=train, validation=validation, test=test)
