"""Estimators that take a recipe ready."""

import json
from dataclasses import replace

import numpy as np
import pytest

from lassoflexnet import Recipe, RecipeClassifier, RecipeRegressor
from lassoflexnet.estimators.flat import flat_recipe
from lassoflexnet.nn import NoSkipSettings
from lassoflexnet.prox import NoProx
from lassoflexnet.variants import short, with_path
from tests.estimators.makers import QUICK, classifier, labelled, numbers, regressor

N = 60


def test_both_doors_lead_to_the_same_room():
    X, y = numbers(N)
    flat = regressor(**QUICK).fit(X, y)
    recipe = flat_recipe(flat.get_params(), 51)
    model = RecipeRegressor(recipe, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), flat.predict(X))


def test_both_doors_lead_to_the_same_room_of_labels():
    X, y = labelled(N)
    flat = classifier(class_weight={"low": 3.0}, **QUICK).fit(X, y)
    recipe = flat_recipe(flat.get_params(), 51)
    model = RecipeClassifier(recipe, class_weight={"low": 3.0}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), flat.predict_proba(X))


def test_a_recipe_from_json_gives_the_same_model():
    X, y = numbers(N)
    recipe = flat_recipe(regressor(backbone="mixer", binning="tree", **QUICK).get_params(), 51)
    again = Recipe.from_dict(json.loads(json.dumps(recipe.to_dict())))
    first, second = (RecipeRegressor(r, random_state=0).fit(X, y) for r in (recipe, again))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


@pytest.mark.parametrize("estimator", [RecipeRegressor, RecipeClassifier])
def test_no_recipe_is_the_default_one(estimator):
    assert estimator().recipe is None
    assert estimator()._recipe(100) == Recipe()


def test_without_skip_and_prox_every_column_is_kept():
    X, y = numbers(N)
    recipe = short(replace(Recipe(), skip=NoSkipSettings()), 1, 0)
    model = RecipeRegressor(with_path(recipe, prox=NoProx()), random_state=0).fit(X, y)
    assert model.support_.all()
    assert model.skip_weights_.tolist() == [1.0] * 5


def test_a_recipe_is_stored_as_it_is():
    recipe = Recipe(tau=0.25)
    assert RecipeRegressor(recipe).recipe is recipe
    assert RecipeClassifier(recipe).get_params()["recipe"] is recipe
