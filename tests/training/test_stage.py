"""One stage: patience, the best network, rates, weights, clipping, records."""

import itertools
import math

import pytest
import torch
from torch import Tensor
from torch.optim import SGD

from lassoflexnet.optim import Constant, HypergradientAdamSettings, WarmupCosine
from lassoflexnet.training import Objective, StageSettings, TrainingData
from lassoflexnet.training.stage import Evaluation, Snapshot, snapshot
from lassoflexnet.training.tasks import absolute_error
from tests.nn.makers import close_gate, make_network, named_state
from tests.training.makers import ADAM, SHORT, make_stage, objective, plain_network, problem, rows

DATA = problem()
WHOLE = StageSettings(max_epochs=4, batch_size=10_000, schedule=Constant())


def scripted(values: list[float]) -> Objective:
    """Judge by a metric that says these values, one evaluation after another."""
    said = itertools.chain(values, itertools.repeat(values[-1]))
    return objective(metric=lambda outputs, target: torch.full((len(target),), next(said)))


@pytest.mark.parametrize(
    ("losses", "patience", "n_epochs", "best"),
    [
        ([5, 4, 3, 6, 6, 6], 2, 5, 3),
        ([5, 4, 3, 6, 2, 6, 6, 6], 2, 7, 2),
        ([5, 5, 5, 5], 3, 4, 5),
        ([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 2, 9, 1),
    ],
)
def test_patience_and_budget(losses: list[float], patience: int, n_epochs: int, best: float):
    settings = StageSettings(max_epochs=9, patience=patience, batch_size=64, schedule=Constant())
    network = make_network(DATA.layout)
    goal = scripted(losses)
    kept, spent = make_stage(network, DATA, settings=settings, goal=goal).run()
    assert spent == len(goal.monitor.epochs) == n_epochs
    assert kept.loss == best
    assert kept.errors.tolist() == [best] * DATA.validation.n_rows


def test_best_network_is_kept_as_it_was():
    network, states = make_network(DATA.layout), []
    values = iter([5.0, 3.0, 4.0, 6.0])

    def metric(outputs: Tensor, target: Tensor) -> Tensor:
        states.append(named_state(network))
        return torch.full((len(target),), next(values))

    goal = objective(metric=metric)
    best, _ = make_stage(network, DATA, settings=WHOLE, goal=goal).run()
    for name, x in named_state(best.network).items():
        assert torch.equal(x, states[1][name])
    assert not torch.equal(states[1]["skip.weight"], network.skip.weight)


def test_training_lowers_the_loss():
    network, goal = make_network(DATA.layout), objective()
    settings = StageSettings(max_epochs=15, batch_size=32, schedule=Constant())
    best, _ = make_stage(network, DATA, settings=settings, goal=goal).run()
    first, last = goal.monitor.epochs[0], goal.monitor.epochs[-1]
    assert last.train_loss < 0.5 * first.train_loss
    assert best.loss == min(row.validation_loss for row in goal.monitor.epochs) < 0.5


@pytest.mark.parametrize("settings", [StageSettings(max_epochs=0), StageSettings(patience=0)])
def test_no_epoch_leaves_the_network_and_judges_it(settings: StageSettings):
    network = make_network(DATA.layout)
    before = named_state(network)
    best, n_epochs = make_stage(network, DATA, settings=settings).run()
    assert n_epochs == 0
    expected = snapshot(network, DATA.validation, objective())
    assert best.loss == expected.loss
    assert torch.equal(best.errors, expected.errors)
    assert all(torch.equal(x, before[name]) for name, x in named_state(best.network).items())


@pytest.mark.parametrize(
    ("every", "epochs", "looked_at"),
    [(1, 4, [1, 2, 3, 4]), (2, 5, [2, 4, 5]), (3, 6, [3, 6]), (9, 4, [4])],
)
def test_validation_rows_are_looked_at_when_due(every: int, epochs: int, looked_at: list[int]):
    goal = scripted([5.0, 3.0, 4.0])
    settings = StageSettings(epochs, batch_size=64, schedule=Constant(), evaluate_every=every)
    best, spent = make_stage(make_network(DATA.layout), DATA, settings=settings, goal=goal).run()
    assert spent == epochs
    seen = [row.epoch for row in goal.monitor.epochs if not math.isnan(row.validation_loss)]
    assert seen == looked_at
    assert best.loss == (3.0 if len(looked_at) > 1 else 5.0)


def test_patience_ends_a_stage_at_a_look():
    goal = scripted([5.0, 6.0, 7.0])
    settings = StageSettings(20, 3, batch_size=64, schedule=Constant(), evaluate_every=5)
    best, spent = make_stage(make_network(DATA.layout), DATA, settings=settings, goal=goal).run()
    assert (spent, best.loss) == (10, 5.0)


def test_metric_judges_and_loss_trains():
    goal = objective(metric=absolute_error)
    best, _ = make_stage(make_network(DATA.layout), DATA, goal=goal).run()
    assert best.loss == snapshot(best.network, DATA.validation, goal).loss


def test_averaged_network_is_judged_beside_the_live_one():
    network, goal = make_network(DATA.layout), objective()
    stage = make_stage(network, DATA, goal=goal, decay=0.9)
    best, _ = stage.run()
    last = goal.monitor.epochs[-1]
    live, averaged = stage.evaluate()
    assert (last.validation_loss, last.average_loss) == (live.loss, averaged.loss)
    assert live.network is network
    assert averaged.network is stage.average.network
    rows_ = goal.monitor.epochs
    assert best.loss == min(min(row.validation_loss, row.average_loss) for row in rows_)


@pytest.mark.parametrize(("live", "averaged"), [(1.0, 2.0), (2.0, 1.0), (1.0, float("nan"))])
def test_better_of_the_two(live: float, averaged: float):
    network, errors = make_network(DATA.layout), torch.zeros(1)
    both = Evaluation(Snapshot(network, errors, live), Snapshot(network, errors, averaged))
    assert both.best.loss == 1.0


def test_without_average_the_live_loss_is_noted_twice():
    goal = objective()
    make_stage(make_network(DATA.layout), DATA, goal=goal).run()
    assert all(row.average_loss == row.validation_loss for row in goal.monitor.epochs)


def test_record_of_an_epoch():
    network, goal = make_network(DATA.layout), objective()
    close_gate(network, [1, 3])
    sgd = SGD(network.skip.parameters(), lr=0.0)
    make_stage(network, DATA, goal=goal, stepper=sgd, lam=0.25).run()
    for epoch, row in enumerate(goal.monitor.epochs, 1):
        assert (row.stage, row.lam, row.epoch, row.n_features) == ("dense", 0.25, epoch, 3)
        assert row.learning_rate == 0.0
    seconds = [row.seconds for row in goal.monitor.epochs]
    assert seconds == sorted(seconds)


def rates(stepper, schedule, *, max_epochs: int = 4) -> list[float]:
    """Learning rate of every step of a stage with four steps an epoch."""
    seen = []
    step = stepper.step

    def noted() -> None:
        seen.append(stepper.param_groups[-1]["lr"])
        step()

    stepper.step = noted
    settings = StageSettings(max_epochs, patience=99, batch_size=32, schedule=schedule)
    network = make_network(DATA.layout)
    make_stage(network, DATA, settings=settings, stepper=stepper).run()
    return seen


def adam():
    return ADAM.build(*make_network(DATA.layout).split_parameters())


def test_schedule_runs_over_the_stage_and_is_read_in_the_middle_of_each_step():
    seen = rates(adam(), WarmupCosine(0.2))
    expected = [0.01 * WarmupCosine(0.2)((step + 0.5) / 16) for step in range(16)]
    assert seen == pytest.approx(expected)
    assert min(seen) > 0


def test_rate_is_handed_back_for_the_next_stage():
    stepper = adam()
    first, second = (rates(stepper, WarmupCosine())[:16] for _ in range(2))
    assert second == pytest.approx(first)
    assert [group["lr"] for group in stepper.param_groups] == pytest.approx([0.01, 0.01])


def test_stage_of_a_single_step_takes_it():
    settings = StageSettings(max_epochs=1, batch_size=10_000, schedule=WarmupCosine())
    network = make_network(DATA.layout)
    before = network.skip.weight.detach().clone()
    make_stage(network, DATA, settings=settings).run()
    assert (network.skip.weight - before).abs().max() > 1e-3


def test_constant_schedule_leaves_an_adapted_rate_alone():
    network = make_network(DATA.layout)
    parts = network.split_parameters()
    stepper = HypergradientAdamSettings(learning_rate=0.001, kappa=1e-4).build(*parts)
    make_stage(network, DATA, stepper=stepper).run()
    assert stepper.param_groups[0]["lr"] > 0.0011


@pytest.mark.parametrize("clip", [1e-3, 0.1])
def test_gradient_norm_is_clipped(clip: float):
    network = make_network(DATA.layout)
    settings = StageSettings(1, 1, batch_size=10_000, schedule=Constant(), gradient_clip=clip)
    before = torch.cat([p.detach().flatten() for p in network.parameters()])
    make_stage(network, DATA, settings=settings, stepper=SGD(network.parameters(), lr=1.0)).run()
    after = torch.cat([p.detach().flatten() for p in network.parameters()])
    assert (after - before).norm().item() == pytest.approx(clip, rel=1e-3)


def doubled(data: TrainingData, n: int) -> tuple[TrainingData, TrainingData]:
    """Tables in which the first n training rows weigh two, and in which they come twice."""
    train = data.train
    weight = torch.ones(train.n_rows)
    weight[:n] = 2.0
    index = torch.cat([torch.arange(train.n_rows), torch.arange(n)])
    weighted = train._replace(weight=weight / weight.mean())
    twice = rows(train.codes.rows(index), train.target[index])
    return data._replace(train=weighted), data._replace(train=twice)


def test_weight_two_trains_like_a_row_twice():
    trained = []
    for data in (*doubled(DATA, 30), DATA):
        network = plain_network(data).double()
        make_stage(network, data, settings=WHOLE).run()
        trained.append(torch.cat([p.detach().flatten() for p in network.parameters()]))
    weighted, twice, once = trained
    torch.testing.assert_close(weighted, twice, atol=1e-6, rtol=1e-4)
    assert (weighted - once).abs().max() > 1e-3


def test_weights_count_in_validation():
    weight = torch.rand(DATA.validation.n_rows)
    data = DATA._replace(validation=DATA.validation._replace(weight=weight))
    best, _ = make_stage(make_network(data.layout), data, settings=SHORT).run()
    expected = float((best.errors * weight).sum() / weight.sum())
    assert best.loss == pytest.approx(expected, rel=1e-5)
    assert best.loss != pytest.approx(float(best.errors.mean()), rel=1e-3)
