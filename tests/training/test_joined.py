"""Several networks trained at once, against each trained by itself."""

import functools
import itertools
import math
from dataclasses import replace

import pytest
import torch

from lassoflexnet.nn import MLPSettings
from lassoflexnet.optim import (
    AdamWSettings,
    HypergradientAdamSettings,
    MuonSettings,
    WarmupCosine,
)
from lassoflexnet.training import Members, Rows, StageSettings, Trainer, TrainingData, joined
from lassoflexnet.training.averaging import average_of
from lassoflexnet.training.joined import JoinedRows, JoinedStage, Verdict, worth_joining
from lassoflexnet.training.stage import Stage
from lassoflexnet.training.tasks import log_loss
from lassoflexnet.training.workshop import Workshop
from tests.nn.makers import make_network
from tests.training.makers import objective, problem
from tests.training.test_fit import PLAN

ADAM = AdamWSettings(0.02, 0.1)
MUON = MuonSettings(0.02, 0.1)
MEMBERS = Members(2, StageSettings(max_epochs=2, batch_size=32))
# Rows to train on of the problem that has fewest.
FEWEST = 59
WHOLE = StageSettings(max_epochs=12, patience=4, batch_size=1000, schedule=WarmupCosine())


def in_double(rows: Rows) -> Rows:
    """Rows in double precision, each of another weight."""
    codes = rows.codes._replace(fraction=rows.codes.fraction.double())
    weight = 0.5 + torch.arange(rows.n_rows).double().sin().square()
    return Rows(codes, rows.target.double(), weight)


def parts() -> list[TrainingData]:
    """Three problems, with a row more or less to train and to validate on.

    In double precision: a bias before a normalisation has no gradient but rounding errors,
    and Adam would make steps of these.
    """
    found = [problem(n=90, d=4, seed=seed) for seed in range(3)]
    found[1] = found[1]._replace(validation=found[1].validation.at(slice(0, 29)))
    found[2] = found[2]._replace(train=found[2].train.at(slice(0, FEWEST)))
    return [
        part._replace(train=in_double(part.train), validation=in_double(part.validation))
        for part in found
    ]


def alike() -> list[TrainingData]:
    """The same with the rows that all of them train on, if these come in order."""
    return [part._replace(train=part.train.at(slice(0, FEWEST))) for part in parts()]


def network(part: TrainingData, seed: int):
    made = make_network(part.layout, backbone=MLPSettings(2, 8, 0.0), seed=seed).double()
    made.set_moments(part.train.codes)
    return made


def alone(settings: StageSettings, decay: float, optimizer=ADAM):
    """What each does by itself."""
    found = []
    for seed, part in enumerate(alike()):
        one, goal = network(part, seed), objective()
        stage = Stage(
            "alone",
            one,
            optimizer.build(*one.split_parameters()),
            part,
            settings=settings,
            objective=goal,
            average=average_of(one, decay),
        )
        found.append((stage.run()[0], goal.monitor.epochs))
    return found


def together(settings: StageSettings, decay: float, goal=None, optimizer=ADAM):
    networks = [network(part, seed) for seed, part in enumerate(alike())]
    goal = goal or objective()
    names = ["a", "b", "c"]
    stage = JoinedStage(names, networks, parts(), settings=settings, objective=goal)
    stepper = optimizer.build(*stage.crew.split_parameters())
    return stage.run(stepper, average_of(stage.crew, decay)), goal.monitor.epochs


