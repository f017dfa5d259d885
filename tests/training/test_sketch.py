"""Supports are compared by narrower networks than the one that is kept."""

from dataclasses import replace

import torch

from lassoflexnet.nn import MLPSettings
from lassoflexnet.training import Plan
from lassoflexnet.training.choice import OneStandardError
from lassoflexnet.training.fit import Trainer
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN


def sketches_made(plan: Plan) -> list[int]:
    """Columns of every sketch that such a fit makes."""
    made = []

    def sketch(layout):
        # On the meta device networks are only looked at.
        if torch.get_default_device().type == "cpu":
            made.append(layout.n_features)
        return make_network(layout, backbone=MLPSettings(1, 3, 0.0))

    torch.manual_seed(0)
    Trainer(plan, lambda layout: make_network(layout), DATA, objective(), sketch=sketch).fit()
    return made


def test_every_deal_is_of_other_networks():
    plan = replace(PLAN, choice=OneStandardError())
    made = len(sketches_made(plan))
    assert len(sketches_made(replace(plan, n_deals=3))) == 3 * made


def test_all_columns_are_compared_too():
    made = sketches_made(replace(PLAN, choice=OneStandardError(), max_supports=2))
    assert made.count(DATA.layout.n_features) == PLAN.n_folds
    assert len(made) == 3 * PLAN.n_folds, "beside two others"


def test_supports_are_compared_by_sketches_and_the_kept_network_is_none():
    made = []

    def sketch(layout):
        # On the meta device networks are only looked at.
        if torch.get_default_device().type == "cpu":
            made.append(layout.n_features)
        return make_network(layout, backbone=MLPSettings(1, 3, 0.0))

    build, plan = make_network, replace(PLAN, choice=OneStandardError())
    result = Trainer(plan, lambda layout: build(layout), DATA, objective(), sketch=sketch).fit()
    assert len(made) >= 2 * plan.n_folds
    assert len(made) % plan.n_folds == 0
    assert result.network.backbone.head.in_features == build(DATA.layout).backbone.head.in_features
