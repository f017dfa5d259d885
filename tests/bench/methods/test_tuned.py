"""Methods whose settings are searched for first."""

from dataclasses import replace
from pathlib import Path

import pytest

from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.execution import Places, execute
from lassoflexnet.bench.methods.catalogue import fingerprint, make_method, read_method
from lassoflexnet.bench.methods.tuned import Tuned, nested, validation_loss
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.tuning import StudySettings

SETTINGS = {"n_trials": 3, "space": "random_forest"}
RUN = Run("demo", "iris", "tuned:random_forest", "tabzilla", settings=SETTINGS)


def test_best_trial_is_what_is_fitted():
    result = execute(RUN)
    assert result["status"] == "done", result
    found = result["facts"]["tuning"]
    assert found["n_trials"] == 3
    plain = execute(replace(RUN, method="random_forest", settings=found["params"]))
    assert plain["scores"] == result["scores"]


def test_search_finds_the_lowest_validation_loss():
    split = make_protocol("tabzilla").split(load("iris"), 0)
    tuned = read_method(RUN.method, SETTINGS)
    found = tuned.search(split, make_method, StudySettings(4, random_state=0))
    losses = [
        validation_loss(tuned.with_settings(trial.params, make_method).fit(split, 0), split)
        for trial in found.trials
    ]
    assert found.best_value == pytest.approx(min(losses))
    assert max(losses) > min(losses)


def test_search_on_one_case_serves_the_others(tmp_path: Path):
    settings = {**SETTINGS, "on": {"fold": 0}}
    places = Places(studies=str(tmp_path / "journal"))
    runs = [replace(RUN, settings=settings, case={"fold": fold}) for fold in (1, 2)]
    first, second = (execute(run, places)["facts"]["tuning"] for run in runs)
    assert first["params"] == second["params"]
    assert second["n_trials"] == 3
    assert second["search_s"] < first["search_s"]
    own = execute(replace(RUN, case={"fold": 1}), places)["facts"]["tuning"]
    assert own["search_s"] > second["search_s"]


def test_our_own_method_is_judged_by_rows_it_held_out():
    tiny = {"max_epochs": 2, "n_lambdas": 2, "max_epochs_per_lambda": 1, "d_hidden": 4}
    tiny |= {"refit": False, "n_bins": 4, "batch_size": 32, "n_blocks": 1}
    settings = {"n_trials": 2, "space": "everyday", "settings": tiny}
    result = execute(replace(RUN, method="tuned:lassoflexnet_all_rows", settings=settings))
    assert result["status"] == "done", result
    assert result["validation"] == {}
    assert result["facts"]["tuning"]["n_trials"] == 2


def test_settings_are_checked_before_anything_runs():
    assert read_method("tuned:mlp", {}) == Tuned("mlp", "mlp")
    assert read_method("mlp", {}) == make_method("mlp", {})
    with pytest.raises(InvalidInput, match="search space 'lasso' is not known"):
        read_method("tuned:lasso", {})
    with pytest.raises(InvalidInput, match=r"'trials' is not known. Use one of: n_trials"):
        read_method("tuned:mlp", {"trials": 3})
    with pytest.raises(InvalidInput, match="setting of `mlp` 'depth'"):
        read_method("tuned:mlp", {"settings": {"depth": 3}})


def test_fingerprint_is_that_of_the_method():
    assert fingerprint("tuned:mlp", {}) is None
    ours = {"settings": {"n_bins": 9}, "space": "everyday"}
    assert fingerprint("tuned:lassoflexnet", ours) == fingerprint("lassoflexnet", {"n_bins": 9})


def test_dots_are_levels():
    assert nested({"a.b": 1, "a.c": 2, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}
