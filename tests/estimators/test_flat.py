"""The flat door: named numbers -> recipe."""

import inspect

import pytest

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.estimators.flat import (
    BACKBONES,
    BINNING,
    FLAT_CONSTRAINTS,
    OPTIMIZERS,
    SELECTION,
    flat_recipe,
)
from lassoflexnet.estimators.sizes import RULES
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import MixerSettings
from lassoflexnet.optim import AdamWSettings, MuonSettings
from lassoflexnet.recipe import Recipe
from lassoflexnet.table import TreeBins
from lassoflexnet.training import AsKept, AtMost, MarginalScreening, Members, TrainOn

FLAT = [LassoFlexNetRegressor, LassoFlexNetClassifier]
SIZES = {"n_bins", "d_hidden", "dropout", "batch_size", "max_epochs", "evaluate_every", "n_deals"}
"""Fields of parts that follow the number of rows unless the user says otherwise."""


@pytest.mark.parametrize("estimator", FLAT)
@pytest.mark.parametrize("n_rows", [50, 1000, 10**6])
def test_defaults_are_those_of_the_parts_but_for_sizes(estimator, n_rows):
    recipe = flat_recipe(estimator().get_params(), n_rows)
    differences = recipe.differences(Recipe())
    assert {name.rpartition(".")[2] for name in differences} <= SIZES


def test_both_estimators_have_the_same_arguments_and_defaults():
    regressor, classifier = (estimator().get_params() for estimator in FLAT)
    assert classifier.pop("class_weight") is None
    assert classifier.pop("calibrate") is True
    assert regressor == classifier


@pytest.mark.parametrize("estimator", FLAT)
def test_all_arguments_are_named_and_constrained(estimator):
    parameters = inspect.signature(estimator).parameters
    assert {p.kind for p in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert set(parameters) == set(estimator._parameter_constraints)
    assert set(FLAT_CONSTRAINTS) < set(parameters)


@pytest.mark.parametrize(("n_rows", "expected"), [(1999, 3), (2000, 2), (49_999, 2), (50_000, 1)])
def test_fewer_rows_are_dealt_out_more_often(n_rows, expected):
    assert flat_recipe(LassoFlexNetRegressor().get_params(), n_rows).plan.n_deals == expected


def test_what_is_not_cross_fitted_is_dealt_out_once():
    arguments = LassoFlexNetRegressor(selection="best").get_params()
    assert flat_recipe(arguments, 600).plan.n_deals == 1


def test_strings_become_parts():
    arguments = LassoFlexNetRegressor(binning="tree", backbone="mixer", selection=4).get_params()
    recipe = flat_recipe(arguments, 1000)
    assert recipe.table.numeric.bins == TreeBins()
    assert isinstance(recipe.backbone, MixerSettings)
    assert recipe.plan.choice == AtMost(4)


@pytest.mark.parametrize(
    ("name", "table"), [("binning", BINNING), ("backbone", BACKBONES), ("selection", SELECTION)]
)
def test_every_string_that_is_allowed_is_known(name, table):
    for value in table:
        arguments = LassoFlexNetRegressor(**{name: value}).get_params()
        assert isinstance(flat_recipe(arguments, 100), Recipe)


@pytest.mark.parametrize("name", RULES)
def test_auto_is_what_the_rule_says_and_a_number_is_a_number(name):
    arguments = LassoFlexNetRegressor().get_params()
    assert arguments[name] == "auto"
    ruled = flat_recipe({**arguments, name: RULES[name](777)}, 777)
    assert flat_recipe(arguments, 777) == ruled
    other = 0.25 if "dropout" in name else 3
    assert flat_recipe({**arguments, name: other}, 777) != ruled


@pytest.mark.parametrize(("name", "kind"), OPTIMIZERS.items())
def test_the_optimizer_is_that_of_the_networks_that_predict(name, kind):
    model, chosen = LassoFlexNetRegressor(optimizer=name), kind(4e-3, 1e-2)
    plan = flat_recipe(model.get_params(), 100).plan
    assert (plan.ending.optimizer, plan.optimizer) == (chosen, AdamWSettings(4e-3, 1e-2))
    for alone in ({"n_members": 1}, {"refit": False}):
        assert flat_recipe(model.set_params(**alone).get_params(), 100).plan.optimizer == chosen


def test_muon_takes_twice_the_rate():
    assert OPTIMIZERS["muon"](0.5, 0.1) == MuonSettings(1.0, 0.1)
    assert OPTIMIZERS["adamw"](0.5, 0.1) == AdamWSettings(0.5, 0.1)


def test_the_path_runs_at_half_the_rate():
    plan = flat_recipe(LassoFlexNetRegressor(learning_rate=0.5).get_params(), 100).plan
    assert plan.path.optimizer == AdamWSettings(0.25, plan.optimizer.weight_decay)


def test_without_refit_there_are_no_epochs_for_it():
    assert (
        flat_recipe(LassoFlexNetRegressor(refit=False).get_params(), 9).plan.relax.max_epochs == 0
    )


def test_a_path_that_goes_down_is_refused():
    arguments = LassoFlexNetRegressor(lambda_start=2.0, lambda_end=1.0).get_params()
    with pytest.raises(InvalidInput, match=r"`lambda_end` is 1.0, below `lambda_start`, 2.0"):
        flat_recipe(arguments, 100)


@pytest.mark.parametrize(("patience", "every"), [(16, 4), (4, 4), (3, 1)])
def test_a_lambda_is_judged_at_its_end_unless_patience_may_end_it(patience: int, every: int):
    model = LassoFlexNetRegressor(max_epochs_per_lambda=4, patience=patience)
    assert flat_recipe(model.get_params(), 9).plan.path.budget.evaluate_every == every


@pytest.mark.parametrize(
    ("screening", "part"),
    [
        ("auto", MarginalScreening()),
        (True, MarginalScreening(always=True)),
        (False, None),
        (7, MarginalScreening(max_features=7, always=True)),
    ],
)
def test_screening(screening, part):
    model = LassoFlexNetRegressor(screening=screening)
    assert flat_recipe(model.get_params(), 9).plan.screening == part


@pytest.mark.parametrize(("arguments", "ending"), [({}, Members), ({"refit": False}, AsKept)])
def test_members_are_several_where_there_is_a_refit(arguments, ending):
    plan = flat_recipe(LassoFlexNetRegressor(**arguments).get_params(), 1000).plan
    assert isinstance(plan.ending, ending)
    one = flat_recipe(LassoFlexNetRegressor(n_members=1).get_params(), 1000).plan
    assert isinstance(one.ending, TrainOn)
