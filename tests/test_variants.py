"""The paper's models: each row of its ablation departs by what its name says, and fits."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from lassoflexnet.assembly import build_network
from lassoflexnet.nn import MLPSettings
from lassoflexnet.optim import AdamWSettings, HypergradientAdamSettings, NesterovSettings
from lassoflexnet.prox import JointHierProx, NoProx, SequentialHierProx
from lassoflexnet.recipe import Recipe
from lassoflexnet.table import TableEncoder
from lassoflexnet.training import BestValidation, FitResult, Trainer, TrainingData
from lassoflexnet.variants import ABLATIONS, LASSONET, PAPER, short, with_path
from tests.nn.makers import numbers
from tests.table.makers import fit_table
from tests.training.makers import objective, rows

BOTH_OPTIMIZERS = {"plan.optimizer", "plan.path.optimizer"}
NO_PATH = {"plan.path.prox", "plan.path.n_lambdas"}

# Name of the row: what it departs from, and where.
DEPARTURES: dict[str, tuple[Recipe, set[str]]] = {
    "Baseline Linear LassoNet": (LASSONET, set()),
    "LassoNet, AdamHGD": (LASSONET, BOTH_OPTIMIZERS),
    "LassoNet, Adam": (LASSONET, {"plan.path.optimizer"}),
    "Baseline LassoFlexNet": (PAPER, set()),
    "tau = 1": (PAPER, {"tau"}),
    "Adam Warmup + Nesterov": (PAPER, {"plan.path.optimizer"}),
    "Adam Optimizer with HGD": (PAPER, BOTH_OPTIMIZERS),
    "Hybrid Adaptive Lambda": (PAPER, {"plan.path.threshold"}),
    "Linear PFE Layers": (PAPER, {"embedding"}),
    "Learnable BatchNorm Layers": (PAPER, {"embedding.learnable_norm"}),
    "No EMA": (PAPER, {"plan.path.ema_decay"}),
    "tau = 1, no skip (Mixer only)": (PAPER, {"tau", "skip"} | NO_PATH),
    "Original Proximal Grad. w/ no EMA": (PAPER, {"plan.path.prox", "plan.path.ema_decay"}),
    "Adam w/ no Proximal Gradient": (PAPER, NO_PATH),
    "No PLE": (PAPER, {"table.numeric"}),
    "Linear LassoNet + PLE": (LASSONET, {"table.numeric"}),
    "No PFE": (PAPER, {"embedding"}),
    "MLP 1 (same width/depth) w/ HGD": (PAPER, {"backbone"} | BOTH_OPTIMIZERS),
    "MLP 2 (same # params) w/ HGD": (PAPER, {"backbone"} | BOTH_OPTIMIZERS),
    "MLP 1 (same width/depth)": (PAPER, {"backbone"}),
    "MLP 2 (same # params)": (PAPER, {"backbone"}),
}
every_row = pytest.mark.parametrize("name", ABLATIONS)


def test_rows_of_the_table():
    assert list(ABLATIONS) == list(DEPARTURES)
    assert len(ABLATIONS) == 21


@every_row
def test_row_departs_by_what_its_name_says(name: str):
    base, expected = DEPARTURES[name]
    assert set(base.differences(ABLATIONS[name])) == expected


def test_rows_differ_from_one_another():
    assert len(set(ABLATIONS.values())) == 21


def test_values_that_the_names_promise():
    assert ABLATIONS["tau = 1"].tau == 1.0 != PAPER.tau
    assert ABLATIONS["No EMA"].plan.path.ema_decay == 0.0 < PAPER.plan.path.ema_decay
    assert ABLATIONS["Original Proximal Grad. w/ no EMA"].plan.path.prox == JointHierProx()
    assert ABLATIONS["Adam w/ no Proximal Gradient"].plan.path.prox == NoProx()
    for name, recipe in ABLATIONS.items():
        if "HGD" in name:
            for optimizer in (recipe.plan.optimizer, recipe.plan.path.optimizer):
                assert isinstance(optimizer, HypergradientAdamSettings)
    nesterov = ABLATIONS["Adam Warmup + Nesterov"].plan
    assert isinstance(nesterov.optimizer, AdamWSettings)
    assert isinstance(nesterov.path.optimizer, NesterovSettings)


def test_numbers_the_paper_states():
    plan = PAPER.plan
    assert (plan.dense.max_epochs, plan.dense.patience) == (200, 20)
    assert (plan.path.budget.max_epochs, plan.path.budget.patience) == (100, 20)
    assert plan.path.power == 0.95
    assert plan.path.prox == SequentialHierProx()
    assert plan.choice == BestValidation()
    assert plan.relax.max_epochs == plan.refit.max_epochs == 0


def test_lassonet_is_raw_columns_one_layer_joint_prox_nesterov():
    assert set(PAPER.differences(LASSONET)) == {
        *("table.numeric", "embedding", "backbone", "tau", "plan.model_ema_decay"),
        *("plan.path.prox", "plan.path.threshold", "plan.path.ema_decay", "plan.path.optimizer"),
    }
    assert LASSONET.backbone == MLPSettings(n_blocks=1, d_hidden=100, dropout=0.0)


def n_parameters(recipe: Recipe) -> int:
    backbone = build_network(recipe, numbers(8, 32), 1).backbone
    return sum(p.numel() for p in backbone.parameters())


def test_sizes_of_the_mlps_on_eight_columns():
    """Same width and depth makes MLP 1 larger; MLP 2 is of the Mixer's size."""
    mixer = n_parameters(PAPER)
    assert n_parameters(ABLATIONS["MLP 1 (same width/depth)"]) > 4 * mixer
    assert 0.5 < n_parameters(ABLATIONS["MLP 2 (same # params)"]) / mixer < 2


