"""The last stage: the kept network as it is, trained on, or several in its place."""

import math
from dataclasses import replace

import pytest
import torch

from lassoflexnet.nn import Committee
from lassoflexnet.optim import AdamWSettings, MuonSettings
from lassoflexnet.training import (
    AsKept,
    Members,
    Plan,
    StageSettings,
    TrainingData,
    TrainOn,
    members,
)
from lassoflexnet.training.data import TELLING_ROWS
from lassoflexnet.training.evaluation import row_errors
from lassoflexnet.training.fit import Trainer
from lassoflexnet.training.history import Monitor
from lassoflexnet.training.stage import Objective
from lassoflexnet.training.tasks import binary_log_loss
from lassoflexnet.training.workshop import Workshop
from tests.nn.makers import make_network
from tests.training.makers import objective, problem
from tests.training.test_fit import DATA, PLAN

HELD_OUT = DATA._replace(held_out=True)

FINAL = replace(
    PLAN,
    path=replace(PLAN.path, n_lambdas=0),
    ending=TrainOn(StageSettings(max_epochs=3, batch_size=32)),
)


def fit(plan: Plan, data=HELD_OUT):
    goal = objective()
    torch.manual_seed(0)
    result = Trainer(plan, lambda layout: make_network(layout), data, goal).fit()
    return result, [
        row for row in goal.monitor.epochs if row.stage.split()[0] in ("final", "member")
    ]


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
    without, none = fit(replace(FINAL, ending=AsKept()))
    result, epochs = fit(FINAL)
    assert none == []
    assert 1 <= len(epochs) <= 3
    assert all(math.isnan(row.validation_loss + row.average_loss) for row in epochs)
    assert result.point.features == without.point.features
    assert not torch.equal(result.network.gate().beta, without.network.gate().beta)


def test_rows_given_to_judge_by_are_not_trained_on():
    result, epochs = fit(FINAL, DATA)
    without, _ = fit(replace(FINAL, ending=AsKept()), DATA)
    assert epochs == []
    assert torch.equal(result.network.gate().beta, without.network.gate().beta)


@pytest.mark.parametrize(("did_good", "n_epochs"), [(0, 0), (2, 2), (9, 3)])
def test_no_more_epochs_than_did_good_before(did_good: int, n_epochs: int):
    goal = objective()
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, goal)
    kept = trainer._dense_point().snapshot._replace(epoch=did_good, loss=float("inf"))
    trainer._end(tuple(range(6)), kept)
    assert sum(row.stage == "final" for row in goal.monitor.epochs) == n_epochs


def test_a_network_that_lost_its_way_is_not_kept():
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, objective())
    kept = trainer._dense_point().snapshot._replace(epoch=3, loss=0.0)
    assert trainer._end(tuple(range(6)), kept).network is kept.network


def test_no_features_nothing_to_train():
    trainer = Trainer(FINAL, lambda layout: make_network(layout), HELD_OUT, objective())
    kept = trainer._dense_point().snapshot
    assert trainer._end((), kept) == (kept.network, kept.loss, ())


MEMBERS = replace(FINAL, ending=Members(3, StageSettings(max_epochs=3, batch_size=32)))


def test_members_are_different_networks_and_their_mean_predicts():
    result, epochs = fit(MEMBERS)
    assert isinstance(result.network, Committee)
    assert len(result.network.members) == 3
    assert len(epochs) <= 9
    codes = HELD_OUT.keep(torch.tensor(result.point.features)).validation.codes
    each = torch.stack([member(codes) for member in result.network.eval().members])
    assert not torch.allclose(each[0], each[1])
    torch.testing.assert_close(result.network(codes), each.sum(dim=0) / 3)


def test_members_have_an_optimiser_of_their_own():
    one, other = (
        fit(replace(MEMBERS, ending=replace(MEMBERS.ending, optimizer=optimizer)))[0]
        for optimizer in (AdamWSettings(0.01), MuonSettings(0.01))
    )
    walked = [[p.validation_loss for p in result.path.points] for result in (one, other)]
    assert walked[0] == walked[1], "what selects is the same"
    assert one.validation_loss != other.validation_loss


@pytest.mark.parametrize("n_held_out", [100, 80, 45, 20])
@pytest.mark.parametrize("n_members", [2, 3, 20])
def test_members_set_apart_no_more_rows_than_were_held_out(n_members: int, n_held_out: int):
    data = HELD_OUT._replace(validation=DATA.validation.at(slice(0, n_held_out)))
    parts = list(Members(n_members).parts(data))
    every = data.joined().train.target.sort().values
    assert len(parts) == n_members
    most = n_held_out
    for part in parts:
        assert 0 < part.validation.n_rows <= most
        both = torch.cat([part.train.target, part.validation.target]).sort().values
        assert torch.equal(both, every)
    apart = [tuple(part.validation.target.tolist()) for part in parts]
    assert len(set(apart)) == n_members


