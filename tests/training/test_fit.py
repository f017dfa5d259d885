"""The whole of training on a small problem."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lassoflexnet.nn import MixerSettings, MLPSettings
from lassoflexnet.optim import AdamWSettings, Constant
from lassoflexnet.prox import UniformWeights
from lassoflexnet.training import (
    AtMost,
    BestValidation,
    FitResult,
    OneStandardError,
    PathPoint,
    PathSettings,
    Plan,
    StageSettings,
    Trainer,
    TrainingData,
    TrainOn,
)
from lassoflexnet.training.evaluation import predict
from lassoflexnet.training.history import Epoch
from lassoflexnet.training.stage import snapshot
from lassoflexnet.training.tasks import binary_log_loss, log_loss, squared_error
from tests.nn.makers import BACKBONES, RESIDUAL, make_network
from tests.training.makers import objective, problem

STAGE = StageSettings(max_epochs=10, patience=5, batch_size=64)
PLAN = Plan(
    optimizer=AdamWSettings(0.01),
    dense=STAGE,
    path=PathSettings(
        n_lambdas=5,
        budget=StageSettings(max_epochs=2, batch_size=64, schedule=Constant()),
        optimizer=AdamWSettings(0.01),
    ),
    fold=replace(STAGE, max_epochs=5),
    relax=replace(STAGE, max_epochs=4),
    refit=STAGE,
    ending=TrainOn(),
    model_ema_decay=0.9,
)
TINY = replace(
    PLAN,
    dense=replace(STAGE, max_epochs=2),
    path=replace(
        PLAN.path,
        n_lambdas=4,
        start=0.01,
        end=100.0,
        budget=replace(PLAN.path.budget, max_epochs=1),
    ),
    fold=replace(STAGE, max_epochs=1),
    relax=replace(STAGE, max_epochs=1),
    refit=replace(STAGE, max_epochs=1),
)
OFF = StageSettings(max_epochs=0)
DATA = problem(n=300, d=6)


def fit(
    plan: Plan = PLAN,
    data: TrainingData = DATA,
    *,
    goal=None,
    n_outputs: int = 1,
    backbone=BACKBONES[0],
    seed: int = 0,
) -> FitResult:
    goal = goal or objective()
    return Trainer(
        plan,
        lambda layout: make_network(layout, n_outputs, backbone=backbone, seed=seed),
        data,
        goal,
    ).fit()


@pytest.fixture(scope="module")
def fitted() -> FitResult:
    return fit()


def kept_loss(result: FitResult, data: TrainingData = DATA, loss=squared_error) -> float:
    part = data.keep(torch.tensor(result.point.features, dtype=torch.long))
    return snapshot(result.network, part.validation, objective(loss, loss)).loss


def test_noise_is_removed_and_signal_kept(fitted: FitResult):
    assert fitted.point.features == (0, 1)
    assert fitted.network.layout.n_features == 2


def test_kept_network_is_not_worse_than_the_dense_stage(fitted: FitResult):
    assert kept_loss(fitted) <= fitted.path.points[0].validation_loss
    assert kept_loss(fitted) < 0.2


def test_path_begins_dense_and_ends_with_no_column(fitted: FitResult):
    path = fitted.path
    assert path.n_features_in == 6
    assert path.points[0].lam == 0.0
    assert path.points[0].features == tuple(range(6))
    assert path.points[-1].n_features == 0
    assert (np.diff(path.lambdas()) > 0).all()
    assert (path.norms()[0] > 0).all()
    assert not path.norms()[-1].any()
    assert fitted.point in path.points


@pytest.mark.parametrize("backbone", BACKBONES[1:], ids=str)
def test_mixers_select_too(backbone):
    result = fit(replace(PLAN, choice=BestValidation()), backbone=backbone)
    assert {0, 1} <= set(result.point.features)
    assert result.path.points[-1].n_features == 0
    assert kept_loss(result) <= result.path.points[0].validation_loss


def outputs_of(seed: int, **parts) -> torch.Tensor:
    torch.manual_seed(seed)
    result = fit(TINY, seed=seed, **parts)
    features = torch.tensor(result.point.features, dtype=torch.long)
    return predict(result.network, DATA.keep(features).validation.codes)


def test_seed_decides_everything():
    backbone = MLPSettings(n_blocks=2, d_hidden=8, dropout=0.2)
    first, again, other = (outputs_of(seed, backbone=backbone) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("backbone", [MLPSettings(2, 8), MixerSettings(2, 8)], ids=str)
def test_table_without_features(backbone):
    none = torch.tensor([], dtype=torch.long)
    data = DATA.keep(none)
    data = data._replace(train=data.train._replace(target=data.train.target + 3))
    data = data._replace(validation=data.validation._replace(target=data.validation.target + 3))
    result = fit(replace(PLAN, optimizer=AdamWSettings(0.3)), data, backbone=backbone)
    assert result.point.features == ()
    assert len(result.path.points) == 1
    outputs = predict(result.network, data.validation.codes)
    assert outputs.mean().item() == pytest.approx(3.0, abs=0.5)
    torch.testing.assert_close(outputs, outputs[:1].expand_as(outputs))


def test_no_path():
    result = fit(replace(TINY, path=replace(TINY.path, n_lambdas=0)))
    assert len(result.path.points) == 1
    assert result.point.features == tuple(range(6))


def refits(goal) -> list[list[Epoch]]:
    """Epochs of each refit."""
    found: list[list[Epoch]] = []
    for row in goal.monitor.epochs:
        if row.stage == "refit":
            if row.epoch == 1:
                found.append([])
            found[-1].append(row)
    return found


def best_of(epochs: list[Epoch]) -> float:
    return min(min(row.validation_loss, row.average_loss) for row in epochs)


def supports(result: FitResult, n: int) -> list[PathPoint]:
    """Best point of each support with 1 to n columns, the lowest loss first."""
    best: dict[tuple[int, ...], PathPoint] = {}
    for point in sorted(result.path.points, key=lambda p: p.validation_loss):
        if 0 < point.n_features <= n:
            best.setdefault(point.features, point)
    return list(best.values())


def test_without_refits_a_point_is_kept_as_it_was():
    goal = objective()
    result = fit(replace(TINY, relax=OFF, refit=OFF, n_folds=0, choice=AtMost(2)), goal=goal)
    assert {row.stage for row in goal.monitor.epochs} == {"dense", "path"}
    assert result.network is result.point.snapshot.network
    assert kept_loss(result) == pytest.approx(result.point.validation_loss, rel=1e-5)


def test_every_support_is_trained_from_the_path_and_from_scratch():
    goal = objective()
    result = fit(replace(PLAN, n_folds=0, choice=AtMost(2)), goal=goal)
    points, trained = supports(result, 2), refits(goal)
    assert [rows[0].n_features for rows in trained] == [p.n_features for p in points for _ in "12"]
    tried = {point.features: [point.validation_loss] for point in points}
    for at, rows in enumerate(trained):
        tried[points[at // 2].features].append(best_of(rows))
    best = min(tried, key=lambda features: min(tried[features]))
    assert result.point.features == best
    assert kept_loss(result) == pytest.approx(min(tried[best]), rel=1e-4)
    warm, fresh = (rows[0].validation_loss for rows in trained[:2])
    assert warm < 0.5 * fresh, "the first start knows what the path has learned"


@pytest.mark.parametrize(("relax", "refit"), [(STAGE, OFF), (OFF, STAGE)], ids=["warm", "fresh"])
def test_either_start_can_be_left_out(relax: StageSettings, refit: StageSettings):
    goal = objective()
    budgets = (replace(stage, max_epochs=min(stage.max_epochs, 2)) for stage in (relax, refit))
    plan = replace(
        TINY, n_folds=0, choice=AtMost(2), **dict(zip(("relax", "refit"), budgets, strict=True))
    )
    result = fit(plan, goal=goal)
    assert len(refits(goal)) == len(supports(result, 2))
    assert all(len(rows) == 2 for rows in refits(goal))


def test_only_so_many_supports_are_refitted_the_best_first():
    goal = objective()
    result = fit(replace(TINY, n_folds=0, choice=AtMost(3), max_supports=1), goal=goal)
    first = supports(result, 3)[0]
    assert len(supports(result, 3)) > 1, "or this shows nothing"
    assert [rows[0].n_features for rows in refits(goal)] == [first.n_features] * 2


def test_supports_are_compared_on_rows_that_their_networks_have_not_seen():
    """One standard error: each support is cross-fitted on two halves, one is refitted."""
    goal = objective()
    result = fit(replace(TINY, choice=OneStandardError(99), max_supports=2), goal=goal)
    folds = [row for row in goal.monitor.epochs if row.stage == "fold"]
    assert len(folds) == 3 * 2, "two supports beside that of all columns"
    assert len(refits(goal)) <= 2 * 3
    assert kept_loss(result) <= result.path.points[0].validation_loss
    judged = {(p.features, p.cross_fitted_loss) for p in result.path.points}
    assert sum(math.isfinite(loss) for _, loss in judged) == 3, "of three supports, each has one"
    goal = objective()
    fit(replace(TINY, choice=OneStandardError(), n_folds=0), goal=goal)
    assert all(row.stage != "fold" for row in goal.monitor.epochs)


def test_path_is_told_as_it_was_walked():
    """Refits change what is kept, not the losses that the path reports."""
    result = fit(replace(TINY, choice=AtMost(2), relax=STAGE, refit=OFF))
    assert all(point.validation_loss == point.snapshot.loss for point in result.path.points)
    assert result.point in result.path.points
    assert kept_loss(result) < result.point.validation_loss


def test_point_is_that_of_the_network_even_if_lambda_repeats():
    path = replace(TINY.path, n_lambdas=6, start=0.5, end=0.5, weights=UniformWeights())
    result = fit(replace(TINY, path=path, choice=AtMost(3), relax=OFF, refit=OFF))
    counts = [point.n_features for point in result.path.points]
    assert len(set(counts)) > 3, "or no support differs at the same lambda"
    assert result.point.lam == pytest.approx(0.5)
    assert len(result.point.features) == result.network.layout.n_features <= 3


@pytest.mark.parametrize("n", [0, 1, 3])
def test_at_most(n: int):
    result = fit(replace(TINY, choice=AtMost(n)))
    assert result.point.n_features <= n
    assert result.network.layout.n_features == result.point.n_features


class Fixed:
    """A choice that names the sparsest points first, the best one last."""

    cross_fitted = False

    def eligible(self, points):
        return points

    def __call__(self, points, weight, constant):
        best = min(points, key=lambda p: p.validation_loss)
        return [*sorted(points, key=lambda p: p.n_features)[:3], best]


def test_candidates_that_stay_worse_than_dense_are_given_up():
    """No column at all is liked best, and is worse; the next one that is not is kept."""
    result = fit(replace(PLAN, choice=Fixed(), relax=OFF, refit=OFF))
    dense = result.path.points[0].validation_loss
    assert result.path.points[-1].validation_loss > dense
    assert result.point.n_features > 0
    assert kept_loss(result) <= dense


def test_best_point_is_kept_if_every_candidate_is_worse_than_dense():
    class Hopeless(Fixed):
        def __call__(self, points, weight, constant):
            return [p for p in points if p.n_features == 0]

    result = fit(replace(TINY, choice=Hopeless(), max_supports=9, relax=OFF, refit=OFF))
    assert result.path.points[-1].n_features == 0
    assert kept_loss(result) == min(p.validation_loss for p in result.path.points)


def test_dense_network_competes_where_no_column_was_removed():
    """A point with all columns is no better than dense training, which is then kept."""
    plan = replace(
        TINY,
        choice=AtMost(6),
        path=replace(TINY.path, n_lambdas=1, start=1e-9, end=1e-9),
    )
    result = fit(plan)
    assert result.point.features == tuple(range(6))
    assert kept_loss(result) == min(p.validation_loss for p in result.path.points)


def test_dense_stage_of_no_epochs():
    """LassoNet without its first stage: the path starts from the initial weights."""
    result = fit(replace(TINY, dense=StageSettings(max_epochs=0)))
    assert math.isfinite(result.path.points[0].validation_loss)
    assert result.path.points[0].n_epochs == 0


@pytest.mark.parametrize(
    ("n_outputs", "loss"), [(1, binary_log_loss), (3, log_loss)], ids=["two", "three"]
)
def test_classes(n_outputs: int, loss):
    """Class by thresholds on the first column; the others are noise."""
    edges = torch.tensor([-0.4, 0.4]) if n_outputs == 3 else torch.tensor([0.0])
    position = (DATA.train.codes.slot + DATA.train.codes.fraction)[0] - 2.0
    held = (DATA.validation.codes.slot + DATA.validation.codes.fraction)[0] - 2.0
    data = DATA._replace(
        train=DATA.train._replace(target=torch.bucketize(position, edges)),
        validation=DATA.validation._replace(target=torch.bucketize(held, edges)),
    )
    result = fit(PLAN, data, goal=objective(loss, loss), n_outputs=n_outputs)
    assert 0 in result.point.features
    assert result.point.n_features <= 3
    assert result.path.points[-1].n_features == 0
    assert kept_loss(result, data, loss) < 0.5 * math.log(max(n_outputs, 2))
    assert result.network.gate().beta.shape[1] == n_outputs


def test_progress_is_told(capsys: pytest.CaptureFixture[str]):
    goal = objective()
    goal.monitor.verbose = 1
    result = fit(replace(TINY, choice=OneStandardError()), goal=goal)
    lines = capsys.readouterr().out.splitlines()
    assert "dense stage: validation" in lines[0]
    assert sum("] lambda " in line for line in lines) == len(result.path.points) - 1
    assert f"kept lambda {result.point.lam:.3g} with {result.point.n_features}" in lines[-1]


def test_fresh_networks_are_normalised_by_the_data():
    trainer = Trainer(PLAN, lambda layout: make_network(layout), DATA, objective())
    z = trainer.workshop.fresh(DATA).eval().embedding(DATA.train.codes)
    assert z.mean(dim=1).abs().max() < 1e-4
    assert z.shape[2] == RESIDUAL.d_embedding
