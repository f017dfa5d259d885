"""Parts with values that cannot be used are refused by name."""

from dataclasses import dataclass, replace

import pytest

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import MixerSettings, MLPSettings
from lassoflexnet.prox import AdaptiveWeights, SequentialHierProx
from lassoflexnet.recipe import Recipe
from lassoflexnet.training import (
    AtMost,
    MarginalScreening,
    PathSettings,
    Plan,
    StageSettings,
)

MLP = MLPSettings()
PATH = PathSettings()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"backbone": "mlp"}, r"`Recipe.backbone` is 'mlp'. Use MixerSettings or MLPSettings."),
        ({"backbone": MLPSettings}, r"`Recipe.backbone` is <class"),
        ({"tau": "x"}, r"`Recipe.tau` is 'x'. Use float."),
        ({"tau": True}, r"`Recipe.tau` is True. Use float."),
        ({"tau": -1.0}, r"`Recipe.tau` is -1. Use 0 or more."),
        ({"tau": float("nan")}, r"`Recipe.tau` is nan. Use 0 or more."),
        ({"backbone": replace(MLP, d_hidden="auto")}, r"`MLPSettings.d_hidden` is 'auto'. Use int"),
        ({"backbone": replace(MLP, d_hidden=8.0)}, r"`MLPSettings.d_hidden` is 8.0. Use int."),
        ({"backbone": replace(MLP, d_hidden=0)}, r"`MLPSettings.d_hidden` is 0. Use 1 or more."),
        ({"backbone": replace(MLP, dropout=1.0)}, r"`MLPSettings.dropout` is 1. Use a number from"),
        ({"backbone": MixerSettings(n_tokens=0)}, r"`MixerSettings.n_tokens` is 0. Use 1 or more"),
        ({"plan": Plan(n_folds=1)}, r"`Plan.n_folds` is 1. Use 0, or 2 or more."),
        ({"plan": Plan(screening=MarginalScreening(level=0.0))}, r"`MarginalScreening.level` is 0"),
        ({"plan": Plan(screening=MarginalScreening(max_rounds=-1))}, r"max_rounds` is -1. Use 0"),
        ({"plan": Plan(path=replace(PATH, multiplier=0.5))}, r"multiplier` is 0.5. Use 1 or more"),
        ({"plan": Plan(choice=AtMost(-1))}, r"`AtMost.n_features` is -1. Use 0 or more"),
        ({"plan": Plan(max_supports=0)}, r"`Plan.max_supports` is 0. Use 1 or more."),
        (
            {"plan": Plan(path=PathSettings(weights=AdaptiveWeights(n_orders=0)))},
            r"`AdaptiveWeights.n_orders` is 0. Use 1 or more.",
        ),
        ({"plan": Plan(dense=StageSettings(batch_size=0))}, r"`StageSettings.batch_size` is 0"),
        ({"plan": Plan(path=replace(PATH, n_lambdas=-3))}, r"`PathSettings.n_lambdas` is -3"),
        ({"plan": Plan(path=replace(PATH, prox="joint"))}, r"`PathSettings.prox` is 'joint'. Use"),
        ({"plan": Plan(path=replace(PATH, prox=SequentialHierProx(M=0)))}, r"M` is 0. Use a num"),
        ({"plan": Plan(path=replace(PATH, start=2.0, end=1.0))}, r"`PathSettings.end` is 1, below"),
    ],
)
def test_what_cannot_be_used_is_named(change: dict, message: str):
    with pytest.raises(InvalidInput, match=message):
        Recipe(**change)


def test_none_is_allowed_where_the_part_says_so():
    Recipe(backbone=MixerSettings(n_tokens=None), plan=Plan(path=replace(PATH, end=None)))


def test_recipes_from_plain_values_are_checked_too():
    plain = Recipe().to_dict()
    plain["backbone"]["n_blocks"] = "three"
    with pytest.raises(InvalidInput, match=r"`MLPSettings.n_blocks` is 'three'. Use int."):
        Recipe.from_dict(plain)


def test_parts_of_ones_own_are_welcome():
    @dataclass(frozen=True)
    class Half:
        exact = True

        def __call__(self, gate, threshold):
            return gate

    Recipe(plan=Plan(path=replace(PATH, prox=Half())))
