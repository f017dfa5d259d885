"""Names in experiment files: what they make, and what is said about unknown ones."""

from dataclasses import is_dataclass

import pytest

from lassoflexnet import LassoFlexNetClassifier
from lassoflexnet.bench.methods import ours
from lassoflexnet.bench.methods.catalogue import METHODS, SELECTORS, fingerprint, make_method
from lassoflexnet.bench.methods.lassonet import LassoNet
from lassoflexnet.bench.methods.networks import MLP
from lassoflexnet.bench.methods.trees import CatBoost, XGBoost
from lassoflexnet.bench.selectors.base import TwoStage
from lassoflexnet.bench.selectors.classical import Univariate, XGBoostSelector
from lassoflexnet.bench.selectors.penalised import OneLayerLasso
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import nearest_first
from lassoflexnet.variants import ABLATIONS


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_a_frozen_value_that_fits(name):
    method = make_method(name, {})
    assert is_dataclass(method)
    assert method == make_method(name, {})
    assert callable(method.fit)


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_goes_with_a_downstream_method(name):
    method = make_method(f"{name}+mlp", {})
    assert type(method.selector) is SELECTORS[name]
    assert method.downstream == MLP()


def test_settings_reach_the_parts():
    assert make_method("catboost", {"max_depth": 4}) == CatBoost(max_depth=4)
    assert make_method("lassonet", {"hidden_dims": [8, 4]}) == LassoNet(hidden_dims=(8, 4))
    settings = {
        "selector": {"strength": 0.3, "network": {"d_block": 20}},
        "downstream": {"n_blocks": 1},
    }
    expected = TwoStage(OneLayerLasso(0.3, MLP(d_block=20)), MLP(n_blocks=1))
    assert make_method("one_layer_lasso+mlp", settings) == expected
    # What is not named stays as the selector has it, not as the method has it.
    trees = make_method("xgboost+mlp", {"selector": {"trees": {"max_depth": 3}}}).selector.trees
    assert trees == XGBoost(n_estimators=2000, early_stopping_rounds=50, max_depth=3)
    assert XGBoostSelector().trees.max_depth is None


def test_our_own():
    method = make_method("lassoflexnet", {"max_epochs": 3})
    assert method == ours.LassoFlexNet(arguments={"max_epochs": 3})
    assert make_method("univariate+lassoflexnet", {}).selector == Univariate()
    assert make_method("recipe:No EMA", {}).recipe == ABLATIONS["No EMA"]
    assert make_method("recipe:No EMA", {"dense_epochs": 3}).recipe.plan.dense.max_epochs == 3


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("catbost", {}, r"method 'catbost' is not known. Use one of: catboost,"),
        ("univariat+mlp", {}, r"selector 'univariat' is not known. Use one of: univariate,"),
        ("univariate+mpl", {}, r"method 'mpl' is not known. Use one of: mlp,"),
        ("mlp", {"dropuot": 0.1}, r"setting of `mlp` 'dropuot' .* Use one of: dropout,"),
        ("mlp", {"dropout": "much"}, r"`MLP.dropout` is 'much'"),
        ("mlp", {"n_blocks": 0}, r"`MLP.n_blocks` is 0. Use 1 or more"),
        ("lasso+mlp", {"alpha": 1}, r"setting of `lasso\+mlp` 'alpha' .* selector"),
        (
            "deep_lasso+mlp",
            {"selector": {"network": {"d_blok": 3}}},
            r"setting of `deep_lasso.network` 'd_blok' .* Use one of: d_block,",
        ),
        ("lassoflexnet", {"learning_rat": 1}, r"'learning_rat' .* Use one of: learning_rate,"),
        ("lassoflexnet", {"random_state": 1}, r"'random_state' is not known"),
        ("recipe:No EMU", {}, r"recipe 'No EMU' is not known. Use one of: 'No EMA',"),
        ("recipe:No EMA", {"row": "No PLE"}, r"leave it out"),
        ("recipe:No EMA", {"n_lambda": 1}, r"Use one of: n_lambdas,"),
    ],
)
def test_unknown_names(name, settings, message):
    with pytest.raises(InvalidInput, match=message):
        make_method(name, settings)


def test_fingerprint_follows_our_defaults_alone():
    assert fingerprint("catboost", {}) is None
    assert fingerprint("univariate+mlp", {}) is None
    base = fingerprint("lassoflexnet", {})
    assert base == fingerprint("lassoflexnet", {})
    assert base != fingerprint("lassoflexnet", {"tau": 0.5})
    assert base == fingerprint("univariate+lassoflexnet", {})
    rows = {fingerprint(f"recipe:{row}", {}) for row in ABLATIONS}
    assert len(rows) == len(ABLATIONS)


@pytest.mark.parametrize(("name", "other"), [("validation_fraction", 0.2), ("calibrate", False)])
def test_fingerprint_follows_defaults_that_no_recipe_tells_of(monkeypatch, name, other):
    base = fingerprint("lassoflexnet_all_rows", {})
    get_params = LassoFlexNetClassifier.get_params
    monkeypatch.setattr(
        LassoFlexNetClassifier, "get_params", lambda self: {**get_params(self), name: other}
    )
    assert fingerprint("lassoflexnet_all_rows", {}) != base
    assert fingerprint("catboost", {}) is None


def test_nearest_first_keeps_every_name():
    assert nearest_first("zzz", ["b", "a"]) == ["a", "b"]
    assert nearest_first("XGBOOST", ["catboost", "xgboost"])[0] == "xgboost"
