"""Presets: values that can be printed, and estimators made from them."""

import pytest
from sklearn.base import clone

from lassoflexnet import PRESETS, LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.estimators.flat import flat_recipe
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training import Members
from lassoflexnet.variants import PAPER
from tests.estimators.makers import SMALL, numbers

KINDS = (LassoFlexNetRegressor, LassoFlexNetClassifier)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_its_arguments_and_no_others(kind, name):
    changed = {
        argument: value
        for argument, value in kind.from_preset(name).get_params().items()
        if value != kind().get_params()[argument]
    }
    given = PRESETS[name].arguments
    assert changed.items() <= given.items()
    assert changed


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_prints_what_it_sets_and_costs(name):
    text = str(PRESETS[name])
    assert text.startswith(f"{name}: ")
    assert "time" in text
    for argument, value in PRESETS[name].arguments.items():
        assert f"{argument}={value!r}" in text


def test_presets_cannot_be_changed():
    with pytest.raises(TypeError):
        PRESETS["fast"].arguments["n_members"] = 2
    with pytest.raises(TypeError):
        PRESETS["mine"] = PRESETS["fast"]


def test_changes_win_over_the_preset():
    model = LassoFlexNetRegressor.from_preset("best", n_members=3, tau=0.5)
    assert (model.n_members, model.tau) == (3, 0.5)
    assert clone(model).get_params() == model.get_params()


def test_the_papers_preset_is_the_papers_recipe():
    """All that differs are budgets of stages that it leaves out."""
    recipe = flat_recipe(LassoFlexNetRegressor.from_preset("paper").get_params(), 5000)
    assert {name.split(".")[1] for name in recipe.differences(PAPER)} <= {"fold", "relax"}
    assert recipe.plan.relax.max_epochs == 0
    assert not recipe.plan.choice.cross_fitted


def test_best_is_several_networks():
    recipe = flat_recipe(LassoFlexNetRegressor.from_preset("best").get_params(), 5000)
    assert isinstance(recipe.plan.ending, Members)
    assert recipe.plan.ending.n_members == PRESETS["best"].arguments["n_members"] > 1


@pytest.mark.parametrize("name", ["fast", "best"])
def test_presets_fit(name):
    X, y = numbers(80, 3)
    quick = {key: value for key, value in SMALL.items() if key not in PRESETS[name].arguments}
    model = LassoFlexNetRegressor.from_preset(name, **quick, verbose=0).fit(X, y)
    assert model.predict(X).shape == (80,)


def test_an_unknown_preset_is_told_the_known_ones():
    with pytest.raises(InvalidInput, match="preset 'fats' is not known"):
        LassoFlexNetRegressor.from_preset("fats")


@pytest.mark.parametrize("n_rows", [100, 600, 3000, 13_000, 100_000])
def test_fast_is_nowhere_larger_than_the_default(n_rows):
    fast, usual = (
        flat_recipe(model.get_params(), n_rows)
        for model in (LassoFlexNetRegressor.from_preset("fast"), LassoFlexNetRegressor())
    )
    assert fast.backbone.d_hidden <= usual.backbone.d_hidden
    assert fast.plan.dense.max_epochs <= usual.plan.dense.max_epochs
    steps = [r.plan.path.n_lambdas * r.plan.path.budget.max_epochs for r in (fast, usual)]
    assert steps[0] <= steps[1] / 2
