"""A sparser support challenges the one liked best."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.training import Members, PathPoint, Trainer
from lassoflexnet.training.challenge import Held, challenged
from lassoflexnet.training.stage import Snapshot
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN, STAGE
from tests.training.test_supports import judged

LUCK = torch.tensor([0.1, -0.1, 0.1, -0.1])
# On the path all supports are alike.
SUPPORTS = [judged(n, 1.0, 1.0, 1.0, 1.0) for n in (6, 5, 4, 3)]


def held(errors: dict[int, float]) -> tuple[int, float | None, list[int]]:
    """Size of the support that stays, its member's error, and sizes of all that were trained."""
    trained = []

    def member_of(point: PathPoint) -> Snapshot:
        trained.append(point.n_features)
        error = errors[point.n_features]
        return Snapshot(None, error + LUCK * (point.n_features % 2), error)

    point, member = challenged(SUPPORTS[0], SUPPORTS, member_of, torch.ones(4))
    return point.n_features, None if member is None else member.loss, trained


def test_a_support_that_is_clearly_better_takes_the_place_and_is_challenged_in_turn():
    assert held({6: 0.9, 5: 0.5, 4: 0.5}) == (5, 0.5, [6, 5, 4])
    assert held({6: 0.9, 5: 0.5, 4: 0.2, 3: 0.1}) == (4, 0.2, [6, 5, 4, 3])
    assert held({6: 0.9, 5: 0.5, 4: 0.2, 3: 0.0}) == (3, 0.0, [6, 5, 4, 3])


def test_a_little_better_is_not_enough():
    assert held({6: 0.9, 5: 0.85}) == (6, 0.9, [6, 5])


def test_without_a_likely_rival_nothing_is_trained():
    point, member = challenged(SUPPORTS[3], SUPPORTS, lambda _: 1 / 0, torch.ones(4))
    assert (point, member) == (SUPPORTS[3], None)


MEMBERS = replace(PLAN, ending=Members(n_members=2, budget=replace(STAGE, max_epochs=2)))


def fit(plan=MEMBERS, data=DATA):
    goal = objective()
    torch.manual_seed(0)
    trainer = Trainer(plan, lambda layout: make_network(layout), data, goal)
    result = trainer._ended(trainer._fit())
    return trainer, result, [row.stage for row in goal.monitor.epochs]


@pytest.fixture
def in_favour(monkeypatch: pytest.MonkeyPatch):
    """The sparsest support but none wins every challenge."""

    def won(liked, supports, member_of, weight):
        assert len(weight) == DATA.validation.n_rows
        sparsest = min((p for p in supports if p.n_features), key=lambda p: p.n_features)
        return Held(sparsest, member_of(sparsest))

    monkeypatch.setattr("lassoflexnet.training.judge.challenged", won)


@pytest.mark.usefixtures("in_favour")
def test_the_winner_is_kept_and_its_member_predicts():
    trainer, result, stages = fit()
    assert result.point.n_features == min(p.n_features for p in result.path.points if p.n_features)
    assert stages.count("challenge") == 2
    assert stages.count("member 1") == 2
    assert "member 2" not in stages
    rows = DATA.validation
    poor = result.validated._replace(errors=torch.full((rows.n_rows,), 1e9))
    for n_members in (1, 2):
        ending = replace(trainer.plan.ending, n_members=n_members)
        data = DATA.keep(torch.tensor(result.point.features))
        network = ending(poor, data, trainer.workshop, result.member).network
        assert network.members[0] is result.member.network
        assert len(network.members) == n_members


@pytest.mark.usefixtures("in_favour")
def test_members_of_other_rows_are_all_new():
    _, result, stages = fit(data=DATA._replace(held_out=True))
    assert result.member is not None
    assert all(one is not result.member.network for one in result.network.members)
    assert {"member 1", "member 2"} <= set(stages)


@pytest.mark.usefixtures("in_favour")
@pytest.mark.parametrize("case", ["off", "few rows", "one network"])
def test_nobody_is_challenged(case: str):
    few = DATA._replace(validation=DATA.validation.at(slice(0, 99)))
    off = replace(MEMBERS, ending=replace(MEMBERS.ending, challenged=False))
    plan, data = {"off": (off, DATA), "few rows": (MEMBERS, few), "one network": (PLAN, DATA)}[case]
    _, result, stages = fit(plan, data)
    assert result.member is None
    assert "challenge" not in stages
