"""The last stage: what was held out to choose by is learnt from too, once nothing is chosen."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.training import Plan, StageSettings
from lassoflexnet.training.fit import Trainer
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN

HELD_OUT = DATA._replace(held_out=True)
FINAL = replace(
    PLAN,
    path=replace(PLAN.path, n_lambdas=0),
    final=StageSettings(max_epochs=3, batch_size=32),
)


def fit(plan: Plan, data=HELD_OUT):
    goal = objective()
    torch.manual_seed(0)
    result = Trainer(plan, lambda layout: make_network(layout), data, goal).fit()
    return result, [row for row in goal.monitor.epochs if row.stage == "final"]


def test_joined_rows_are_all_rows():
    both = HELD_OUT.joined()
    n = DATA.train.n_rows
    assert both.train.n_rows == n + DATA.validation.n_rows
    assert torch.equal(both.train.codes.slot[:, n:], DATA.validation.codes.slot)
    assert torch.equal(both.train.codes.fraction[:, :n], DATA.train.codes.fraction)
    assert torch.equal(both.train.target[n:], DATA.validation.target)
    assert torch.equal(both.train.weight[:n], DATA.train.weight)
    assert torch.equal(both.validation.target, DATA.validation.target)


def test_the_kept_network_learns_from_the_held_out_rows():
    without, none = fit(replace(FINAL, final=StageSettings(max_epochs=0)))
    result, epochs = fit(FINAL)
    assert none == []
    assert 1 <= len(epochs) <= 3
    assert result.point.features == without.point.features
    assert not torch.equal(result.network.gate().beta, without.network.gate().beta)


def test_rows_given_to_judge_by_are_not_trained_on():
    result, epochs = fit(FINAL, DATA)
    without, _ = fit(replace(FINAL, final=StageSettings(max_epochs=0)), DATA)
    assert epochs == []
    assert torch.equal(result.network.gate().beta, without.network.gate().beta)


@pytest.mark.parametrize(("did_good", "n_epochs"), [(0, 0), (2, 2), (9, 3)])
def test_no_more_epochs_than_did_good_before(did_good: int, n_epochs: int):
    goal = objective()
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, goal)
    kept = trainer._dense_point().snapshot._replace(epoch=did_good, loss=float("inf"))
    trainer._final(tuple(range(6)), kept)
    assert sum(row.stage == "final" for row in goal.monitor.epochs) == n_epochs


def test_a_network_that_lost_its_way_is_not_kept():
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, objective())
    kept = trainer._dense_point().snapshot._replace(epoch=3, loss=0.0)
    assert trainer._final(tuple(range(6)), kept) is kept.network


def test_no_features_nothing_to_train():
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, objective())
    kept = trainer._dense_point().snapshot
    assert trainer._final((), kept) is kept.network
