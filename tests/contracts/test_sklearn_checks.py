"""scikit-learn's own checks, on every estimator."""

from dataclasses import replace

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import lassoflexnet
from lassoflexnet import RecipeClassifier, RecipeRegressor
from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
)
from lassoflexnet.optim import AdamWSettings
from lassoflexnet.recipe import Recipe
from lassoflexnet.table import PiecewiseLinear, Standardized, TableEncoder, TreeBins
from lassoflexnet.training import Members, PathSettings, Plan, StageSettings
from tests.estimators.makers import classifier, regressor

EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a row twice is not a row of weight 2: hold-out and shuffled batches depend on the "
        "number of rows (that a row of weight 0 is no row is tested in test_weights.py)"
    ),
}

QUICK = {"batch_size": 8, "max_epochs": 6, "n_lambdas": 1, "lambda_end": 1.0, "refit": False}

BUDGET, ADAM = StageSettings(max_epochs=6, batch_size=8), AdamWSettings(learning_rate=0.05)
MIXER = Recipe(
    table=TableEncoder(numeric=PiecewiseLinear(n_bins=8, bins=TreeBins())),
    embedding=LinearEmbeddingSettings(d_embedding=4),
    backbone=MixerSettings(n_blocks=1, d_hidden=16),
    plan=Plan(
        optimizer=ADAM,
        dense=BUDGET,
        path=PathSettings(n_lambdas=0),
        ending=Members(2, BUDGET, ADAM),
        model_ema_decay=0.0,
    ),
)
RAW_MLP = replace(
    MIXER,
    table=TableEncoder(numeric=Standardized()),
    embedding=IdentityEmbeddingSettings(),
    backbone=MLPSettings(n_blocks=1, d_hidden=16),
)

ESTIMATORS = [
    regressor(**QUICK),
    classifier(**QUICK),
    RecipeRegressor(MIXER, random_state=0),
    RecipeClassifier(RAW_MLP, random_state=0),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_check(estimator, check):
    check(estimator)


def test_all_estimators_are_checked():
    public = (getattr(lassoflexnet, name) for name in lassoflexnet.__all__ if name != "PRESETS")
    assert {type(e) for e in ESTIMATORS} == {p for p in public if issubclass(p, BaseEstimator)}
