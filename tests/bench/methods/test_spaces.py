"""Spaces of two stages: the published bounds, in names that both stages have."""

import numpy as np
import pytest

from lassoflexnet.bench.methods.catalogue import SELECTORS as KINDS
from lassoflexnet.bench.methods.catalogue import make_method
from lassoflexnet.bench.methods.spaces import ALL_SPACES, SELECTORS
from lassoflexnet.bench.methods.tuned import nested
from lassoflexnet.tuning import ZeroOr

PAIRS = [f"{selector}+{behind}" for selector in SELECTORS for behind in ("mlp", "ft_transformer")]
# Lowest, highest, on a log scale, 0 in half of the trials.
TREES = {
    "max_depth": (3, 10, False, False),
    "min_child_weight": (1e-8, 1e5, True, False),
    "subsample": (0.5, 1, False, False),
    "colsample_bytree": (0.5, 1, False, False),
    "learning_rate": (1e-5, 1, True, False),
    "gamma": (1e-3, 100, True, True),
    "reg_lambda": (0.1, 10, True, True),
}
MLP = {"n_blocks", "d_block", "dropout", "learning_rate", "weight_decay"}
TRANSFORMER = {"n_blocks", "d_block", "ffn_factor", "learning_rate", "weight_decay"} | {
    f"{place}_dropout" for place in ("attention", "ffn", "residual")
}
OWN = {
    "one_layer_lasso": {"strength"} | {f"network.{name}" for name in MLP},
    "deep_lasso": {"strength"} | {f"network.{name}" for name in MLP},
    "adaptive_group_lasso": {"strength"},
    "attention_map": {f"network.{name}" for name in TRANSFORMER},
    "xgboost": {f"trees.{name}" for name in TREES},
    "random_forest": {"forest.n_estimators", "forest.max_depth"},
    "lasso": {"lasso.alpha"},
    "univariate": set(),
    "lassonet": set(),
}


def test_selectors_draw_what_was_published():
    assert {name: set(ranges) for name, ranges in SELECTORS.items()} == OWN
    assert set(SELECTORS) == set(KINDS)


@pytest.mark.parametrize("name", TREES)
def test_bounds_of_the_trees_that_select(name):
    low, high, log, zero = TREES[name]
    part = SELECTORS["xgboost"][f"trees.{name}"]
    assert isinstance(part, ZeroOr) == zero
    part = part.range if zero else part
    assert (part.low, part.high, part.log) == (low, high, log)


@pytest.mark.parametrize("name", PAIRS)
def test_every_draw_makes_both_stages(name):
    rng = np.random.default_rng(0)
    first, second = ALL_SPACES[name].sample(rng), ALL_SPACES[name].sample(rng)
    made = [make_method(name, nested(draw)) for draw in (first, second)]
    assert made[0].downstream != made[1].downstream
    same = not SELECTORS[name.split("+")[0]]
    assert (made[0].selector == made[1].selector) == same


def test_a_network_that_selects_is_drawn_apart_from_the_one_behind():
    draw = ALL_SPACES["deep_lasso+mlp"].sample(np.random.default_rng(0))
    made = make_method("deep_lasso+mlp", nested(draw))
    assert made.selector.network.d_block == draw["selector.network.d_block"]
    assert made.downstream.d_block == draw["downstream.d_block"]
    assert made.selector.network != made.downstream
    assert made.selector.strength == draw["selector.strength"]
