"""The flat door: named numbers -> recipe.

Shared by ``LassoFlexNetRegressor`` and ``LassoFlexNetClassifier``: their arguments,
the ranges allowed, their documentation, and what each one sets in the recipe.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from lassoflexnet.estimators.sizes import n_deals, settled
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import (
    MixerSettings,
    MLPSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.optim import (
    AdamWSettings,
    Constant,
    MuonSettings,
    OptimizerSettings,
    WarmupCosine,
)
from lassoflexnet.prox import AdaptiveWeights, SequentialHierProx, UniformWeights
from lassoflexnet.recipe import PRECISIONS, Recipe
from lassoflexnet.table import PiecewiseLinear, QuantileBins, TableEncoder, TreeBins
from lassoflexnet.training import (
    AsKept,
    AtMost,
    BestValidation,
    MarginalScreening,
    Members,
    OneStandardError,
    PathSettings,
    Plan,
    StageSettings,
    TrainOn,
)
from lassoflexnet.training.choice import PathChoice
from lassoflexnet.training.members import Ending

BINNING = {"quantile": QuantileBins, "tree": TreeBins}
BACKBONES = {"mlp": MLPSettings, "mixer": MixerSettings}
SCHEDULES = {"cosine": WarmupCosine, "constant": Constant}
LAMBDA_WEIGHTS = {"adaptive": AdaptiveWeights, "uniform": UniformWeights}
# Of the learning rate, for all that Muon trains; docs/defaults.md says what other factors did.
MUON_PACE = 2.0


def _muon(learning_rate: float, weight_decay: float) -> MuonSettings:
    return MuonSettings(MUON_PACE * learning_rate, weight_decay)


OPTIMIZERS: dict[str, Callable[[float, float], OptimizerSettings]] = {
    "muon": _muon,
    "adamw": AdamWSettings,
}

# What "auto" members are, where there is a refit.
N_MEMBERS = 4
SELECTION: dict[str, type[OneStandardError] | type[BestValidation]] = {
    "one_standard_error": OneStandardError,
    "best": BestValidation,
}


def _count(low: int) -> list[Any]:
    return [Interval(Integral, low, None, closed="left")]


def _positive() -> list[Any]:
    return [Interval(Real, 0, None, closed="neither")]


def _share() -> list[Any]:
    return [Interval(Real, 0, 1, closed="left")]


_AUTO = StrOptions({"auto"})

FLAT_CONSTRAINTS: dict[str, list[Any]] = {
    "n_bins": [StrOptions({"auto", "fine"}), *_count(1)],
    "binning": [StrOptions(set(BINNING))],
    "d_embedding": _count(1),
    "n_embedding_layers": _count(0),
    "d_embedding_layer": _count(1),
    "embedding_dropout": [_AUTO, *_share()],
    "backbone": [StrOptions(set(BACKBONES))],
    "n_blocks": _count(1),
    "d_hidden": [_AUTO, *_count(1)],
    "dropout": [_AUTO, *_share()],
    "tau": [Interval(Real, 0, None, closed="left")],
    "M": _positive(),
    "lambda_start": [None, *_positive()],
    "lambda_end": [None, *_positive()],
    "lambda_multiplier": [None, Interval(Real, 1, None, closed="left")],
    "n_lambdas": _count(0),
    "lambda_power": _positive(),
    "lambda_bar": [Interval(Real, 0, None, closed="left")],
    "lambda_weights": [StrOptions(set(LAMBDA_WEIGHTS))],
    "ema_decay": _share(),
    "model_ema_decay": _share(),
    "optimizer": [StrOptions(set(OPTIMIZERS))],
    "learning_rate": _positive(),
    "path_learning_rate": [_AUTO, *_positive()],
    "schedule": [StrOptions(set(SCHEDULES))],
    "weight_decay": [Interval(Real, 0, None, closed="left")],
    "batch_size": [_AUTO, *_count(1)],
    "max_epochs": [_AUTO, *_count(1)],
    "max_epochs_per_lambda": [_AUTO, *_count(1)],
    "patience": _count(1),
    "selection": [StrOptions(set(SELECTION)), *_count(0)],
    "challenge": ["boolean"],
    "refit": ["boolean"],
    "n_members": [_AUTO, *_count(1)],
    "screening": [_AUTO, "boolean", *_count(1)],
    "precision": [StrOptions(set(PRECISIONS))],
}


def flat_recipe(arguments: dict[str, Any], n_rows: int) -> Recipe:
    """Recipe that the flat arguments describe, for so many training rows."""
    a = settled(arguments, n_rows)
    return Recipe(
        table=TableEncoder(
            numeric=PiecewiseLinear(n_bins=a["n_bins"], bins=BINNING[a["binning"]]())
        ),
        embedding=ResidualEmbeddingSettings(
            d_embedding=a["d_embedding"],
            n_layers=a["n_embedding_layers"],
            d_layer=a["d_embedding_layer"],
            dropout=a["embedding_dropout"],
        ),
        backbone=BACKBONES[a["backbone"]](
            n_blocks=a["n_blocks"], d_hidden=a["d_hidden"], dropout=a["dropout"]
        ),
        tau=a["tau"],
        precision=a["precision"],
        plan=_plan(a, n_rows),
    )


def _plan(a: dict[str, Any], n_rows: int) -> Plan:
    schedule = SCHEDULES[a["schedule"]]()
    dense = StageSettings(a["max_epochs"], a["patience"], a["batch_size"], schedule)
    again = _again(dense) if a["refit"] else replace(dense, max_epochs=0)
    ending, choice = _ending(a, dense, again), _choice(a["selection"])
    return Plan(
        optimizer=(AdamWSettings if ending.afresh else OPTIMIZERS[a["optimizer"]])(*_rates(a)),
        dense=dense,
        path=_path(a),
        choice=choice,
        n_deals=n_deals(n_rows) if choice.cross_fitted else 1,
        fold=_fold(dense if a["refit"] else again),
        relax=again,
        ending=ending,
        model_ema_decay=a["model_ema_decay"],
        screening=_screening(a["screening"]),
    )


def _rates(a: dict[str, Any]) -> tuple[float, float]:
    return a["learning_rate"], a["weight_decay"]


def _path(a: dict[str, Any]) -> PathSettings:
    start, end = a["lambda_start"], a["lambda_end"]
    if start and end and end < start:
        raise InvalidInput(
            f"`lambda_end` is {end}, below `lambda_start`, {start}. Lambda grows along the path: "
            "swap them."
        )
    epochs, patience = a["max_epochs_per_lambda"], a["patience"]
    return PathSettings(
        n_lambdas=a["n_lambdas"],
        start=start,
        end=end,
        multiplier=a["lambda_multiplier"],
        power=a["lambda_power"],
        budget=StageSettings(
            epochs,
            patience,
            a["batch_size"],
            Constant(),
            # Where patience cannot end it, a lambda is judged at its end alone.
            evaluate_every=epochs if patience >= epochs else 1,
        ),
        optimizer=AdamWSettings(_path_rate(a), a["weight_decay"]),
        prox=SequentialHierProx(M=a["M"], lambda_bar=a["lambda_bar"]),
        weights=LAMBDA_WEIGHTS[a["lambda_weights"]](),
        ema_decay=a["ema_decay"],
    )


def _path_rate(a: dict[str, Any]) -> float:
    """Half of ``learning_rate``, at which the gate shakes too much to settle at a lambda."""
    rate = a["path_learning_rate"]
    return float(0.5 * a["learning_rate"] if rate == "auto" else rate)


def _again(stage: StageSettings) -> StageSettings:
    """Fewer epochs, since they start from trained weights."""
    return replace(stage, max_epochs=math.ceil(0.6 * stage.max_epochs))


def _ending(a: dict[str, Any], dense: StageSettings, again: StageSettings) -> Ending:
    n_members = a["n_members"]
    if a["refit"]:
        n_members = N_MEMBERS if n_members == "auto" else n_members
        if n_members == 1:
            return TrainOn(again)
        # Only classifiers have a say in it.
        calibrated = a.get("calibrate", Members.calibrated)
        optimizer = OPTIMIZERS[a["optimizer"]](*_rates(a))
        return Members(n_members, dense, optimizer, calibrated, a["challenge"])
    if n_members not in ("auto", 1):
        raise InvalidInput(
            f"`n_members` is {n_members} and `refit` is False. Members are trained anew: "
            'set `refit=True`, or leave `n_members` at "auto".'
        )
    return AsKept()


def _fold(stage: StageSettings) -> StageSettings:
    """Half the epochs, in as many steps each: a fold has half the rows."""
    return replace(
        stage,
        max_epochs=math.ceil(stage.max_epochs / 2),
        batch_size=max(stage.batch_size // 2, 1),
        evaluate_every=5,
    )


def _screening(screening: Any) -> MarginalScreening | None:
    if screening is False:
        return None
    if screening == "auto" or screening is True:
        return MarginalScreening(always=screening is True)
    return MarginalScreening(max_features=int(screening), always=True)


def _choice(selection: str | int) -> PathChoice:
    return SELECTION[selection]() if isinstance(selection, str) else AtMost(selection)
