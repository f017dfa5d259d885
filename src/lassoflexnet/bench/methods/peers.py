"""Other people's models behind their own packages: TabM, RealMLP, TabR, EBM and TabNet.

Rows of the catalogue; each says which package it lacks.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Categories, Encoder
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.targets import coded, fitted
from lassoflexnet.bench.methods.trees import given
from lassoflexnet.bench.rows import Split
from lassoflexnet.estimators.execution import seeded, threads


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep a package from printing, logging and warning about its own affairs."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@dataclass(frozen=True)
class TabM:
    """TabM by pytabkit, with its defaults; a setting that is None is left to the package.

    ``arch_type`` "tabm-mini" has one scaling per member in front of one shared network.
    """

    arch_type: str | None = None
    n_blocks: int | None = None
    d_block: int | None = None
    dropout: float | None = None
    lr: float | None = None
    weight_decay: float | None = None
    batch_size: int | None = None
    n_epochs: int | None = None
    patience: int | None = None
    tabm_k: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the validation rows stop gaining."""
        return _fit_pytabkit("TabM_D", given(self), split, seed)


@dataclass(frozen=True)
class RealMLP:
    """RealMLP with tuned defaults, by pytabkit."""

    n_epochs: int | None = None
    lr: float | None = None
    wd: float | None = None
    p_drop: float | None = None
    batch_size: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train, and keep the best epoch of the validation rows."""
        return _fit_pytabkit("RealMLP_TD", given(self), split, seed)


@dataclass(frozen=True)
class TabR:
    """TabR-S by pytabkit; it needs faiss as well."""

    n_epochs: int | None = None
    patience: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the validation rows stop gaining."""
        package("faiss", "pip install faiss-cpu")
        return _fit_pytabkit("TabR_S_D", given(self), split, seed)


def _fit_pytabkit(name: str, settings: dict[str, Any], split: Split, seed: int) -> Fitted:
    pytabkit = package("pytabkit")
    target, frames = coded(split), _WithoutGaps(split.train.X)
    kind = "Regressor" if target.is_regression else "Classifier"
    model = getattr(pytabkit, f"{name}_{kind}")(
        **settings, random_state=seed, n_threads=1, device="cpu", verbosity=0
    )
    watched = frames(target.validation.X), target.validation.y
    with seeded(seed), quiet():
        model.fit(frames(split.train.X), target.train, *watched)

    answer = fitted(model, frames, target)

    def predict(X: pd.DataFrame) -> np.ndarray:
        with quiet():
            return answer.predict(X)

    return answer._replace(predict=predict)


class _WithoutGaps:
    """Frames for pytabkit, which takes missing names but no missing numbers."""

    def __init__(self, train: pd.DataFrame) -> None:
        self.categories = Categories.of(train)
        frame = self.categories.frame(train)
        self.means = frame.select_dtypes("number").mean().fillna(0.0)

    def __call__(self, X: pd.DataFrame) -> pd.DataFrame:
        """Numbers filled with training means."""
        return self.categories.frame(X).fillna(self.means.to_dict())


@dataclass(frozen=True)
class EBM:
    """Explainable boosting machine; it holds out training rows of its own to stop early."""

    outer_bags: int | None = None
    interactions: int | None = None
    learning_rate: float | None = None
    max_rounds: int | None = None
    max_leaves: int | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit to the training rows."""
        glassbox = package("interpret.glassbox")
        target, inputs = coded(split), Categories.of(split.train.X)
        kind = "Regressor" if target.is_regression else "Classifier"
        kinds = ["continuous" if levels is None else "nominal" for levels in inputs.levels]
        model = getattr(glassbox, f"ExplainableBoosting{kind}")(
            **given(self), feature_types=kinds, random_state=seed, n_jobs=1
        )
        with quiet():
            model.fit(inputs.text(split.train.X), target.train)
        return fitted(model, inputs.text, target)


@dataclass(frozen=True)
class TabNet:
    """TabNet of `pytorch-tabnet`, with its defaults."""

    n_d: int = 8
    n_a: int = 8
    n_steps: int = 3
    gamma: float = 1.3
    max_epochs: int = 200
    patience: int = 20
    batch_size: int = 1024
    virtual_batch_size: int = 128

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the validation rows stop gaining."""
        tabnet = package("pytorch_tabnet.tab_model")
        target, encoder = coded(split), Encoder(split.train.X)
        kind = tabnet.TabNetRegressor if target.is_regression else tabnet.TabNetClassifier

        def prepare(X: pd.DataFrame) -> np.ndarray:
            return np.hstack([encoder.numbers(X), encoder.codes(X)]).astype(np.float32)

        def shaped(y: np.ndarray) -> np.ndarray:
            return y.reshape(-1, 1) if target.is_regression else y

        rows = prepare(split.train.X)
        size = min(self.batch_size, len(rows))
        with seeded(seed), threads(1), quiet():
            model = kind(**self._arguments(encoder, seed))
            model.fit(
                rows,
                shaped(target.train),
                eval_set=[(prepare(target.validation.X), shaped(target.validation.y))],
                max_epochs=self.max_epochs,
                patience=self.patience,
                batch_size=size,
                virtual_batch_size=min(self.virtual_batch_size, size),
            )
        return fitted(model, prepare, target)

    def _arguments(self, encoder: Encoder, seed: int) -> dict[str, Any]:
        first = len(encoder.numeric)
        return {
            "n_d": self.n_d,
            "n_a": self.n_a,
            "n_steps": self.n_steps,
            "gamma": self.gamma,
            "cat_idxs": list(range(first, first + len(encoder.cardinalities))),
            "cat_dims": encoder.cardinalities,
            "seed": seed,
            "verbose": 0,
            "device_name": "cpu",
        }
