"""The lambda path: which lambdas, what each visit does, when it ends."""

import itertools
import math

import numpy as np
import pytest
import torch

from lassoflexnet.optim import AdamWSettings, Constant, WarmupCosine
from lassoflexnet.prox import ByLearningRate, NoProx, PlainThreshold, UniformWeights
from lassoflexnet.training import PathPoint, PathSettings, StageSettings
from lassoflexnet.training.evaluation import predict
from lassoflexnet.training.knockout import Knockout
from lassoflexnet.training.lambda_grid import polynomial
from lassoflexnet.training.path import (
    MAX_OVERTIME,
    OVERTIME_FACTOR,
    SMALLEST_SHARE,
    LambdaWalk,
    walk_path,
)
from lassoflexnet.training.stage import snapshot
from lassoflexnet.training.tasks import squared_error
from tests.nn.makers import make_network
from tests.training.makers import SHORT, objective, problem

DATA = problem(n=96)
FIRST, LAST = 0.01, 0.5


def lambdas(**settings) -> list[float]:
    return list(PathSettings(n_lambdas=4, power=2.0, **settings).lambdas(FIRST, LAST))


def overtime(end: float) -> list[float]:
    return [end * OVERTIME_FACTOR**k for k in range(1, MAX_OVERTIME + 1)]


def test_range_of_the_data_and_overtime():
    expected = [*polynomial(FIRST, LAST, 4, 2.0), *overtime(LAST)]
    assert lambdas() == pytest.approx(expected)


def test_given_start():
    assert lambdas(start=0.1) == pytest.approx([*polynomial(0.1, LAST, 4, 2.0), *overtime(LAST)])


def test_start_zero_is_a_start():
    assert lambdas(start=0.0)[:4] == pytest.approx(polynomial(0.0, LAST, 4, 2.0))


def test_given_end_is_the_end():
    assert lambdas(end=0.3) == pytest.approx(polynomial(FIRST, 0.3, 4, 2.0))


def test_multiplier_sets_the_end_without_one():
    assert lambdas(start=0.02, multiplier=10) == pytest.approx(polynomial(0.02, 0.2, 4, 2.0))
    assert lambdas(multiplier=10) == pytest.approx(polynomial(FIRST, 0.1, 4, 2.0))


def test_end_comes_before_the_multiplier():
    assert lambdas(start=0.02, end=0.3, multiplier=10)[-1] == pytest.approx(0.3)


def test_start_is_no_tiny_share_of_the_end():
    settings = PathSettings(n_lambdas=3)
    assert next(settings.lambdas(0.0, 0.5)) == pytest.approx(SMALLEST_SHARE * 0.5)


def test_range_that_is_turned_round_is_one_value():
    start_past_end = list(itertools.islice(PathSettings(n_lambdas=3).lambdas(0.7, 0.5), 4))
    assert start_past_end == pytest.approx([0.7, 0.7, 0.7, 0.7 * OVERTIME_FACTOR])


def test_no_lambdas_at_all():
    assert list(PathSettings(n_lambdas=0).lambdas(FIRST, LAST)) == []


def knockout() -> Knockout:
    return Knockout(torch.ones(5), torch.ones(5), torch.full((5,), 0.02))


def make_walk(decay: float = 0.0, worth: list[float] | None = None, **settings) -> LambdaWalk:
    network = make_network(DATA.layout)
    network.set_moments(DATA.train.codes)
    dense = snapshot(network, DATA.validation, objective())
    parts = {"budget": SHORT, "weights": UniformWeights(), **settings}
    return LambdaWalk(
        dense,
        DATA,
        torch.ones(5) if worth is None else torch.tensor(worth),
        settings=PathSettings(**parts),
        objective=objective(),
        average_decay=decay,
    )


def kill(walk: LambdaWalk, features: list[int]) -> None:
    """Make sure that these features, and no others, die at the next visit."""
    weights = torch.zeros(len(walk.features))
    weights[features] = 1e9
    walk.optimizer.weights = weights


def test_walk_starts_from_a_copy_of_the_dense_network():
    network = make_network(DATA.layout)
    before = network.skip.weight.detach().clone()
    dense = snapshot(network, DATA.validation, objective())
    walk = LambdaWalk(
        dense, DATA, torch.ones(5), settings=PathSettings(budget=SHORT), objective=objective(),
        average_decay=0.0,
    )  # fmt: skip
    assert torch.equal(walk.network.skip.weight, before)
    walk.visit(0.1)
    assert torch.equal(network.skip.weight, before)


def test_settings_reach_the_optimizer():
    rule = PlainThreshold()
    walk = make_walk(optimizer=AdamWSettings(0.007), prox=NoProx(), threshold=rule, ema_decay=0.3)
    assert walk.optimizer.param_groups[0]["lr"] == 0.007
    assert (walk.optimizer.prox, walk.optimizer.threshold) == (NoProx(), rule)
    assert walk.optimizer.ema_decay == 0.3


