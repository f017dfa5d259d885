"""Models that come trained: TabPFN and TabICL, where their packages and weights are.

Rows of the catalogue. They read the training rows when they predict; nothing is trained.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Categories
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.targets import coded, fitted
from lassoflexnet.bench.rows import Split
from lassoflexnet.estimators.execution import seeded, threads
from lassoflexnet.exceptions import MissingDependency


@dataclass(frozen=True)
class TabPFN:
    """TabPFN; `weights` is a file, or None for where the package keeps or gets them."""

    weights: str | None = None
    n_estimators: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Hand over the training rows."""
        nominal = Categories.of(split.train.X).nominal
        settings = {"categorical_features_indices": nominal}
        return _fit("tabpfn", "TabPFN", self, settings, split=split, seed=seed)


@dataclass(frozen=True)
class TabICL:
    """TabICL; `weights` is a file, or None for where the package keeps or gets them."""

    weights: str | None = None
    n_estimators: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Hand over the training rows."""
        return _fit("tabicl", "TabICL", self, {"n_jobs": 1}, split=split, seed=seed)


def _fit(
    module: str,
    name: str,
    part: TabPFN | TabICL,
    settings: dict[str, Any],
    *,
    split: Split,
    seed: int,
) -> Fitted:
    source = package(module, f"pip install {module}")
    target, inputs = coded(split), Categories.of(split.train.X)
    kind = f"{name}{'Regressor' if target.is_regression else 'Classifier'}"
    if not hasattr(source, kind):
        raise MissingDependency(
            f"the installed `{module}` has no {kind}. Run `pip install -U {module}`."
        )
    if part.weights is not None:
        settings["model_path"] = part.weights
    if part.n_estimators is not None:
        settings["n_estimators"] = part.n_estimators
    model = getattr(source, kind)(**settings, device="cpu", random_state=seed)
    try:
        with seeded(seed), threads(1):
            model.fit(inputs.ordinal(split.train.X), target.train)
    except (OSError, RuntimeError) as error:
        # TabPFN reports a download that failed as a RuntimeError; torch has others.
        if isinstance(error, RuntimeError) and "download" not in str(error).lower():
            raise
        raise MissingDependency(
            f"{name} found no weights ({error}). Put the file of weights on this machine and "
            f"give its path as `weights`, or let `{module}` download it once with a network."
        ) from error
    answer = fitted(model, inputs.ordinal, target)

    def predict(X: pd.DataFrame) -> np.ndarray:
        with seeded(seed), threads(1):
            return answer.predict(X)

    return answer._replace(predict=predict)
