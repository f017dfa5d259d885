"""Screening: scores, which columns enter, and which are called back."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from lassoflexnet.codes import CodeLayout
from lassoflexnet.optim import AdamWSettings
from lassoflexnet.training import (
    BestValidation,
    MarginalScreening,
    Members,
    PathPoint,
    PathSettings,
    Plan,
    StageSettings,
    Trainer,
    TrainingData,
)
from lassoflexnet.training.marginal import marginal_scores
from tests.nn.makers import MIXED, codes_of, make_network, numbers, random_codes
from tests.training.makers import SHORT, objective, rows
from tests.training.test_refit import Sparsest

QUICK = Plan(
    optimizer=AdamWSettings(learning_rate=0.01),
    dense=SHORT,
    path=PathSettings(n_lambdas=3, budget=StageSettings(1, batch_size=64)),
    n_folds=0,
    relax=replace(SHORT, max_epochs=0),
    refit=SHORT,
)


def wide(n: int = 120, d: int = 150, seed: int = 0) -> TrainingData:
    """Two of many columns have an effect, of a size that cannot be missed."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, d))
    y = 3 * x[:, 40] + 4 * np.abs(x[:, 90] - 0.5) + 0.1 * rng.normal(size=n)
    y = torch.from_numpy((y - y.mean()) / y.std()).float()
    codes, cut = codes_of(x), n - 30
    return TrainingData(
        numbers(d),
        rows(codes.rows(slice(0, cut)), y[:cut]),
        rows(codes.rows(slice(cut, n)), y[cut:]),
    )


def slow_score(groups: np.ndarray, residual: np.ndarray, weight: np.ndarray) -> float:
    """Normal score of the variation between groups, group by group."""
    residual = residual - np.average(residual, weights=weight)
    variance = (weight**2 * residual**2).sum() / weight.sum()
    chi2, n_groups = 0.0, 0
    for group in np.unique(groups):
        of = groups == group
        chi2 += weight[of].sum() * np.average(residual[of], weights=weight[of]) ** 2 / variance
        n_groups += 1
    k = n_groups - 1
    if k == 0:
        return -np.inf
    return float(((chi2 / k) ** (1 / 3) - 1 + 2 / (9 * k)) / np.sqrt(2 / (9 * k)))


def groups_of(slot: int, start: int, n_ordered: int) -> int:
    own = slot - start
    if own >= n_ordered:
        return 100 + own
    return own * 8 // n_ordered if n_ordered > 8 else own


@pytest.mark.parametrize("layout", [MIXED, numbers(3), CodeLayout((0,), (0,), (20,), (22,))])
def test_scores_against_a_slow_version(layout: CodeLayout):
    codes, rng = random_codes(layout, 90), np.random.default_rng(0)
    residual, weight = rng.normal(size=90), rng.random(90) + 0.1
    expected = np.full(layout.n_features, -np.inf)
    for piece, feature in enumerate(layout.feature):
        start, n_ordered = layout.offset[piece], layout.n_ordered[piece]
        groups = np.array([groups_of(int(s), start, n_ordered) for s in codes.slot[piece]])
        score = slow_score(groups, residual, weight)
        expected[feature] = max(expected[feature], score)
    found = marginal_scores(
        codes, layout, torch.from_numpy(residual)[:, None], torch.from_numpy(weight)
    )
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_scores_of_noise_are_about_standard_normal(n_outputs: int, weighted: bool):
    rng = np.random.default_rng(0)
    weight = torch.where(torch.arange(400) < 100, 3.0, 0.5) if weighted else torch.ones(400)
    codes = codes_of(rng.random((400, 1500)))
    residual = torch.from_numpy(rng.normal(size=(400, n_outputs)))
    if n_outputs > 1:
        residual -= residual.mean(dim=1, keepdim=True)
    scores = marginal_scores(codes, numbers(1500), residual, weight).numpy()
    assert stats.kstest(scores, "norm").statistic < 0.08
    assert scores.max() < 5


def test_scores_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch):
    codes, residual = random_codes(MIXED, 50), torch.randn(50, 1)
    whole = marginal_scores(codes, MIXED, residual, torch.ones(50))
    monkeypatch.setattr("lassoflexnet.training.marginal.CELLS_AT_ONCE", 100)
    assert torch.equal(whole, marginal_scores(codes, MIXED, residual, torch.ones(50)))


@pytest.mark.parametrize(
    ("screening", "d", "n", "limit"),
    [
        (MarginalScreening(), 10_000, 1_700, 228),
        (MarginalScreening(), 1_700, 1_700, 1_700),
        (MarginalScreening(), 90, 20, 90),
        (MarginalScreening(), 5_000, 200, 100),
        (MarginalScreening(always=True), 1_700, 1_700, 228),
        (MarginalScreening(always=True), 50, 1_700, 50),
        (MarginalScreening(max_features=7, always=True), 50, 1_700, 7),
        (MarginalScreening(max_features=7), 50, 1_700, 50),
    ],
)
def test_limit(screening: MarginalScreening, d: int, n: int, limit: int):
    assert screening.limit(d, n) == limit


