"""Methods whose settings are searched for first."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.execution import Places, execute
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.catalogue import fingerprint, make_method, read_method
from lassoflexnet.bench.methods.tuned import Tuned, _Objective, judged, nested
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training.history import Epoch, Monitor
from lassoflexnet.tuning import StudySettings
from tests.bench.methods.makers import planted, without_class

FOLDER = Path(__file__).parents[3] / "experiments"
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
        judged(tuned.with_settings(trial.params, make_method).fit(split, 0), split)
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


class Feigned(NamedTuple):
    """A method of many trees that is right more often, and too sure of itself."""

    n_estimators: int

    def fit(self, split, seed):
        y = split.validation.y
        right, sure = (0.9, 0.9998) if self.n_estimators > 50 else (0.8, 0.6)
        named = np.where(np.arange(len(y)) < right * len(y), y, (y + 1) % 3)
        found = np.full((len(y), 3), (1 - sure) / 2)
        found[np.arange(len(y)), named] = sure
        for epoch in range(1, 31):
            loss = 1 + self.n_estimators / epoch
            Monitor().epoch(Epoch("dense", 0.0, epoch, loss, loss, loss, 8, 1e-3, 0.0))
        return Fitted(lambda X: found)


def feigned(tuned: Tuned):
    settings = StudySettings(12, random_state=0)
    return tuned.search(
        planted("multiclass"), lambda _, found: Feigned(found["n_estimators"]), settings
    )


def test_what_a_search_judges_by_changes_what_it_finds():
    tuned = Tuned("random_forest", "random_forest", prune=False)
    by_loss, by_score = feigned(tuned), feigned(replace(tuned, by="score"))
    assert by_loss.best_params["n_estimators"] <= 50
    assert by_loss.best_value == pytest.approx(-0.8 * np.log(0.6) - 0.2 * np.log(0.2))
    assert by_score.best_params["n_estimators"] > 50
    assert by_score.best_value == pytest.approx(-0.9)


@pytest.mark.parametrize(
    ("prune", "states"), [(True, {"complete", "pruned"}), (False, {"complete"})]
)
def test_pruning_can_be_left_out(prune, states):
    found = feigned(Tuned("random_forest", "random_forest", prune=prune))
    assert {trial.state for trial in found.trials} == states
    assert all(trial.steps == 30 for trial in found.trials if trial.state == "complete")


def test_score_of_each_task():
    fits = {
        task: make_method("ridge", {}).fit(planted(task), 0) for task in ("regression", "binary")
    }
    split = planted("regression")
    error = fits["regression"].predict(split.validation.X) - split.validation.y
    for by in ("loss", "score"):
        assert judged(fits["regression"], split, by) == pytest.approx(np.sqrt(np.mean(error**2)))
    split = planted("binary")
    p = fits["binary"].predict(split.validation.X)[:, 1]
    pairs = p[split.validation.y == 1][:, None] > p[split.validation.y == 0]
    assert judged(fits["binary"], split, "score") == pytest.approx(-pairs.mean())


def test_there_is_no_score_of_one_class_or_of_rows_that_were_learnt():
    split = planted("binary")
    fitted = make_method("ridge", {}).fit(split, 0)
    one = split._replace(validation=without_class(split, 0).train)
    with pytest.raises(InvalidInput, match="no `roc_auc`"):
        judged(fitted, one, "score")
    learnt = fitted._replace(facts={"validation_loss": 0.25}, learnt_validation=True)
    assert judged(learnt, split) == 0.25
    with pytest.raises(InvalidInput, match='Use "loss"'):
        judged(learnt, split, "score")


def test_full_feature_selection_searches_as_published():
    runs = read_experiment(FOLDER / "feature_selection_full.toml").runs
    found = [read_method(run.method, run.settings) for run in runs[:: len(runs) // 50]]
    assert {(t.n_trials, t.prune, t.by) for t in found} == {(100, False, "score")}


def test_searches_can_go_to_other_processes():
    tuned = read_method("tuned:random_forest", {})
    objective = _Objective(tuned, planted("binary"), make_method, 0)
    params = {"n_estimators": 5, "max_depth": 2}
    there = pickle.loads(pickle.dumps(objective))
    assert there(params, print) == objective(params, print)


def test_settings_are_checked_before_anything_runs():
    assert read_method("tuned:mlp", {}) == Tuned("mlp", "mlp")
    assert read_method("mlp", {}) == make_method("mlp", {})
    with pytest.raises(InvalidInput, match="search space 'lasso' is not known"):
        read_method("tuned:lasso", {})
    with pytest.raises(InvalidInput, match=r"'trials' is not known. Use one of: n_trials"):
        read_method("tuned:mlp", {"trials": 3})
    with pytest.raises(InvalidInput, match=r"`by` 'scores' is not known. Use one of: score, loss"):
        read_method("tuned:mlp", {"by": "scores"})
    with pytest.raises(InvalidInput, match=r"`Tuned.prune` is 'no'. Use bool"):
        read_method("tuned:mlp", {"prune": "no"})
    with pytest.raises(InvalidInput, match="setting of `mlp` 'depth'"):
        read_method("tuned:mlp", {"settings": {"depth": 3}})


def test_fingerprint_is_that_of_the_method():
    assert fingerprint("tuned:mlp", {}) is None
    ours = {"settings": {"n_bins": 9}, "space": "everyday"}
    assert fingerprint("tuned:lassoflexnet", ours) == fingerprint("lassoflexnet", {"n_bins": 9})


def test_dots_are_levels():
    assert nested({"a.b": 1, "a.c": 2, "d": 3}) == {"a": {"b": 1, "c": 2}, "d": 3}
