"""Every adapter, on every task: shape, usefulness, repetition, strange rows."""

from importlib.util import find_spec

import numpy as np
import pytest

from lassoflexnet.bench.methods.deepfm import DeepFM
from lassoflexnet.bench.methods.lassonet import LassoNet
from lassoflexnet.bench.methods.linear import Lasso, Ridge
from lassoflexnet.bench.methods.networks import MLP, FTTransformer
from lassoflexnet.bench.methods.peers import EBM, RealMLP, TabM, TabNet
from lassoflexnet.bench.methods.trees import CatBoost, LightGBM, RandomForest, XGBoost
from lassoflexnet.exceptions import InvalidInput
from tests.bench.methods.makers import TASKS, check_fit, gain, mixed, planted, without_class

LASSONET = LassoNet(
    hidden_dims=(8,),
    lambda_start=50.0,
    path_multiplier=3.0,
    batch_size=32,
    dense_epochs=40,
    path_epochs=2,
)
SMALL_TABM = {"n_epochs": 30, "d_block": 32, "tabm_k": 4, "lr": 1e-2, "batch_size": 64}

HERE = {
    "xgboost": XGBoost(n_estimators=40),
    "lightgbm": LightGBM(n_estimators=40),
    "random_forest": RandomForest(n_estimators=20),
    "lasso": Lasso(n_values=6),
    "ridge": Ridge(n_values=6),
    "lassonet": LASSONET,
    "mlp": MLP(d_block=32, max_epochs=20, batch_size=32, learning_rate=5e-3),
}
ELSEWHERE = {
    "catboost": (CatBoost(n_estimators=60), "catboost"),
    "ft_transformer": (
        FTTransformer(
            n_blocks=1,
            d_block=16,
            n_heads=2,
            max_epochs=25,
            batch_size=32,
            learning_rate=5e-3,
            attention_dropout=0.0,
        ),
        "rtdl_revisiting_models",
    ),
    "tabm": (TabM(**SMALL_TABM), "pytabkit"),
    "tabm_mini": (TabM("tabm-mini", **SMALL_TABM), "pytabkit"),
    "realmlp": (RealMLP(n_epochs=20), "pytabkit"),
    "ebm": (EBM(outer_bags=2, max_rounds=200, interactions=0), "interpret"),
    "tabnet": (
        TabNet(n_steps=2, max_epochs=40, batch_size=64, virtual_batch_size=32),
        "pytorch_tabnet",
    ),
    "deepfm": (
        DeepFM(max_epochs=30, batch_size=32, learning_rate=5e-3, hidden_units=(16,)),
        "deepctr_torch",
    ),
}


def needs(module: str) -> None:
    # Not importorskip: some of them warn while they are imported.
    if find_spec(module) is None:
        pytest.skip(f"{module} is an optional package of the benchmark")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", HERE)
def test_adapter(name, task):
    check_fit(HERE[name], mixed(task), 0.5)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_adapter_of_an_optional_package(name, task):
    method, module = ELSEWHERE[name]
    needs(module)
    split = mixed(task)
    if (name, task) == ("deepfm", "multiclass"):
        with pytest.raises(InvalidInput, match=r"3 classes.*leave it out"):
            method.fit(split, 0)
        return
    check_fit(method, split, 0.25 if name == "tabnet" else 0.5)


@pytest.mark.parametrize("name", [*HERE, "catboost", "tabm", "ebm", "tabnet", "ft_transformer"])
def test_class_without_training_rows(name):
    method, module = ELSEWHERE.get(name, (HERE.get(name), "numpy"))
    needs(module)
    # By loss networks would stop at once: validation rows hold a class that cannot be learnt.
    split = without_class(mixed("multiclass"), 1)._replace(stopping="score")
    predictions = method.fit(split, 0).predict(split.test.X)
    assert predictions.shape == (len(split.test.y), 3)
    assert predictions[:, 1].max() < 0.3
    rows = split.test.y != 1
    assert np.mean(predictions[rows].argmax(axis=1) == split.test.y[rows]) > 0.8


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("method", [Lasso(n_values=6), LASSONET])
def test_selected_columns_hold_the_truth_and_are_all_that_is_read(method, task):
    split = planted(task)
    found = method.fit(split, 0)
    assert {"x1", "x5"} <= set(found.selected)
    others = [name for name in split.test.X if name not in found.selected]
    changed = split.test.X.copy()
    changed[others] += 5
    np.testing.assert_allclose(
        found.predict(changed), found.predict(split.test.X), rtol=1e-4, atol=1e-5
    )


def test_penalty_that_leaves_nothing_selects_nothing():
    for task, alpha in (("regression", 10.0), ("multiclass", 1e-5)):
        assert Lasso(alpha=alpha).fit(planted(task), 0).selected == ()


@pytest.mark.parametrize("method", [XGBoost(learning_rate=0.5), LightGBM(learning_rate=0.5)])
def test_boosting_stops_on_validation_rows(method):
    split = mixed("regression")
    stopped = type(method)(n_estimators=400, learning_rate=0.5, early_stopping_rounds=5)
    all_trees = type(method)(n_estimators=100, learning_rate=0.5, early_stopping_rounds=None)
    assert stopped.fit(split, 0).facts["n_trees"] < 100
    assert all_trees.fit(split, 0).facts["n_trees"] == 100


def test_seeds_matter():
    split = mixed("regression")
    first, second = (HERE["mlp"].fit(split, seed).predict(split.test.X) for seed in (0, 1))
    assert not np.array_equal(first, second)
    assert gain(split, second) > 0.5