def fit(data: TrainingData, screening: MarginalScreening | None):
    torch.manual_seed(0)
    goal = objective()
    plan = replace(QUICK, screening=screening)
    return Trainer(plan, make_network, data, goal).fit(), goal


def test_columns_with_an_effect_enter_and_numbers_are_those_of_the_table():
    data = wide()
    result, goal = fit(data, MarginalScreening())
    assert result.screening is not None
    assert (result.screening.n_features, result.screening.n_entered) == (150, 100)
    assert {40, 90} <= set(result.path.points[0].features)
    assert len(result.path.points[0].features) == 100
    assert result.path.n_features_in == 150
    assert result.point in result.path.points
    assert result.network.layout.n_features == len(result.point.features)
    assert goal.monitor.epochs[0].n_features == 100


@pytest.mark.parametrize("screening", [None, MarginalScreening(max_features=150, always=True)])
def test_where_all_enter_nothing_is_screened(screening):
    result, _ = fit(wide(), screening)
    assert result.screening is None
    assert len(result.path.points[0].features) == 150


@pytest.mark.parametrize(
    ("choice", "expected"), [(Sparsest(), ["fold", "refit"]), (BestValidation(), ["refit"])]
)
def test_residuals_are_told_by_a_network_trained_without_lambda(choice, expected):
    """Once, whether supports were compared by refits of them or not."""
    stage = StageSettings(max_epochs=2, batch_size=64)
    plan = replace(
        QUICK,
        choice=choice,
        max_supports=2,
        n_folds=2,
        fold=stage,
        relax=stage,
        refit=replace(stage, max_epochs=0),
        ending=Members(2, stage),
        screening=MarginalScreening(max_rounds=0),
    )
    goal, data = objective(), wide()
    torch.manual_seed(0)
    result = Trainer(plan, make_network, data, goal).fit()
    stages = [row.stage for row in goal.monitor.epochs if row.stage in ("fold", "refit")]
    assert sorted(set(stages)) == expected
    if choice.cross_fitted:
        assert 0 < len(result.point.features) < 100
        assert stages.count("refit") == 2


def test_residuals_are_told_by_the_network_of_a_challenge():
    """As those that predict, it was trained without lambda on the kept columns alone."""
    stage = StageSettings(max_epochs=2, batch_size=64)
    plan = replace(
        QUICK, choice=Sparsest(), max_supports=2, n_folds=2, fold=stage, ending=Members(2, stage)
    )
    data = wide()
    more = data.validation.at(torch.arange(100) % data.validation.n_rows)
    goal = objective()
    torch.manual_seed(0)
    trainer = Trainer(plan, make_network, data._replace(validation=more), goal)
    result = trainer._fit()
    n_epochs = len(goal.monitor.epochs)
    assert result.team is not None
    assert trainer._relaxed(result) is result.team.first.network
    assert len(goal.monitor.epochs) == n_epochs, "nothing is trained for it"


def test_many_given_rows_may_bring_the_dense_stage_back(monkeypatch: pytest.MonkeyPatch):
    """The path has no networks any more when columns are numbered anew."""
    dense_point = Trainer._dense_point

    def unbeatable(trainer: Trainer) -> PathPoint:
        point = dense_point(trainer)
        errors = torch.zeros_like(point.snapshot.errors)
        return replace(point, snapshot=point.snapshot._replace(errors=errors))

    monkeypatch.setattr(Trainer, "_dense_point", unbeatable)
    data, stage = wide(n=250), StageSettings(max_epochs=1, batch_size=64)
    train, given = (data.train.at(slice(*ends)) for ends in ((0, 120), (120, 220)))
    data = data._replace(train=train, validation=given)
    assert data.tells
    plan = replace(
        QUICK,
        choice=Sparsest(),
        n_folds=2,
        fold=stage,
        ending=Members(2, stage),
        screening=MarginalScreening(max_rounds=0),
    )
    torch.manual_seed(0)
    result = Trainer(plan, make_network, data, objective()).fit()
    assert result.path.points[-1].n_features == 0
    assert result.point.lam == 0
    assert result.point.n_features == 100, "of those that passed screening"
    assert result.network is result.dense.snapshot.network


def test_what_was_wrongly_left_out_is_called_back(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(MarginalScreening, "first", lambda *_: torch.tensor([3, 40, 77]))
    result, _ = fit(wide(400), MarginalScreening(max_features=3, always=True))
    assert result.screening is not None
    assert result.screening.recalled == (90,)
    assert 90 in result.path.points[0].features


def test_rounds_are_limited(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(MarginalScreening, "first", lambda *_: torch.tensor([3, 40, 77]))
    screening = MarginalScreening(max_features=3, always=True, max_rounds=0)
    result, _ = fit(wide(400), screening)
    assert result.screening is not None
    assert result.screening.recalled == ()
    assert 90 not in result.path.points[0].features
