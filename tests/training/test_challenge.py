"""A sparser support challenges the one liked best."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lassoflexnet.nn import MLPSettings
from lassoflexnet.training import Members, Trainer
from lassoflexnet.training.challenge import Challenge, Held
from lassoflexnet.training.endings import Team
from lassoflexnet.training.evaluation import row_errors, weighted_mean
from lassoflexnet.training.stage import Snapshot, snapshot
from lassoflexnet.training.tasks import binary_log_loss
from lassoflexnet.training.workshop import Workshop
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN, STAGE
from tests.training.test_supports import judged

LUCK = torch.tensor([0.1, -0.1, 0.1, -0.1])
# On the path all supports are alike.
SUPPORTS = [judged(n, 1.0, 1.0, 1.0, 1.0) for n in (6, 5, 4, 3)]
FOUR = DATA._replace(validation=DATA.validation.at(slice(0, 4)))


def held(
    errors: dict[int, float], *, liked: int = 0, needed: dict[int, int] | None = None
) -> tuple[Held, list[int]]:
    """Who stays, and sizes of all supports that were trained.

    ``errors`` are those of the networks, ``needed`` how many features they need, by size.
    """
    trained = []

    class Told(Challenge):
        def _team(self, point, *, whole=False):
            assert whole == (point is SUPPORTS[liked])
            trained.append(point.n_features)
            error = errors[point.n_features]
            network = make_network(DATA.keep(torch.tensor(point.features)).layout)
            return Team(Snapshot(network, error + LUCK * (point.n_features % 2), error))

        def _needed(self, point, member):
            return tuple(range((needed or {}).get(point.n_features, 0)))

    workshop = Workshop(None, None, objective(), None, 0.0)
    return Told(FOUR, workshop, None, SUPPORTS).held(SUPPORTS[liked]), trained


@pytest.mark.parametrize(
    ("errors", "stays"),
    [
        ({6: 0.9, 5: 0.5, 4: 0.5}, 5),
        ({6: 0.9, 5: 0.5, 4: 0.2, 3: 0.1}, 4),
        ({6: 0.9, 5: 0.5, 4: 0.2, 3: 0.0}, 3),
        # A little better is not enough.
        ({6: 0.9, 5: 0.85}, 6),
    ],
)
def test_a_support_that_is_clearly_better_takes_the_place_and_is_challenged_in_turn(errors, stays):
    found, trained = held(errors)
    assert found.point in SUPPORTS
    assert found.point.n_features == stays
    assert found.team.first.loss == errors[stays]
    assert trained == list(errors)


def test_what_a_network_does_not_need_is_left_out_though_no_support_of_the_path_is_so():
    found, trained = held({3: 0.9, 2: 0.5, 1: 0.6}, liked=3, needed={3: 2, 2: 1})
    assert trained == [3, 2, 1]
    point, (member, _) = found
    assert (point.features, point.n_features, point.lam) == ((0, 1), 2, SUPPORTS[3].lam)
    assert point.snapshot.network is member.network
    assert point.norms == tuple(member.network.gate().norm().tolist())
    assert member.loss == 0.5


def test_a_winner_that_is_not_on_the_path_is_told_as_sure_as_it_is():
    """It may predict alone; what it would be if it were less sure is not what it says then."""
    torch.manual_seed(0)
    network = make_network(DATA.layout.keep(np.array([0, 1])))
    with torch.no_grad():
        network.skip.intercept += 9.0
    labels = (DATA.validation.target > 0).float()
    data = DATA._replace(validation=DATA.validation._replace(target=labels))
    goal = objective(binary_log_loss, binary_log_loss)._replace(calibrated=True)
    challenge = Challenge(data, Workshop(None, None, goal, None, 0.0), None, [])
    rows = challenge._rows(judged(2, 0.0))
    member = snapshot(network, rows, goal)._replace(epoch=7)
    placed = challenge._placed(replace(judged(2, 0.0), snapshot=None), member)
    plain = binary_log_loss(network.eval()(rows.codes), labels).detach()
    torch.testing.assert_close(placed.snapshot.errors, plain)
    assert placed.validation_loss == placed.snapshot.loss > member.loss
    assert placed.snapshot.epoch == 7


def test_where_the_path_has_a_rival_that_alone_is_tried():
    assert held({6: 0.9, 5: 0.9}, needed={6: 2})[1] == [6, 5]
    assert held({6: 0.9, 5: 0.5, 4: 0.4, 3: 0.3, 2: 0.3}, needed={3: 2})[1] == [6, 5, 4]


def test_a_support_without_rivals_holds_its_place():
    found, trained = held({3: 0.9}, liked=3)
    assert (found.point, found.team.first.loss, trained) == (SUPPORTS[3], 0.9, [3])


@pytest.mark.parametrize("n_useless", [0, 2])
def test_needed_is_what_is_surely_useful_or_all_but_the_least_useful(n_useless: int):
    """Against errors with the tokens of a feature at their mean; other features are as many."""
    torch.manual_seed(0)
    network, rows = make_network(DATA.layout), DATA.validation
    # Here the target is what the network says, so every feature that it reads is useful.
    with torch.no_grad():
        network.skip.weight[:n_useless] = 0.0
        network.backbone.w1[:n_useless] = 0.0
    network.eval()
    data = DATA._replace(validation=rows._replace(target=network(rows.codes)[:, 0].detach()))
    workshop = Workshop(None, None, objective(), None, 0.0)
    found = Challenge(data, workshop, None, [])._needed(
        judged(6, 0.0), Snapshot(network, None, 0.0)
    )
    z, losses = network.embedding(rows.codes), []
    for feature in range(6):
        cut = z.clone()
        cut[feature] = 0.0
        outputs = network.head(cut)[:, 0].detach()
        errors = (outputs - data.validation.target).square() * rows.weight
        losses.append(errors.mean().item())
    least = {losses.index(min(losses))} if not n_useless else set(range(n_useless))
    assert found == tuple(f for f in range(6) if f not in least)


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

    def won(challenge, liked):
        assert challenge.data.validation.n_rows == DATA.validation.n_rows
        sparsest = min((p for p in challenge.supports if p.n_features), key=lambda p: p.n_features)
        return Held(sparsest, challenge._team(sparsest))

    monkeypatch.setattr(Challenge, "held", won)


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
        network = ending(poor, data, trainer.workshop, result.team).network
        assert network.members[0] is result.team.first.network
        assert len(network.members) == n_members


@pytest.mark.usefixtures("in_favour")
def test_it_is_a_member_of_rows_that_were_held_out_too():
    _, result, stages = fit(data=DATA._replace(held_out=True))
    assert result.network.members[0] is result.team.first.network
    assert len(result.network.members) == len(result.unseen) == 2
    assert stages.count("member 1") == 2
    assert "member 2" not in stages
    kept = torch.tensor(result.point.features)
    assert torch.equal(result.unseen[0][1].target, DATA.keep(kept).validation.target)


def joined(layout):
    """Build a network of a kind that is trained as one with others."""
    return make_network(layout, backbone=MLPSettings(2, 8, 0.0))


def test_small_networks_of_the_support_liked_best_are_trained_with_the_first():
    """They then predict; that of a rival is trained alone."""
    ending = replace(MEMBERS.ending, n_members=3, budget=replace(STAGE, max_epochs=5))
    trainer = Trainer(replace(MEMBERS, ending=ending), joined, DATA, objective())
    torch.manual_seed(0)
    team = ending.challenger(DATA, trainer.workshop, whole=True)
    epochs = trainer.objective.monitor.epochs
    assert {row.stage for row in epochs} == {"challenge", "member 1", "member 2"}
    for number, (network, rows) in enumerate(team.others, start=1):
        assert torch.equal(rows.target, DATA.validation.target)
        losses = [row for row in epochs if row.stage == f"member {number}"]
        lowest = min(min(row.validation_loss, row.average_loss) for row in losses)
        errors = row_errors(network, rows, trainer.objective.metric)
        assert weighted_mean(errors, rows.weight) == pytest.approx(lowest, rel=1e-5)
    assert ending.challenger(DATA, trainer.workshop, whole=False).others == ()
    held_out = DATA._replace(held_out=True)
    assert ending.challenger(held_out, trainer.workshop, whole=True).others == ()
    n_epochs = len(epochs)
    poor = team.first._replace(errors=torch.full((DATA.validation.n_rows,), 1e9))
    ended = ending(poor, DATA, trainer.workshop, team)
    networks = [team.first.network, *(network for network, _ in team.others)]
    assert list(ended.network.members) == networks
    assert [network for network, _ in ended.unseen] == networks
    assert len(epochs) == n_epochs, "nothing is trained again"


def test_large_networks_are_trained_one_by_one_so_others_wait_for_the_outcome(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("lassoflexnet.training.joined.LARGEST_STEP", 1)
    trainer = Trainer(MEMBERS, joined, DATA, objective())
    for whole in (True, False):
        assert MEMBERS.ending.challenger(DATA, trainer.workshop, whole=whole).others == ()
    assert {row.stage for row in trainer.objective.monitor.epochs} == {"challenge"}


def test_a_winner_that_is_not_on_the_path_is_kept(monkeypatch: pytest.MonkeyPatch):
    def won(challenge, liked):
        point = replace(liked, features=(1, 3), n_features=2, snapshot=None)
        team = challenge._team(point)
        return Held(challenge._placed(point, team.first), team)

    monkeypatch.setattr(Challenge, "held", won)
    for data in (DATA, DATA._replace(held_out=True)):
        _, result, _ = fit(data=data)
        assert result.point.features == (1, 3)
        assert result.point.lam in [point.lam for point in result.path.points]
        assert all(point.features != (1, 3) for point in result.path.points)
        assert result.network.layout.n_features == 2


@pytest.mark.usefixtures("in_favour")
@pytest.mark.parametrize("case", ["off", "no budget", "few rows", "one network"])
def test_nobody_is_challenged(case: str):
    few = DATA._replace(validation=DATA.validation.at(slice(0, 99)))
    off = replace(MEMBERS, ending=replace(MEMBERS.ending, challenged=False))
    none = replace(MEMBERS, ending=MEMBERS.ending.within(lambda b: replace(b, max_epochs=0)))
    plan, data = {
        "off": (off, DATA),
        "no budget": (none, DATA),
        "few rows": (MEMBERS, few),
        "one network": (PLAN, DATA),
    }[case]
    _, result, stages = fit(plan, data)
    assert result.team is None
    assert "challenge" not in stages
