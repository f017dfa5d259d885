"""``tune``: a fitted model, better than most trials, with the score it claims."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lassoflexnet import RecipeRegressor
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training.history import Monitor
from lassoflexnet.tuning import Choice, Fixed, FloatRange, Halving, IntRange, Space, tune
from tests.estimators.makers import QUICK, classifier, labelled, numbers, regressor

pytest.importorskip("optuna", reason="tuning needs Optuna")

SPACE = Space({"learning_rate": FloatRange(1e-5, 0.1, log=True), "d_hidden": Choice((4, 16))})
X, Y = numbers(90, 3)
TRAIN, HELD = slice(0, 60), slice(60, 90)


@pytest.fixture(scope="module")
def tuned():
    held = (X[HELD], Y[HELD])
    estimator = regressor(**QUICK)
    result = tune(
        estimator, X[TRAIN], Y[TRAIN], space=SPACE, n_trials=4, eval_set=held, random_state=0
    )
    assert not hasattr(estimator, "path_")
    return result


def test_model_is_fitted_with_the_best_parameters(tuned):
    values = [row.value for row in tuned.study.trials]
    assert len(values) == 4
    assert tuned.study.best_value == min(values) < max(values)
    best = min(tuned.study.trials, key=lambda row: row.value)
    assert tuned.best_params == best.params
    parameters = tuned.best_estimator.get_params()
    assert {name: parameters[name] for name in best.params} == best.params
    assert parameters["max_epochs"] == QUICK["max_epochs"]


def test_score_is_the_loss_on_the_eval_set(tuned):
    error = (tuned.best_estimator.predict(X[HELD]) - Y[HELD]) / Y[TRAIN].std()
    assert tuned.best_score == pytest.approx((error**2).mean(), rel=1e-5)
    assert tuned.best_score == pytest.approx(tuned.study.best_value, rel=1e-9)


def test_table(tuned):
    frame = tuned.to_frame()
    assert frame.learning_rate.between(1e-5, 0.1).all()
    # Two dense epochs, and one at a lambda.
    assert frame.steps.tolist() == [3, 3, 3, 3]


def test_same_seed_same_trials_and_hold_out():
    def run():
        found = tune(regressor(**QUICK), X, Y, space=SPACE, n_trials=2, random_state=1)
        rows = [(row.params, row.value) for row in found.study.trials]
        return rows, found.best_estimator.predict(X)

    (rows, predicted), (again, repeated) = run(), run()
    assert rows == again
    assert (predicted == repeated).all()


def test_classifier_with_weights_and_its_own_hold_out():
    """Rows without weight are out; the loss is the weighted log loss of rows held out."""
    X, y = labelled(90, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    weight = np.where(np.arange(90) < 10, 0.0, np.arange(90) + 1.0)
    model = classifier(**QUICK, validation_fraction=0.25)
    seen = []

    def spy(self, X, y, sample_weight=None, eval_set=None):
        seen.append((X, sample_weight, eval_set))
        return fit(self, X, y, sample_weight, eval_set)

    fit = type(model).fit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model), "fit", spy)
        found = tune(model, frame, y, space=SPACE, n_trials=2, random_state=0, sample_weight=weight)
    assert len(seen) == 3, "two trials and the best once more"
    for train, train_weight, (held, labels, held_weight) in seen:
        assert sorted([*train.index, *held.index]) == list(range(10, 90))
        assert len(held) == 20
        assert list(held.index) == list(seen[0][2][0].index)
        assert (train_weight == weight[train.index]).all()
        assert (held_weight == weight[held.index]).all()
        assert (labels == y[held.index]).all()
    expected = log_loss(labels, found.best_estimator.predict_proba(held), sample_weight=held_weight)
    assert found.best_score == pytest.approx(expected, rel=1e-5)


def test_pruning_saves_epochs(monkeypatch):
    n_epochs = 0
    noted = Monitor.epoch

    def counted(self, row):
        nonlocal n_epochs
        n_epochs += row.stage != "fold"
        noted(self, row)

    monkeypatch.setattr(Monitor, "epoch", counted)
    # Best first: all others are ended at the first rung.
    space = Space({"learning_rate": Choice((0.03, 1e-6, 2e-6))})
    model = regressor(**{**QUICK, "max_epochs": 8})
    found = tune(model, X, Y, space=space, n_trials=6, random_state=2, pruning=Halving(2, 2))
    rows = found.study.trials
    pruned = [row for row in rows if row.state == "pruned"]
    assert len(pruned) >= 2
    assert {row.steps for row in pruned} <= {2, 4, 8}
    assert {row.steps for row in rows if row.state == "complete"} == {9}
    assert n_epochs == sum(row.steps for row in rows) + 9
    assert found.best_params == {"learning_rate": 0.03}
    assert all(row.params["learning_rate"] < 0.01 or row.steps > 2 for row in rows)


def test_any_regressor_by_its_score(tmp_path):
    X, y = numbers(80, 3)
    y = y + X[:, 2]
    model = make_pipeline(StandardScaler(), Ridge())
    space = Space({"ridge__alpha": FloatRange(1e-3, 1e4, log=True)})
    A, B, a, b = train_test_split(X, y, random_state=0)
    found = tune(
        model, A, a, space=space, n_trials=12, eval_set=(B, b), random_state=0,
        storage=tmp_path / "journal.log",
    )  # fmt: skip
    assert found.best_score == found.best_estimator.score(B, b) == -found.study.best_value
    scores = [-row.value for row in found.study.trials]
    assert found.best_score == max(scores) > min(scores) + 0.1
    assert (tmp_path / "journal.log").exists()


def test_any_classifier_by_its_score():
    X, y = labelled(80, 3)
    weight = np.arange(80) + 1.0
    space = Space({"max_depth": IntRange(1, 8)})
    found = tune(
        DecisionTreeClassifier(), X, y, space=space, n_trials=5, random_state=4,
        sample_weight=weight,
    )  # fmt: skip
    assert 0.5 < found.best_score <= 1
    assert found.best_estimator.random_state == 4
    assert found.best_estimator.get_depth() <= found.best_params["max_depth"]


def test_refusals():
    with pytest.raises(InvalidInput, match=r"LassoFlexNetRegressor in .*'droput'.*: dropout,"):
        tune(regressor(), X, Y, space=Space({"droput": Fixed(0.1)}))
    with pytest.raises(InvalidInput, match=r"Ridge has no space of its own. Pass a `Space`"):
        tune(Ridge(), X, Y)
    with pytest.raises(InvalidInput, match="RecipeRegressor has no space of its own"):
        tune(RecipeRegressor(), X, Y)
    with pytest.raises(InvalidInput, match="X has 90 rows and `y` has 60"):
        tune(regressor(), X, Y[TRAIN])
    with pytest.raises(InvalidInput, match="`eval_set`: it is a tuple of length 1"):
        tune(regressor(), X, Y, eval_set=(X,))
    with pytest.raises(InvalidInput, match="y contains NaN"):
        tune(regressor(), X, np.where(Y > 1, np.nan, Y))