@pytest.mark.parametrize(
    ("every", "batch_size", "decay", "optimizer"),
    [(1, 1000, 0.0, ADAM), (3, 20, 0.7, ADAM), (1, 1000, 0.7, MUON), (3, 20, 0.0, MUON)],
)
def test_each_learns_what_it_learns_alone(monkeypatch, decay, every, batch_size, optimizer):
    settings = replace(WHOLE, evaluate_every=every, patience=99, batch_size=batch_size)
    # Rows in the same order; together and alone draw other random numbers.
    monkeypatch.setattr(torch, "randperm", lambda n, device: torch.arange(n, device=device))
    found, epochs = together(settings, decay, optimizer=optimizer)
    for i, (expected, rows) in enumerate(alone(settings, decay, optimizer)):
        assert found[i].epoch == expected.epoch
        assert found[i].loss == pytest.approx(expected.loss, rel=1e-6)
        torch.testing.assert_close(found[i].errors, expected.errors, rtol=1e-3, atol=1e-6)
        for name, tensor in expected.network.state_dict().items():
            torch.testing.assert_close(
                found[i].network.state_dict()[name], tensor, rtol=1e-3, atol=1e-6
            )
        mine = [row for row in epochs if row.stage == "abc"[i]]
        assert [row.epoch for row in mine] == [row.epoch for row in rows]
        for ours, theirs in zip(mine, rows, strict=True):
            for value in ("train_loss", "validation_loss", "average_loss", "learning_rate"):
                expected_value = pytest.approx(getattr(theirs, value), rel=1e-6, nan_ok=True)
                assert getattr(ours, value) == expected_value, value


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("n_alone", [0, 1, 3])
def test_some_are_given_up_as_if_each_was_alone(
    every: int, n_alone: int, monkeypatch: pytest.MonkeyPatch
):
    """Their best look is the first; with patience for four epochs the last comes too late."""
    looks = iter([[1.0] * 3, *([[2.0, 2.0, 0.9 - i / 10] for i in range(4)]), [0.1] * 3])

    def evaluate(stage, _):
        return [Verdict(stage.crew, torch.zeros(3, 30), torch.tensor(next(looks)))]

    monkeypatch.setattr(JoinedStage, "_evaluate", evaluate)
    networks = [network(part, 0) for part in alike()]
    settings = replace(WHOLE, max_epochs=6 * every, patience=4 * every, evaluate_every=every)
    stage = JoinedStage(
        "abc", networks, parts(), settings=settings, objective=objective(), n_alone=n_alone
    )
    found = stage.run(ADAM.build(*stage.crew.split_parameters()), average_of(stage.crew, 0.0))
    late, first = (6 * every, pytest.approx(0.1)), (every, 1.0)
    expected = [first if i < min(n_alone, 2) else late for i in range(3)]
    assert [(one.epoch, one.loss) for one in found] == expected


def test_several_classes():
    """Errors are those of each network's own rows and outputs."""
    found = [
        part._replace(
            train=part.train._replace(
                target=part.train.target.gt(0) + part.train.target.gt(1).long()
            ),
            validation=part.validation._replace(target=part.validation.target.gt(0).long()),
        )
        for part in parts()
    ]
    networks = [
        make_network(part.layout, backbone=MLPSettings(2, 8, 0.0), n_outputs=3, seed=i).double()
        for i, part in enumerate(found)
    ]
    goal = objective(log_loss, log_loss)
    stage = JoinedStage("abc", networks, found, settings=WHOLE, objective=goal)
    best = stage.run(ADAM.build(*stage.crew.split_parameters()), average_of(stage.crew, 0.0))
    for one, part in zip(best, found, strict=True):
        rows = part.validation
        errors = log_loss(one.network.eval()(rows.codes), rows.target).detach()
        torch.testing.assert_close(one.errors, errors)
        assert one.loss == pytest.approx(float((errors * rows.weight).sum() / rows.weight.sum()))


def test_patience_ends_when_it_has_ended_with_all():
    settings = replace(WHOLE, max_epochs=200, patience=3)
    found, epochs = together(settings, 0.0)
    last = max(row.epoch for row in epochs)
    assert last < 200
    assert last - max(one.epoch for one in found) == 3


def test_what_is_not_finite_is_left_to_each_alone():
    goal = objective(lambda outputs, target: (outputs[:, 0] - target).square() / 0.0)
    assert together(WHOLE, 0.0, goal) == (None, [])