def test_short_changes_the_budget_alone():
    assert set(PAPER.differences(short(PAPER))) == {
        *("plan.dense.max_epochs", "plan.dense.batch_size"),
        *("plan.fold.max_epochs", "plan.fold.batch_size"),
        *("plan.relax.batch_size", "plan.refit.batch_size"),
        *("plan.path.n_lambdas", "plan.path.budget.max_epochs", "plan.path.budget.batch_size"),
    }
    plan = short(Recipe(), epochs=4).plan
    assert (plan.relax.max_epochs, plan.refit.max_epochs) == (4, 0)
    plan = short(PAPER, epochs=4).plan
    assert (plan.relax.max_epochs, plan.refit.max_epochs) == (0, 0)
    assert short(ABLATIONS["Adam w/ no Proximal Gradient"]).plan.path.n_lambdas == 0


@cache
def coded(table: TableEncoder) -> TrainingData:
    """Ninety rows of three columns, the first with an effect, missing values among them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=90)
    X[::11, 1] = np.nan
    fitted = fit_table(X, y, table)
    codes, target = fitted.encode(X), torch.from_numpy(y).float()
    return TrainingData(
        fitted.layout,
        rows(codes.rows(slice(0, 60)), target[:60]),
        rows(codes.rows(slice(60, 90)), target[60:]),
    )


def fit(recipe: Recipe) -> FitResult:
    torch.manual_seed(0)
    data = coded(recipe.table)
    return Trainer(
        recipe.plan, lambda layout: build_network(recipe, layout, 1), data, objective()
    ).fit()


@every_row
def test_row_fits_and_its_path_removes_every_column(name: str):
    """A last lambda far beyond any gradient closes every gate that has an operator."""
    recipe = with_path(short(ABLATIONS[name], epochs=1), start=1e-3, end=1e7)
    result = fit(recipe)
    assert all(math.isfinite(point.validation_loss) for point in result.path.points)
    alive = [point.n_features for point in result.path.points]
    assert alive[0] == 3
    assert alive[-1] == (0 if recipe.plan.path.n_lambdas else 3)


def test_default_recipe_fits_in_short_form():
    small = replace(Recipe(), backbone=MLPSettings(2, 16))
    result = fit(with_path(short(small), end=1e4))
    assert result.path.points[-1].n_features == 0
