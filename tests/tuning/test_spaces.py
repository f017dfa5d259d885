"""The spaces hold the published bounds, in names that estimators and methods have."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.tuning import Fixed
from lassoflexnet.tuning.baselines import BASELINES
from lassoflexnet.tuning.spaces import PAPER_TRAINING, SPACES

ESTIMATORS = (LassoFlexNetRegressor, LassoFlexNetClassifier)

# As the paper's table has them: lowest and highest value.
PAPER = {
    "batch_size": (512, 2048),
    "n_blocks": (2, 5),
    "d_hidden": (64, 512),
    "d_embedding": (8, 32),
    "n_bins": (4, 32),
    "tau": (0.01, 2.0),
    "embedding_dropout": (0.05, 0.25),
    "dropout": (0.05, 0.25),
    "n_embedding_layers": (2, 5),
    "d_embedding_layer": (8, 32),
    "learning_rate": (1e-4, 1e-3),
    "weight_decay": (1e-6, 1e-3),
    "lambda_start": (1e-8, 1e-6),
    "lambda_multiplier": (1e3, 1e5),
    "lambda_power": (0.95, 0.95),
}
TABRED = {
    **PAPER,
    "batch_size": (1024, 4096),
    "n_blocks": (2, 6),
    "n_bins": (16, 64),
    "embedding_dropout": (0.05, 0.5),
    "n_embedding_layers": (2, 8),
    "learning_rate": (1e-5, 1e-3),
}
LOGARITHMIC = {"learning_rate", "weight_decay", "lambda_start", "lambda_multiplier"}


def drawn(name: str, n: int = 2000) -> list[dict]:
    rng = np.random.default_rng(0)
    return [SPACES[name].sample(rng) for _ in range(n)]


@pytest.mark.parametrize(("name", "bounds"), [("paper", PAPER), ("paper_tabred", TABRED)])
def test_draws_fill_the_published_bounds(name, bounds):
    draws = drawn(name)
    assert set(draws[0]) == {*bounds, "backbone", "binning", "optimizer"}
    assert {d["backbone"] for d in draws} == {"mixer"}
    assert {d["binning"] for d in draws} == {"tree"}
    assert {d["optimizer"] for d in draws} == {"adamw"}
    for key, (low, high) in bounds.items():
        values = np.array([d[key] for d in draws], dtype=float)
        assert low <= values.min()
        assert values.max() <= high
        middle = np.sqrt(low * high) if key in LOGARITHMIC else (low + high) / 2
        if values.dtype.kind == "f" and low < high and key not in ("batch_size", "d_hidden"):
            assert 0.4 < (values <= middle).mean() < 0.65, key
            assert values.min() <= low + 0.02 * (high - low)
            assert values.max() >= high - 0.02 * (high - low)


@pytest.mark.parametrize("name", ["paper", "paper_tabred"])
def test_steps(name):
    draws = drawn(name)
    assert {d["d_hidden"] for d in draws} == {64, 128, 256, 512}
    assert {np.log2(d["batch_size"]) % 1 for d in draws} == {0}
    assert len({d["batch_size"] for d in draws}) == 3
    assert {d["d_embedding"] % 2 for d in draws} == {d["n_bins"] % 2 for d in draws} == {0}
    assert len({d["d_embedding_layer"] for d in draws}) == 25


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_draws_are_valid_arguments(name, kind):
    for settings in drawn(name, 50):
        model = kind(**{**PAPER_TRAINING, **settings})
        model._validate_params()
        model._recipe(1000)


def test_everyday_space_holds_our_defaults():
    space = SPACES["everyday"]
    defaults = {
        k: p.default for k, p in inspect.signature(LassoFlexNetRegressor).parameters.items()
    }
    numbers = {name: defaults[name] for name in space.ranges if defaults[name] != "auto"}
    assert set(numbers) >= {"d_embedding", "n_blocks", "tau", "learning_rate", "weight_decay"}
    for name, value in numbers.items():
        assert space.ranges[name].low <= value <= space.ranges[name].high


BASELINE_BOUNDS = {
    ("xgboost", "max_depth"): (2, 12),
    ("xgboost", "reg_alpha"): (1e-8, 1),
    ("catboost", "l2_leaf_reg"): (0.5, 30),
    ("lightgbm", "num_leaves"): (2, 4096),
    ("lightgbm", "reg_lambda"): (1e-8, 10),
    ("random_forest", "n_estimators"): (5, 100),
    ("mlp", "learning_rate"): (1e-5, 1e-2),
    ("ft_transformer", "d_block"): (64, 512),
    ("ft_transformer", "ffn_factor"): (2 / 3, 8 / 3),
    ("tabm", "d_block"): (64, 1024),
    ("tabm", "lr"): (1e-4, 5e-3),
    ("deepfm", "dropout"): (0, 0.9),
}


@pytest.mark.parametrize("key", BASELINE_BOUNDS)
def test_bounds_of_baselines(key):
    method, name = key
    part = BASELINES[method].ranges[name]
    assert (part.low, part.high) == BASELINE_BOUNDS[key]


@pytest.mark.parametrize("method", BASELINES)
def test_baselines_are_tuned_by_fields_of_their_adapters(method):
    catalogue = pytest.importorskip(
        "lassoflexnet.bench.methods.catalogue", reason="the benchmark needs further packages"
    )
    known = [field.name for field in fields(catalogue.METHODS[method]())]
    BASELINES[method].check_names(known, method)
    rng = np.random.default_rng(0)
    for _ in range(20):
        catalogue.make_method(method, BASELINES[method].sample(rng))


def test_boosted_trees_stop_early_and_not_by_their_number():
    for method in ("xgboost", "catboost", "lightgbm"):
        assert BASELINES[method].ranges["n_estimators"] == Fixed(2000)
