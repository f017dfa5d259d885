"""Supports are compared by narrower networks than the one that is kept."""

from dataclasses import replace

from lassoflexnet.nn import MLPSettings
from lassoflexnet.training.choice import OneStandardError
from lassoflexnet.training.fit import Trainer
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN


def test_supports_are_compared_by_sketches_and_the_kept_network_is_none():
    made = []

    def sketch(layout):
        made.append(layout.n_features)
        return make_network(layout, backbone=MLPSettings(1, 3, 0.0))

    build, plan = make_network, replace(PLAN, choice=OneStandardError())
    result = Trainer(plan, lambda layout: build(layout), DATA, objective(), sketch=sketch).fit()
    assert len(made) >= 2 * plan.n_folds
    assert len(made) % plan.n_folds == 0
    assert result.network.backbone.head.in_features == build(DATA.layout).backbone.head.in_features
