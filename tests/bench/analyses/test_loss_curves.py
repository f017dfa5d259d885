"""Loss curves: which epochs are shown and what is read from them."""

import json
import math

import pytest

from lassoflexnet.bench.analyses.loss_curves import LossCurves, curves
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training.history import Epoch


def epoch(stage: str, train: float, validation: float, average: float, lam: float = 0.0) -> Epoch:
    return Epoch(stage, lam, 1, train, validation, average, 3, 1e-3, 0.0)


HISTORY = (
    epoch("dense", 0.9, 0.8, 0.9),
    epoch("dense", 0.5, 0.6, 0.55),
    epoch("path", 0.6, math.nan, math.nan, lam=0.1),
    epoch("path", 0.7, 0.5, 0.45, lam=0.1),
    epoch("path", 2.0, 1.5, 1.5, lam=0.2),
    epoch("fold", 0.1, 0.1, 0.1),
    epoch("refit", 0.1, 0.1, 0.1),
)


def test_scores_by_hand():
    scores = curves(HISTORY).scores
    assert scores == pytest.approx(
        {
            "path_loss": 0.45,
            "dense_loss": 0.55,
            "gain": 0.1,
            "train_rise": 0.2,
            "average_gain": (0.0 + 0.05) / 2,
        }
    )


def test_series_are_of_dense_stage_and_path_alone():
    facts = curves(HISTORY).facts
    assert facts["stage"] == ["dense", "dense", "path", "path", "path"]
    assert facts["validation_loss"] == [0.8, 0.6, None, 0.5, 1.5]
    assert facts["lam"] == [0.0, 0.0, 0.1, 0.1, 0.2]
    assert "NaN" not in json.dumps(facts)


def test_fit_without_a_path_gains_nothing():
    scores = curves(HISTORY[:2]).scores
    assert (scores["gain"], scores["train_rise"]) == (0.0, 0.0)


def test_from_data_to_scores():
    arguments = {"max_epochs": 2, "n_lambdas": 2, "max_epochs_per_lambda": 1, "d_hidden": 8}
    found = LossCurves(dataset="diabetes", max_train_rows=100, arguments=arguments).carry_out(0)
    assert found["facts"]["stage"][:2] == ["dense", "dense"]
    assert "path" in found["facts"]["stage"]
    assert set(found["facts"]["stage"]) == {"dense", "path"}
    seen = [loss for loss in found["facts"]["average_loss"] if loss is not None]
    assert min(found["scores"]["path_loss"], found["scores"]["dense_loss"]) <= min(seen) + 1e-5


def test_arguments_are_checked():
    with pytest.raises(InvalidInput, match=r"'max_epoch' is not known. Use one of: max_epochs"):
        LossCurves(arguments={"max_epoch": 3})
