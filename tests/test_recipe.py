"""Recipes: round trips, errors, differences."""

import json
from dataclasses import FrozenInstanceError, is_dataclass, replace

import pytest

from lassoflexnet import nn, optim, prox, training
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import MixerSettings, MLPSettings, NoSkipSettings
from lassoflexnet.optim import Constant, WarmupCosine
from lassoflexnet.recipe import PARTS, Recipe, _from_plain, _to_plain
from lassoflexnet.table import PiecewiseLinear, QuantileBins, Standardized, TableEncoder, TreeBins
from lassoflexnet.training import AtMost, StageSettings
from lassoflexnet.variants import ABLATIONS, LASSONET, PAPER, with_path, with_plan

RECIPES = {
    "default": Recipe(),
    "LassoNet": LASSONET,
    **ABLATIONS,
    "few": with_plan(Recipe(), choice=AtMost(3)),
    "given range": with_path(PAPER, start=1e-3, multiplier=100.0),
}
every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
NEED_ARGUMENTS = {"AtMost": AtMost(3), "Recipe": Recipe()}
RESULTS = {"ScreeningReport", "LambdaPath", "PathPoint", "History", "Monitor"}


@every_recipe
def test_round_trip_through_dictionaries(recipe: Recipe):
    assert Recipe.from_dict(recipe.to_dict()) == recipe


@every_recipe
def test_round_trip_through_json(recipe: Recipe):
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize("name", sorted(set(PARTS) - {"Recipe"}))
def test_round_trip_of_every_part(name: str):
    part = NEED_ARGUMENTS[name] if name in NEED_ARGUMENTS else PARTS[name]()
    plain = _to_plain(part)
    assert plain["kind"] == name
    assert _from_plain(json.loads(json.dumps(plain))) == part


@pytest.mark.parametrize("package", [nn, optim, prox, training])
def test_every_part_that_is_exported_has_its_name_here(package):
    exported = {name: getattr(package, name) for name in package.__all__}
    parts = {name for name, thing in exported.items() if is_dataclass(thing)} - RESULTS
    assert parts
    assert parts <= set(PARTS)
    assert all(PARTS[name] is exported[name] for name in parts)


def test_recipes_are_frozen_and_can_be_keys():
    with pytest.raises(FrozenInstanceError):
        Recipe().tau = 2.0
    assert len({Recipe(), Recipe(), replace(Recipe(), tau=2.0)}) == 2


def test_what_is_not_given_is_the_default():
    assert Recipe.from_dict({"kind": "Recipe", "tau": 0.5}) == replace(Recipe(), tau=0.5)
    mixer = {"kind": "Recipe", "backbone": {"kind": "MixerSettings", "n_blocks": 5}}
    assert Recipe.from_dict(mixer).backbone == MixerSettings(n_blocks=5)


def test_unknown_kind_lists_the_known_ones():
    plain = {"kind": "Recipe", "backbone": {"kind": "Transformer"}}
    with pytest.raises(InvalidInput, match=r"`kind` is 'Transformer'. Use one of .*") as error:
        Recipe.from_dict(plain)
    assert all(name in str(error.value) for name in PARTS)


def test_missing_kind():
    with pytest.raises(InvalidInput, match="`kind` is None"):
        Recipe.from_dict({"kind": "Recipe", "backbone": {"n_blocks": 5}})


def test_unknown_field_lists_the_known_ones():
    plain = {"kind": "Recipe", "backbone": {"kind": "MLPSettings", "depth": 5}}
    message = r"`MLPSettings` has no field `depth`. It has n_blocks, d_hidden, dropout."
    with pytest.raises(InvalidInput, match=message):
        Recipe.from_dict(plain)


def test_something_else_than_a_recipe():
    with pytest.raises(InvalidInput, match=r"outermost `kind` is 'Plan'\. Use 'Recipe'"):
        Recipe.from_dict({"kind": "Plan"})


@every_recipe
def test_no_differences_to_itself(recipe: Recipe):
    assert recipe.differences(recipe) == {}
    assert recipe.differences(Recipe.from_dict(recipe.to_dict())) == {}


def test_differences_have_dotted_names_and_both_values():
    base = Recipe()
    other = replace(with_path(base, power=2.0), tau=0.5)
    assert base.differences(other) == {"tau": (1.0, 0.5), "plan.path.power": (8.0, 2.0)}
    assert other.differences(base) == {"tau": (0.5, 1.0), "plan.path.power": (2.0, 8.0)}


def test_parts_of_different_kind_differ_as_a_whole():
    base = replace(Recipe(), backbone=MLPSettings(n_blocks=2))
    other = replace(base, backbone=MixerSettings(n_blocks=2))
    ((name, (ours, theirs)),) = base.differences(other).items()
    assert name == "backbone"
    assert (ours["kind"], theirs["kind"]) == ("MLPSettings", "MixerSettings")


def test_differences_reach_into_every_branch():
    base = Recipe(table=TableEncoder(numeric=PiecewiseLinear(bins=TreeBins())))
    changes = {
        "table.numeric.bins": TableEncoder(numeric=PiecewiseLinear(bins=QuantileBins())),
        "table.numeric": TableEncoder(numeric=Standardized()),
    }
    for name, table in changes.items():
        assert set(base.differences(replace(base, table=table))) == {name}
    assert set(base.differences(replace(base, skip=NoSkipSettings()))) == {"skip"}
    stage = StageSettings(schedule=Constant())
    assert base.plan.dense.schedule == WarmupCosine()
    assert set(base.differences(with_plan(base, dense=stage))) == {"plan.dense.schedule"}
