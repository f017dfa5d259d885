"""The paper's models as recipes: LassoFlexNet, LassoNet and every row of its ablation.

A row is a value made by ``replace``; ``Recipe.differences`` says how it departs.
"""

from dataclasses import replace

from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
    NoSkipSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.optim import (
    AdamWSettings,
    Constant,
    HypergradientAdamSettings,
    NesterovSettings,
)
from lassoflexnet.prox import (
    ByLearningRate,
    HybridThreshold,
    JointHierProx,
    NoProx,
    UniformWeights,
)
from lassoflexnet.recipe import Recipe
from lassoflexnet.table import PiecewiseLinear, Standardized, TableEncoder, TreeBins
from lassoflexnet.training import AsKept, BestValidation, PathSettings, Plan, StageSettings

_TREE_BINS = TableEncoder(numeric=PiecewiseLinear(n_bins=32, bins=TreeBins()))
_RAW = TableEncoder(numeric=Standardized())
_ADAM = AdamWSettings(learning_rate=1e-3, weight_decay=1e-5)
_HGD = HypergradientAdamSettings(learning_rate=1e-3, weight_decay=1e-5)
_NESTEROV = NesterovSettings(learning_rate=1e-3)
_NO_REFIT = StageSettings(max_epochs=0)

# What the paper states: at most 200 dense epochs, 100 per lambda, patience 20, power 0.95,
# AdamW, the lowest validation loss wins. What it does not state is read as in its tuning
# ranges; the lambda range is found from the data, as everywhere.
PAPER = Recipe(
    table=_TREE_BINS,
    embedding=ResidualEmbeddingSettings(d_embedding=16, n_layers=3, d_layer=16),
    backbone=MixerSettings(n_blocks=3, d_hidden=128),
    tau=0.5,
    plan=Plan(
        optimizer=_ADAM,
        dense=StageSettings(max_epochs=200, patience=20, schedule=Constant()),
        path=PathSettings(
            power=0.95,
            budget=StageSettings(max_epochs=100, patience=20, schedule=Constant()),
            optimizer=_ADAM,
            weights=UniformWeights(),
        ),
        relax=_NO_REFIT,
        choice=BestValidation(),
        refit=_NO_REFIT,
        ending=AsKept(),
        model_ema_decay=0.99,
        screening=None,
    ),
)
"""LassoFlexNet as the paper describes it; tau below 1 is its "soft curriculum"."""


def with_plan(recipe: Recipe, **changes: object) -> Recipe:
    """Recipe with a changed plan."""
    return replace(recipe, plan=replace(recipe.plan, **changes))  # type: ignore[arg-type]


def with_path(recipe: Recipe, **changes: object) -> Recipe:
    """Recipe with a changed path."""
    return with_plan(recipe, path=replace(recipe.plan.path, **changes))  # type: ignore[arg-type]


def with_optimizer(recipe: Recipe, optimizer: object) -> Recipe:
    """Recipe with one optimiser in the dense stage and on the path."""
    return with_path(with_plan(recipe, optimizer=optimizer), optimizer=optimizer)


def with_budget(
    recipe: Recipe,
    *,
    dense_epochs: int,
    n_lambdas: int,
    epochs_per_lambda: int,
    batch_size: int | None = None,
) -> Recipe:
    """The same recipe with at most so much training, and batches of this size."""
    plan = recipe.plan
    path = plan.path

    def cut(stage: StageSettings, epochs: int) -> StageSettings:
        size = batch_size or stage.batch_size
        return replace(stage, max_epochs=min(epochs, stage.max_epochs), batch_size=size)

    stages = {name: cut(getattr(plan, name), dense_epochs) for name in _FREE_STAGES}
    ending = plan.ending.within(lambda stage: cut(stage, dense_epochs))
    return with_path(
        with_plan(recipe, **stages, ending=ending),
        n_lambdas=min(n_lambdas, path.n_lambdas),
        budget=cut(path.budget, epochs_per_lambda),
    )


_FREE_STAGES = ("dense", "fold", "relax", "refit")


def short(recipe: Recipe, epochs: int = 2, n_lambdas: int = 3) -> Recipe:
    """The same recipe with hardly any budget, to try it out."""
    return with_budget(
        recipe, dense_epochs=epochs, n_lambdas=n_lambdas, epochs_per_lambda=1, batch_size=64
    )


LASSONET = with_path(
    with_plan(
        replace(
            PAPER,
            table=_RAW,
            embedding=IdentityEmbeddingSettings(),
            backbone=MLPSettings(n_blocks=1, d_hidden=100, dropout=0.0),
            tau=1.0,
        ),
        optimizer=_ADAM,
        model_ema_decay=0.0,
    ),
    prox=JointHierProx(),
    threshold=ByLearningRate(),
    ema_decay=0.0,
    optimizer=_NESTEROV,
)
"""LassoNet: raw columns, one hidden layer, joint prox, Nesterov momentum on the path."""

# "MLP 1" has the Mixer's hidden width and as many layers as it has mixings; "MLP 2" about
# as many parameters.
_MLP_1 = replace(PAPER, backbone=MLPSettings(n_blocks=6, d_hidden=128))
_MLP_2 = replace(PAPER, backbone=MLPSettings(n_blocks=6, d_hidden=64))

ABLATIONS: dict[str, Recipe] = {
    "Baseline Linear LassoNet": LASSONET,
    "LassoNet, AdamHGD": with_optimizer(LASSONET, _HGD),
    "LassoNet, Adam": with_optimizer(LASSONET, _ADAM),
    "Baseline LassoFlexNet": PAPER,
    "tau = 1": replace(PAPER, tau=1.0),
    "Adam Warmup + Nesterov": with_path(PAPER, optimizer=_NESTEROV),
    "Adam Optimizer with HGD": with_optimizer(PAPER, _HGD),
    "Hybrid Adaptive Lambda": with_path(PAPER, threshold=HybridThreshold()),
    "Linear PFE Layers": replace(PAPER, embedding=LinearEmbeddingSettings(d_embedding=16)),
    "Learnable BatchNorm Layers": replace(
        PAPER,
        embedding=ResidualEmbeddingSettings(
            d_embedding=16, n_layers=3, d_layer=16, learnable_norm=True
        ),
    ),
    "No EMA": with_path(PAPER, ema_decay=0.0),
    "tau = 1, no skip (Mixer only)": with_path(
        replace(PAPER, tau=1.0, skip=NoSkipSettings()), prox=NoProx(), n_lambdas=0
    ),
    "Original Proximal Grad. w/ no EMA": with_path(PAPER, prox=JointHierProx(), ema_decay=0.0),
    "Adam w/ no Proximal Gradient": with_path(PAPER, prox=NoProx(), n_lambdas=0),
    "No PLE": replace(PAPER, table=_RAW),
    "Linear LassoNet + PLE": replace(LASSONET, table=_TREE_BINS),
    "No PFE": replace(PAPER, embedding=IdentityEmbeddingSettings()),
    "MLP 1 (same width/depth) w/ HGD": with_optimizer(_MLP_1, _HGD),
    "MLP 2 (same # params) w/ HGD": with_optimizer(_MLP_2, _HGD),
    "MLP 1 (same width/depth)": _MLP_1,
    "MLP 2 (same # params)": _MLP_2,
}
"""All rows of the paper's ablation table, by the names they have there."""
