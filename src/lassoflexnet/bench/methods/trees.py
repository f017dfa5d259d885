"""Ensembles of trees: XGBoost, CatBoost, LightGBM and scikit-learn's random forest.

Rows of the catalogue. A setting that is None is left to the package; the boosted ones stop
early on the validation rows.
"""

import inspect
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Categories
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.targets import Target, coded, fitted
from lassoflexnet.bench.rows import Split


class Grown(NamedTuple):
    """A fitted ensemble, the inputs it takes, and its target."""

    model: Any
    inputs: Categories
    target: Target


def given(settings: Any) -> dict[str, Any]:
    """Settings that are not left to the package."""
    return {name: value for name, value in asdict(settings).items() if value is not None}


@dataclass(frozen=True)
class XGBoost:
    """XGBoost with its own handling of categories and missing values."""

    n_estimators: int | None = None
    learning_rate: float | None = None
    max_depth: int | None = None
    min_child_weight: float | None = None
    subsample: float | None = None
    colsample_bytree: float | None = None
    gamma: float | None = None
    reg_alpha: float | None = None
    reg_lambda: float | None = None
    early_stopping_rounds: int | None = 50

    def grow(self, split: Split, seed: int) -> Grown:
        """Fit, and hand out the package's model."""
        xgboost = package("xgboost")
        target, inputs = coded(split), Categories.of(split.train.X)
        kind = xgboost.XGBRegressor if target.is_regression else xgboost.XGBClassifier
        model = kind(
            **given(self), enable_categorical=True, random_state=seed, n_jobs=1, verbosity=0
        )
        watched = (inputs.frame(target.validation.X), target.validation.y)
        model.fit(inputs.frame(split.train.X), target.train, eval_set=[watched], verbose=False)
        return Grown(model, inputs, target)

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit, keeping the trees up to the best of the validation rows."""
        model, inputs, target = self.grow(split, seed)
        # There is no best iteration where nothing may stop early.
        n_trees = getattr(model, "best_iteration", model.get_num_boosting_rounds() - 1) + 1
        return fitted(model, inputs.frame, target, {"n_trees": int(n_trees)})


@dataclass(frozen=True)
class LightGBM:
    """LightGBM with its own handling of categories and missing values."""

    n_estimators: int | None = None
    learning_rate: float | None = None
    num_leaves: int | None = None
    max_depth: int | None = None
    min_child_samples: int | None = None
    subsample: float | None = None
    subsample_freq: int | None = None
    colsample_bytree: float | None = None
    reg_alpha: float | None = None
    reg_lambda: float | None = None
    early_stopping_rounds: int | None = 50

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit, keeping the trees up to the best of the validation rows."""
        lightgbm = package("lightgbm")
        target, inputs = coded(split), Categories.of(split.train.X)
        settings = given(self)
        rounds = settings.pop("early_stopping_rounds", None)
        kind = lightgbm.LGBMRegressor if target.is_regression else lightgbm.LGBMClassifier
        model = kind(**settings, random_state=seed, n_jobs=1, verbosity=-1)
        model.fit(
            inputs.frame(split.train.X),
            target.train,
            **_watched(model, inputs.frame(target.validation.X), target.validation.y),
            callbacks=[lightgbm.early_stopping(rounds, verbose=False)] if rounds else [],
        )
        return fitted(model, inputs.frame, target, {"n_trees": int(model.booster_.num_trees())})


def _watched(model: Any, X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
    # LightGBM 4.7 gave the argument two new names.
    new = "eval_X" in inspect.signature(model.fit).parameters
    return {"eval_X": X, "eval_y": y} if new else {"eval_set": [(X, y)]}


@dataclass(frozen=True)
class CatBoost:
    """CatBoost with its own encoding of categories; a missing name is a level."""

    n_estimators: int | None = None
    learning_rate: float | None = None
    max_depth: int | None = None
    l2_leaf_reg: float | None = None
    random_strength: float | None = None
    bagging_temperature: float | None = None
    early_stopping_rounds: int | None = 50

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit, keeping the trees up to the best of the validation rows."""
        catboost = package("catboost")
        target, inputs = coded(split), Categories.of(split.train.X)
        kind = catboost.CatBoostRegressor if target.is_regression else catboost.CatBoostClassifier
        model = kind(
            **given(self),
            cat_features=inputs.nominal,
            random_seed=seed,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
        )
        watched = (inputs.text(target.validation.X), target.validation.y)
        model.fit(inputs.text(split.train.X), target.train, eval_set=watched)
        return fitted(model, inputs.text, target, {"n_trees": int(model.tree_count_)})


@dataclass(frozen=True)
class RandomForest:
    """Random forest; categories are numbered, missing values go the better way."""

    n_estimators: int = 100
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: float | None = None

    def grow(self, split: Split, seed: int) -> Grown:
        """Fit, and hand out scikit-learn's model."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        target, inputs = coded(split), Categories.of(split.train.X)
        kind = RandomForestRegressor if target.is_regression else RandomForestClassifier
        model = kind(**given(self), random_state=seed, n_jobs=1)
        return Grown(model.fit(inputs.ordinal(split.train.X), target.train), inputs, target)

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit to the training rows; nothing is chosen on the validation rows."""
        model, inputs, target = self.grow(split, seed)
        return fitted(model, inputs.ordinal, target)