def test_weights_of_lambda_come_from_the_worth():
    walk = make_walk(worth=[4.0, 1.0, 1.0, -1.0, 0.0], weights=PathSettings().weights)
    assert walk.optimizer.weights.tolist() == pytest.approx([1.0, 2.0, 2.0, 100.0, 100.0])


def test_point_describes_the_network_it_holds():
    walk = make_walk()
    kill(walk, [1, 4])
    point = walk.visit(0.05)
    assert point.features == (0, 2, 3)
    assert (point.lam, point.n_features, point.n_epochs) == (0.05, 3, SHORT.max_epochs)
    network = point.snapshot.network
    assert network.layout.n_features == 3
    assert point.norms == tuple(network.gate().norm().tolist())
    data = DATA.keep(torch.tensor([0, 2, 3]))
    outputs = predict(network, data.validation.codes)
    torch.testing.assert_close(
        point.snapshot.errors, squared_error(outputs, data.validation.target)
    )
    assert point.validation_loss == pytest.approx(float(point.snapshot.errors.mean()), rel=1e-5)
    assert point.seconds > 0


@pytest.mark.parametrize("decay", [0.0, 0.9])
def test_numbers_of_features_are_the_first_ones_after_many_cuts(decay: float):
    walk = make_walk(decay)
    seen = []
    for dead in ([1], [0, 3], [1], [0]):
        kill(walk, dead)
        seen.append(walk.visit(0.01).features)
    assert seen == [(0, 2, 3, 4), (2, 3), (2,), ()]
    averaged = walk.average.settle(walk.data.train.codes)
    assert walk.network.gate().beta.shape == averaged.gate().beta.shape == (0, 1)
    assert walk.data.train.codes.slot.shape[0] == 0


def test_network_goes_on_from_where_it_was_and_points_do_not():
    walk = make_walk()
    first = walk.visit(1e-6)
    before = first.snapshot.network.skip.weight.detach().clone()
    assert torch.equal(walk.network.skip.weight, before)
    walk.visit(1e-6)
    assert not torch.equal(walk.network.skip.weight, before)
    assert torch.equal(first.snapshot.network.skip.weight, before)


def test_features_do_not_come_back():
    walk = make_walk()
    kill(walk, [0, 1])
    walk.visit(0.1)
    walk.optimizer.weights = torch.zeros(3)
    assert walk.visit(0.1).features == (2, 3, 4)


def test_schedule_starts_anew_at_each_lambda():
    budget = StageSettings(max_epochs=2, patience=9, batch_size=32, schedule=WarmupCosine())
    walk = make_walk(budget=budget)
    for _ in range(2):
        before = walk.network.backbone.head.weight.detach().clone()
        walk.visit(1e-6)
        assert (walk.network.backbone.head.weight - before).abs().max() > 1e-4


def test_epochs_are_noted_with_their_lambda():
    walk = make_walk()
    walk.visit(0.01)
    walk.visit(0.02)
    noted = [(row.stage, row.lam, row.epoch) for row in walk.objective.monitor.epochs]
    assert noted == [("path", lam, epoch) for lam in (0.01, 0.02) for epoch in (1, 2, 3)]


def walked(**settings) -> list[PathPoint]:
    walk = make_walk(**settings)
    return walk_path(walk, knockout(), torch.full((5,), 0.3))


def test_lambdas_are_visited_in_order_until_no_feature_lives():
    points = walked(n_lambdas=4)
    found = [point.lam for point in points]
    grid = [*polynomial(0.5 * 0.02, 0.3, 4, 8.0), *overtime(0.3)]
    assert found == pytest.approx(grid[: len(found)])
    alive = [point.n_features for point in points]
    assert alive == sorted(alive, reverse=True)
    assert alive[-1] == 0
    assert 0 not in alive[:-1]


def test_given_end_may_leave_features_alive():
    points = walked(n_lambdas=3, start=1e-6, end=1e-5)
    assert [point.lam for point in points] == pytest.approx(polynomial(1e-6, 1e-5, 3, 8.0))
    assert points[-1].n_features > 0


def test_range_is_in_units_of_the_weighted_lambda():
    """Twice the weights means half the lambdas, for the same thresholds."""
    one, two = (make_walk(n_lambdas=2, prox=NoProx(), threshold=ByLearningRate()) for _ in range(2))
    two.optimizer.weights = 2 * one.optimizer.weights
    for walk in (one, two):
        walk.visit = lambda lam: PathPoint(lam, 0.0, int(lam < 0.3), 0, 0.0, (), ())
    pulls = knockout(), torch.full((5,), 0.3)
    full = np.array([point.lam for point in walk_path(one, *pulls)])
    half = np.array([point.lam for point in walk_path(two, *pulls)])
    np.testing.assert_allclose(half[:2], full[:2] / 2)


def test_path_ends_after_its_overtime_if_features_never_die():
    walk = make_walk(n_lambdas=2, prox=NoProx(), budget=StageSettings(0, schedule=Constant()))
    points = walk_path(walk, knockout(), torch.full((5,), 0.3))
    assert len(points) == 2 + MAX_OVERTIME
    assert math.isfinite(points[-1].lam)