def test_of_many_rows_members_set_apart_only_enough_to_stop_by(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(members, "STOPPING_ROWS", 10)
    apart = [part.validation.n_rows for part in Members(3).parts(HELD_OUT)]
    assert max(apart) < HELD_OUT.validation.n_rows
    assert min(apart) >= 10


def test_few_rows_given_to_judge_by_are_helped_out_and_never_trained_on():
    few, n = 60, DATA.train.n_rows
    data = DATA._replace(validation=DATA.validation.at(slice(0, few)))
    assert DATA.tells
    assert not data.tells
    parts, apart = list(Members(3).parts(data)), []
    for part in parts:
        n_own = part.validation.n_rows - few
        assert 0 < n_own <= TELLING_ROWS - few
        assert torch.equal(part.validation.target[n_own:], data.validation.target)
        own = part.validation.target[:n_own]
        both = torch.cat([part.train.target, own]).sort().values
        assert torch.equal(both, DATA.train.target.sort().values)
        assert part.train.n_rows == n - n_own
        apart.append(tuple(own.tolist()))
    assert len(set(apart)) == 3
    _, seen = noted(MEMBERS, data, objective())
    assert len(seen) == 3
    assert all(rows.n_rows > few for _, rows in seen)


@pytest.mark.parametrize("n_given", [1, 5, 60, 99])
def test_members_set_apart_what_is_missing_to_tell(n_given: int):
    data = problem(n=3000, d=6)._replace(validation=DATA.validation.at(slice(0, n_given)))
    for part in Members(4).parts(data):
        assert 95 <= part.validation.n_rows <= TELLING_ROWS + 1
    small = data._replace(train=data.train.at(slice(0, 80)))
    for part in Members(4).parts(small):
        assert part.train.n_rows >= 60, "at most a fold of as many as there are members"


def test_too_few_rows_to_deal_out_leave_the_kept_network():
    trainer = Trainer(MEMBERS, lambda layout: make_network(layout), DATA, objective())
    kept = trainer._dense_point().snapshot
    few = DATA._replace(train=DATA.train.at(slice(0, 3)))
    assert MEMBERS.ending(kept, few, trainer.workshop)[:2] == (kept.network, kept.loss)


def test_few_rows_are_dealt_out_too():
    small = HELD_OUT._replace(train=DATA.train.at(slice(0, 5)), validation=DATA.validation.at([0]))
    parts = list(Members(8).parts(small))
    assert len(parts) == 8
    assert all(part.validation.n_rows and part.train.n_rows >= 2 for part in parts)


def test_members_without_a_budget_leave_the_kept_network():
    plan = replace(FINAL, ending=Members(3, StageSettings(max_epochs=0)))
    result, epochs = fit(plan)
    assert epochs == []
    assert result.network is result.validated.network


def noted(plan: Plan, data: TrainingData, goal: Objective):
    """Result of a fit, and of every member its network and the rows it was validated on."""
    seen = []

    class Noting(Workshop):
        def train_each(self, named, settings, build=None):
            found = super().train_each(named, settings, build)
            if named[0][0].startswith("member"):
                seen.extend(
                    (x.network, d.validation) for x, (_, d) in zip(found, named, strict=True)
                )
            return found

    torch.manual_seed(0)
    trainer = Trainer(plan, lambda layout: make_network(layout), data, goal)
    trainer.workshop = Noting(**vars(trainer.workshop))
    return trainer.fit(), seen


def test_error_of_dealt_members_is_that_of_each_on_rows_of_its_own():
    weighted = HELD_OUT._replace(
        train=DATA.train._replace(weight=torch.rand(DATA.train.n_rows) + 0.1)
    )
    result, seen = noted(MEMBERS, weighted, objective())
    total = norm = 0.0
    for network, rows in seen:
        errors = (network(rows.codes)[:, 0].detach() - rows.target).square()
        total += float((errors * rows.weight).sum())
        norm += float(rows.weight.sum())
    assert len(seen) == 3
    assert result.validation_loss == pytest.approx(total / norm, rel=1e-5)
    assert result.network.factor == 1.0


@pytest.mark.parametrize("held_out", [True, False])
def test_members_too_sure_of_a_class_are_made_less_so(held_out: bool):
    """Labels by chance: nothing can be known, and certainty costs."""
    generator = torch.Generator().manual_seed(3)

    def drawn(rows):
        return rows._replace(target=torch.randint(2, (rows.n_rows,), generator=generator).float())

    data = DATA._replace(
        train=drawn(DATA.train), validation=drawn(DATA.validation), held_out=held_out
    )
    budget, quick = StageSettings(max_epochs=30, batch_size=8), AdamWSettings(0.01)
    plan = replace(MEMBERS, ending=Members(2, budget, quick))
    goal = Objective(binary_log_loss, _accuracy_error, Monitor())
    result, seen = noted(plan, data, goal)
    factor = result.network.factor
    assert 0.1 <= factor <= (0.99 if held_out else 1)

    def total(f: float) -> float:
        if held_out:
            pairs = [(network(rows.codes), rows.target) for network, rows in seen]
        else:
            outputs = [network(data.validation.codes) for network, _ in seen]
            pairs = [(sum(outputs) / 2, data.validation.target)]
        return sum(float(binary_log_loss(f * z, y).sum().detach()) for z, y in pairs)

    assert total(factor) <= min(total(f) for f in (0.1, 0.3, 0.5, 0.8, 1.0)) + 1e-6
    codes = data.validation.codes
    mean = sum(network(codes) for network, _ in seen) / 2
    torch.testing.assert_close(result.network(codes), factor * mean)


def _accuracy_error(outputs, target):
    return ((outputs[:, 0] > 0) != (target > 0)).float()


def test_importances_are_read_from_members_on_rows_that_they_have_not_seen():
    result, seen = noted(MEMBERS, HELD_OUT, objective())
    assert len(result.unseen) == len(seen) == 3
    for (network, rows), (member, validation) in zip(result.unseen, seen, strict=True):
        assert network is member
        assert torch.equal(rows.target, validation.target)
    for plan in (FINAL, replace(FINAL, ending=AsKept())):
        result, _ = fit(plan)
        ((network, rows),) = result.unseen
        assert network is result.validated.network
        assert torch.equal(rows.target, HELD_OUT.validation.target)


def test_error_of_members_is_their_mean_on_rows_given_to_judge_by():
    result, _ = fit(MEMBERS, DATA)
    rows = DATA.keep(torch.tensor(result.point.features)).validation
    outputs = result.network.eval()(rows.codes)[:, 0].detach()
    error = ((outputs - rows.target) ** 2 * rows.weight).sum() / rows.weight.sum()
    assert result.validation_loss == pytest.approx(float(error), rel=1e-5)


@pytest.mark.parametrize(("better_by", "stays"), [(0.01, False), (1.0, True)])
def test_the_kept_network_stays_if_it_is_clearly_better(better_by: float, stays: bool):
    trainer = Trainer(MEMBERS, lambda layout: make_network(layout), DATA, objective())
    kept = trainer._dense_point().snapshot
    features, rows = tuple(range(6)), DATA.validation
    torch.manual_seed(0)
    members = trainer._end(features, kept._replace(errors=torch.full((rows.n_rows,), 1e9)))
    luck = 0.5 * torch.tensor([1.0, -1.0]).repeat(rows.n_rows)[: rows.n_rows]
    errors = row_errors(members.network, rows, trainer.objective.metric) - better_by + luck
    torch.manual_seed(0)
    ended = trainer._end(features, kept._replace(errors=errors))
    assert (ended.network is kept.network) == stays
    assert ended.validation_loss == (kept.loss if stays else members.validation_loss)
    assert [network is kept.network for network, _ in ended.unseen] == (
        [True] if stays else 3 * [False]
    )


@pytest.mark.parametrize(("better_by", "outdone"), [(0.01, False), (1.0, True)])
def test_the_dense_stage_outdoes_members_if_it_is_clearly_better(better_by: float, outdone: bool):
    trainer = Trainer(MEMBERS, lambda layout: make_network(layout), DATA, objective())
    result, rows = trainer._fit(), DATA.validation
    result = trainer._ended(result)._replace(dense_may_stay=True)
    n = rows.n_rows
    kept = DATA.keep(torch.tensor(result.point.features, dtype=torch.long)).validation
    luck = 0.5 * torch.tensor([1.0, -1.0]).repeat(n)[:n]
    errors = row_errors(result.network, kept, trainer.objective.metric) - better_by + luck
    snapshot = result.dense.snapshot._replace(errors=errors)
    result = result._replace(dense=replace(result.dense, snapshot=snapshot))
    assert trainer._is_outdone(result) == outdone


def test_networks_that_only_select_are_sketches():
    built = []

    def build(layout):
        built.append("full")
        return make_network(layout)

    def sketch(layout):
        built.append("sketch")
        return make_network(layout)

    for plan, expected in ((MEMBERS, "sketch"), (FINAL, "full")):
        built.clear()
        trainer = Trainer(plan, build, DATA, objective(), sketch=sketch)
        trainer._dense_point()
        assert built == [expected]


def test_budgets_of_endings_can_be_cut():
    def cut(stage):
        return replace(stage, max_epochs=1)

    assert AsKept().within(cut) == AsKept()
    assert TrainOn().within(cut) == TrainOn(cut(TrainOn().budget))
    assert Members(7).within(cut) == Members(7, cut(Members().budget))
