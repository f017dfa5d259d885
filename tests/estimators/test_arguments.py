"""Every argument changes the model, except those that only say how to run."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import lassoflexnet
from lassoflexnet import Recipe, RecipeRegressor
from lassoflexnet.variants import short
from tests.estimators.makers import QUICK, classifier, numbers, outputs, regressor

EXECUTION = {"verbose": [1, 2], "n_threads": [1, 2], "device": ["cpu"]}
"""Arguments that must not change anything, with values to try."""


class Change(NamedTuple):
    """Values to try for an argument, and what to set beside it so that it can show."""

    values: list[Any]
    beside: Mapping[str, Any] = MappingProxyType({})
    make: Callable[..., Any] = regressor
    n_rows: int = 100


PATH = {"max_epochs": 4, "n_lambdas": 3, "lambda_start": 0.01, "lambda_end": 0.3, "selection": 2}
LONG = {"max_epochs": 12, "learning_rate": 0.1}

CHANGES = {
    "n_bins": Change([3]),
    "binning": Change(["tree"]),
    "d_embedding": Change([5]),
    "n_embedding_layers": Change([0]),
    "d_embedding_layer": Change([9]),
    "embedding_dropout": Change([0.0]),
    "backbone": Change(["mixer"]),
    "n_blocks": Change([2]),
    "d_hidden": Change([17]),
    "dropout": Change([0.0]),
    "tau": Change([0.5]),
    "M": Change([0.01], PATH),
    "lambda_start": Change([0.1], PATH),
    "lambda_end": Change([0.1], PATH),
    "lambda_multiplier": Change([3.0], PATH | {"lambda_end": None}),
    "n_lambdas": Change([5], PATH),
    "lambda_power": Change([0.95], PATH),
    "lambda_bar": Change([0.1], PATH),
    "lambda_weights": Change(["uniform"], PATH),
    "ema_decay": Change([0.0], PATH),
    "model_ema_decay": Change([0.0], {"batch_size": 8, "learning_rate": 1.0}),
    "optimizer": Change(["adamw"]),
    "learning_rate": Change([0.01]),
    "path_learning_rate": Change([0.01], PATH),
    "schedule": Change(["constant"]),
    "weight_decay": Change([0.0]),
    "batch_size": Change([16]),
    "max_epochs": Change([1]),
    "max_epochs_per_lambda": Change([2], PATH),
    "patience": Change([1], PATH | {"max_epochs_per_lambda": 5, "learning_rate": 0.1}),
    "selection": Change(
        ["best", "one_standard_error"], PATH | {"lambda_end": None, "selection": 0}
    ),
    # Half of the rows, as many as it needs, validate; even if nobody wins, a network is trained.
    "challenge": Change(
        [False],
        PATH | {"refit": True, "n_members": 2, "selection": 5, "validation_fraction": 0.5},
        n_rows=200,
    ),
    "refit": Change([True], PATH | {"max_epochs": 8}),
    "n_members": Change([3, 2], {"refit": True, "n_members": 1}),
    "screening": Change([1, 2]),
    "precision": Change(["bfloat16"]),
    "validation_fraction": Change([0.4]),
    "eval_metric": Change(["error"], LONG, classifier),
    "categorical_features": Change([["code"]]),
    "calibrate": Change(
        [False], LONG | {"refit": True, "n_members": 2, "max_epochs": 40}, classifier
    ),
    "class_weight": Change(["balanced", {0: 3.0}], make=classifier),
    "random_state": Change([1]),
    "recipe": Change([short(Recipe(tau=0.5), 1, 0)], make=RecipeRegressor),
}


def arguments() -> set[str]:
    public = (
        getattr(lassoflexnet, name)
        for name in lassoflexnet.__all__
        if name.endswith(("Regressor", "Classifier"))
    )
    return {name for estimator in public for name in estimator().get_params()}


def test_every_argument_is_accounted_for():
    assert set(CHANGES) | set(EXECUTION) == arguments()
    assert not set(CHANGES) & set(EXECUTION)


def data(make: Callable[..., Any], n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Noisy targets, so that errors disagree; integer codes that could be categories."""
    X, y = numbers(n_rows, 5)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(code=np.arange(n_rows) % 7)
    y = y + 0.3 * np.random.default_rng(0).normal(size=n_rows)
    return frame, (y > np.median(y)).astype(int) if make is classifier else y


def predictions(
    make: Callable[..., Any], settings: dict[str, Any], n_rows: int = 100
) -> np.ndarray:
    X, y = data(make, n_rows)
    return outputs(make(**settings).fit(X, y), X)


@cache
def before(
    make: Callable[..., Any], settings: tuple[tuple[str, Any], ...], n_rows: int = 100
) -> np.ndarray:
    return predictions(make, dict(settings), n_rows)


def changes_with_seed(seed: int, name: str, value: Any) -> bool:
    change = CHANGES[name]
    base = {"recipe": short(Recipe(), 1, 0)} if name == "recipe" else {**QUICK, **change.beside}
    base["random_state"] = seed
    after = predictions(change.make, {**base, name: value}, change.n_rows)
    return bool((after != before(change.make, tuple(base.items()), change.n_rows)).any())


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, change in CHANGES.items() for value in change.values],
    ids=lambda value: str(value)[:20],
)
def test_an_argument_changes_the_model(name, value):
    # What acts by way of a choice may leave that as it is for one seed, not for many.
    assert any(changes_with_seed(seed, name, value) for seed in range(5))


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in EXECUTION.items() for value in values],
)
def test_an_execution_argument_changes_nothing(name, value):
    after = predictions(regressor, {**QUICK, name: value})
    np.testing.assert_array_equal(after, before(regressor, tuple(QUICK.items())))
