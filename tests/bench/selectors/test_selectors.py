"""Selectors: planted columns come first, penalties shrink, two stages use what was chosen."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.feature_selection import f_classif

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.lassonet import LassoNet
from lassoflexnet.bench.methods.linear import Lasso, Ridge
from lassoflexnet.bench.methods.networks import MLP, FTTransformer
from lassoflexnet.bench.methods.training import Batch, plain
from lassoflexnet.bench.methods.trees import RandomForest
from lassoflexnet.bench.selectors.base import TwoStage, n_kept
from lassoflexnet.bench.selectors.classical import (
    LassoSelector,
    RandomForestSelector,
    Univariate,
    XGBoostSelector,
)
from lassoflexnet.bench.selectors.networks import (
    AttentionMap,
    LassoNetSelector,
    attention_of_output,
)
from lassoflexnet.bench.selectors.penalised import (
    AdaptiveGroupLasso,
    DeepLasso,
    Groups,
    OneLayerLasso,
    first_layer,
    gradient_lasso,
    group_lasso,
)
from tests.bench.methods.makers import TASKS, cut, mixed, planted
from tests.bench.methods.test_adapters import needs

SMALL = MLP(d_block=16, max_epochs=10, batch_size=32, learning_rate=5e-3)
TRANSFORMER = FTTransformer(
    n_blocks=1, d_block=16, n_heads=2, max_epochs=20, batch_size=32, learning_rate=5e-3
)
LASSONET = LassoNet(
    hidden_dims=(8,),
    lambda_start=20.0,
    path_multiplier=1.5,
    batch_size=40,
    dense_epochs=100,
    path_epochs=8,
)
SELECTORS = {
    "univariate": Univariate(),
    "lasso": LassoSelector(Lasso(n_values=6)),
    "one_layer_lasso": OneLayerLasso(0.05, SMALL),
    "adaptive_group_lasso": AdaptiveGroupLasso(0.05, network=SMALL),
    "lassonet": LassoNetSelector(LASSONET),
    "random_forest": RandomForestSelector(RandomForest(n_estimators=20)),
    "xgboost": XGBoostSelector(),
    "deep_lasso": DeepLasso(0.05, SMALL),
    "attention_map": AttentionMap(TRANSFORMER),
}
TRUTH, NOISE = [1, 5], [0, 2, 3, 4, 6, 7]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", SELECTORS)
def test_planted_columns_come_first(name, task):
    if name == "attention_map":
        needs("rtdl_revisiting_models")
    found = SELECTORS[name].rank(planted(task), 0)
    assert found.shape == (8,)
    assert set(np.argsort(-found)[:2]) == set(TRUTH)


@pytest.mark.parametrize("name", SELECTORS)
def test_one_importance_per_column_of_any_kind(name):
    if name == "attention_map":
        needs("rtdl_revisiting_models")
    split = mixed("binary")
    found = SELECTORS[name].rank(split, 0)
    assert found.shape == (6,)
    assert np.isfinite(found).all()
    assert found[0] > found[5]


def test_same_seed_same_ranking():
    split = mixed("binary")
    first, again, other = (SELECTORS["deep_lasso"].rank(split, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_univariate_is_the_f_statistic():
    split = planted("multiclass")
    expected, _ = f_classif(split.train.X.to_numpy(), split.train.y)
    np.testing.assert_allclose(Univariate("standard").rank(split, 0), expected, rtol=1e-4)
    constant = split._replace(train=split.train._replace(X=split.train.X.assign(x0=1.0)))
    assert Univariate().rank(constant, 0)[0] == 0


def test_lasso_of_many_classes_takes_the_length_over_classes():
    split = planted("multiclass")
    best = Lasso(alpha=1.0).choose(split, 0)
    assert best.model.coef_.shape == (3, 8)
    expected = np.sqrt((best.model.coef_**2).sum(axis=0))
    np.testing.assert_allclose(LassoSelector(Lasso(alpha=1.0)).rank(split, 0), expected)


def test_norms_take_the_levels_of_a_column_together():
    problem = MLP().pose(mixed("binary"))
    weights = torch.randn(4, len(problem.encoder.owners))
    found = Groups(problem).norms(weights)
    for j in range(6):
        part = weights[:, problem.encoder.owners == j]
        assert found[j].item() == pytest.approx(part.norm().item(), rel=1e-4)


@pytest.mark.parametrize("selector", [OneLayerLasso, AdaptiveGroupLasso])
def test_more_penalty_less_noise(selector):
    split = planted("regression")
    weak, strong = (selector(r, network=SMALL).rank(split, 0) for r in (1e-4, 0.2))
    assert strong[NOISE].max() < 0.5 * weak[NOISE].min()
    assert strong[TRUTH].min() / strong[NOISE].max() > 2 * weak[TRUTH].min() / weak[NOISE].max()


def test_second_pass_presses_harder_on_what_was_small():
    split = planted("regression")
    once = OneLayerLasso(0.02, SMALL).rank(split, 0)
    twice = AdaptiveGroupLasso(0.02, network=SMALL).rank(split, 0)
    assert twice[TRUTH].min() / twice[NOISE].max() > once[TRUTH].min() / once[NOISE].max()


def test_objectives_are_the_mix_they_say():
    problem = SMALL.pose(planted("regression"))
    module, groups = SMALL._build(8, 1).eval(), Groups(problem)
    batch = problem.rows[0].at(torch.arange(20))
    loss = plain(module, batch, problem.goal)
    weights = torch.arange(8.0)
    norms = first_layer(module).norm(dim=0)
    expected = 0.7 * loss + 0.3 * (weights * norms).sum()
    found = group_lasso(groups, 0.3, weights)(module, batch, problem.goal)
    assert found.item() == pytest.approx(expected.item(), rel=1e-4)
    slopes = finite_differences(module, batch, problem.goal)
    expected = 0.7 * loss + 0.3 * (slopes.square().sum(dim=0) + 1e-8).sqrt().sum()
    found = gradient_lasso(groups, 0.3)(module, batch, problem.goal)
    assert found.item() == pytest.approx(expected.item(), rel=1e-3)


def finite_differences(module, batch: Batch, goal, step: float = 1e-5) -> torch.Tensor:
    x = batch.inputs[0].detach().double()
    module = module.double()
    found = torch.zeros_like(x)
    for i, j in np.ndindex(*x.shape):
        moved = torch.zeros_like(x)
        moved[i, j] = step
        high, low = (goal.loss(module(x + sign * moved), batch.target.double()) for sign in (1, -1))
        found[i, j] = (high - low).item() / (2 * step)
    module.float()
    return found


def test_attention_is_what_the_network_uses():
    needs("rtdl_revisiting_models")
    split = mixed("binary")
    network = FTTransformer(n_blocks=2, d_block=16, n_heads=2, max_epochs=1, attention_dropout=0.3)
    problem = network.pose(split)
    module, _ = network.train(problem, 0)
    inputs = problem.rows[1].inputs
    seen = []
    for block in module.network.backbone.blocks:
        block["attention"].dropout.register_forward_hook(lambda _, x, __: seen.append(x[0]))
    found = attention_of_output(module, inputs)
    # (rows * heads, queries, tokens); the output token is the first of both.
    expected = torch.stack([probs[:, 0, 1:].mean(dim=0) for probs in seen]).mean(dim=0)
    torch.testing.assert_close(found, expected)
    assert len(found) == 6


class Watched:
    """A downstream method that shows what it was given."""

    def fit(self, split, seed):
        self.columns, self.seed = list(split.train.X), seed
        return Fitted(lambda X: X.sum(axis=1).to_numpy(), None, {"own": 1})


class Fixed:
    def rank(self, split, seed):
        return np.array([0.5, 3.0, np.nan, -1.0, 1.0, 2.0, 0.0, 0.0])[: split.train.X.shape[1]]


@pytest.mark.parametrize(
    ("real", "expected"),
    [(("x1", "x5"), ["x1", "x5"]), ((), ["x0", "x1", "x4", "x5"]), (("x0",), ["x1"])],
)
def test_two_stages_use_exactly_the_best_columns(real, expected):
    split = planted("regression")._replace(real=real)
    downstream = Watched()
    found = TwoStage(Fixed(), downstream).fit(split, 7)
    assert downstream.columns == expected
    assert downstream.seed == 7
    assert found.selected == tuple(expected)
    assert len(expected) == n_kept(split)
    np.testing.assert_allclose(found.predict(split.test.X), split.test.X[expected].sum(axis=1))
    assert found.facts["own"] == 1
    assert found.facts["ranking"][0] == "x1"
    assert found.facts["ranking"][-1] == "x2"


def test_two_stages_beat_one_among_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 60))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(60)])
    split = cut(frame, X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=160), "regression", ("x0", "x1"))
    alone = Ridge(alpha=1.0).fit(split, 0).predict(split.test.X)
    both = TwoStage(Univariate(), Ridge(alpha=1.0)).fit(split, 0)
    errors = [np.mean((p - split.test.y) ** 2) for p in (both.predict(split.test.X), alone)]
    assert both.selected == ("x0", "x1")
    assert errors[0] < 0.5 * errors[1]


def test_attention_map_without_its_package():
    if find_spec("rtdl_revisiting_models"):
        pytest.skip("rtdl_revisiting_models is installed")
    with pytest.raises(ImportError, match="rtdl_revisiting_models"):
        AttentionMap().rank(planted("binary"), 0)