def test_epochs_of_a_try_that_failed_are_forgotten():
    calls = itertools.count(1)

    def breaks_once(outputs: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        errors = (outputs[:, 0] - target).square()
        return errors / 0.0 if next(calls) == 6 else errors

    goal = objective(breaks_once)
    settings = StageSettings(max_epochs=5, batch_size=32)
    build = functools.partial(make_network, backbone=MLPSettings(2, 8, 0.0))
    workshop = Workshop(build, build, goal, ADAM, 0.0)
    data = problem()
    found = workshop.train_each([("a", data), ("b", data)], settings)
    assert len(found) == 2
    rows = [(row.stage, row.epoch) for row in goal.monitor.epochs]
    assert rows == [(name, epoch) for name in "ab" for epoch in range(1, 6)]


def test_rows_side_by_side():
    tables = [part.validation for part in parts()]
    rows = JoinedRows.of(tables)
    assert rows.n_rows == (30, 29, 30)
    assert rows.weight[1].tolist() == [*tables[1].weight.tolist(), 0.0]
    some = rows.at(torch.tensor([[3, 1], [0, 2], [5, 5]]))
    for i, (table, index) in enumerate(zip(tables, ([3, 1], [0, 2], [5, 5]), strict=True)):
        expected = table.at(torch.tensor(index))
        assert torch.equal(some.target[i], expected.target)
        assert torch.equal(some.codes.slot[4 * i : 4 * i + 4], expected.codes.slot)
        assert torch.equal(some.codes.fraction[4 * i : 4 * i + 4], expected.codes.fraction)


def test_batches_take_every_row_of_the_smallest_once():
    rows = JoinedRows.of([part.validation for part in parts()])
    batches = rows.batches(8)
    assert len(batches) == 4
    order = torch.cat(batches, dim=1)
    assert sorted(order[1].tolist()) == list(range(29))
    assert all(len(set(row.tolist())) == 29 for row in order)
    assert not torch.equal(order[0], order[2])


def test_where_joining_pays():
    small, wide = (make_network(backbone=MLPSettings(2, width, 0.0)) for width in (8, 2048))
    assert worth_joining(small, WHOLE, parts())
    assert not worth_joining(wide, WHOLE, parts())
    assert not worth_joining(small, WHOLE, parts()[:1])
    assert not worth_joining(small, replace(WHOLE, gradient_clip=1.0), parts())
    assert not worth_joining(small, replace(WHOLE, max_epochs=0), parts())


def test_tables_that_are_long_together_are_not_joined(monkeypatch: pytest.MonkeyPatch):
    """Three of 60 or 59 and 30 or 29 rows, with four columns."""
    small = make_network(backbone=MLPSettings(2, 8, 0.0))
    n_cells = 4 * (60 + 60 + 59 + 30 + 29 + 30)
    monkeypatch.setattr(joined, "MOST_CELLS", n_cells)
    assert worth_joining(small, WHOLE, parts())
    monkeypatch.setattr(joined, "MOST_CELLS", n_cells - 1)
    assert not worth_joining(small, WHOLE, parts())


def joined_stages(monkeypatch: pytest.MonkeyPatch, plan, data) -> int:
    """Number of joined stages of a fit."""
    made, run = [], JoinedStage.run
    monkeypatch.setattr(JoinedStage, "run", lambda *args: made.append(1) or run(*args))
    torch.manual_seed(0)
    build = lambda layout: make_network(layout, backbone=MLPSettings(1, 8, 0.0))  # noqa: E731
    Trainer(plan, build, data, objective()).fit()
    return len(made)


def test_folds_and_members_are_joined(monkeypatch: pytest.MonkeyPatch):
    data = problem(n=120, d=3)
    members = replace(PLAN, ending=MEMBERS)
    assert joined_stages(monkeypatch, members, data) >= 2
    monkeypatch.setattr(joined, "LARGEST_STEP", 1)
    assert joined_stages(monkeypatch, members, data) == 0


def test_a_step_that_depends_on_all_weights_is_not_joined(monkeypatch: pytest.MonkeyPatch):
    whole = HypergradientAdamSettings(0.01)
    plan = replace(PLAN, ending=replace(MEMBERS, optimizer=whole), optimizer=whole)
    assert joined_stages(monkeypatch, plan, problem(n=120, d=3)) == 0


def test_losses_are_told_apart_from_nothing():
    """Where rows are not looked at, there is no validation loss."""
    _, epochs = together(replace(WHOLE, evaluate_every=5, patience=99), 0.0)
    looked = {row.epoch for row in epochs if not math.isnan(row.validation_loss)}
    assert looked == {5, 10, 12}
