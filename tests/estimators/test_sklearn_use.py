"""Estimators among the other tools of scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingRegressor
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from lassoflexnet import RecipeClassifier, RecipeRegressor
from tests.estimators.makers import (
    QUICK,
    classifier,
    labelled,
    mixed,
    mixed_target,
    numbers,
    outputs,
    regressor,
)

MAKES = [regressor, classifier, RecipeRegressor, RecipeClassifier]
X, Y = numbers(60)
LABELS = labelled(60)[1]


@pytest.mark.parametrize("make", MAKES)
def test_arguments_go_in_and_come_out(make):
    model = make(validation_fraction=0.3)
    assert model.get_params()["validation_fraction"] == 0.3
    copy = clone(model.set_params(validation_fraction=0.2, n_threads=1))
    assert copy.get_params() == model.get_params()
    assert copy.validation_fraction == 0.2
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        model.set_params(alpha=1)


@pytest.mark.parametrize("make", MAKES)
def test_tags(make):
    tags = get_tags(make())
    assert is_classifier(make()) != is_regressor(make())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert tags.target_tags.required


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_a_pickled_model_predicts_bit_for_bit(task):
    frame = mixed(60)
    make = regressor if task == "regression" else classifier
    model = make(**QUICK).fit(frame, mixed_target(frame, task))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(outputs(again, frame), outputs(model, frame))
    assert again.path_ == model.path_
    assert again.history_ == model.history_
    refitted = again.fit(frame, mixed_target(frame, task))
    np.testing.assert_array_equal(outputs(refitted, frame), outputs(model, frame))


def test_joblib_round_trip(tmp_path):
    model = regressor(**QUICK).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_search_over_arguments():
    search = GridSearchCV(regressor(**QUICK), {"tau": [0.0, 1.0], "n_bins": [4]}, cv=2)
    search.fit(X, Y)
    assert search.best_params_["tau"] in (0.0, 1.0)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X).shape == (60,)


def test_cross_validation_with_a_scorer():
    scores = cross_val_score(
        classifier(**QUICK | {"max_epochs": 12}), X, LABELS, cv=3, scoring="roc_auc"
    )
    assert scores.mean() > 0.7


def test_in_a_pipeline():
    model = make_pipeline(StandardScaler(), regressor(**QUICK)).fit(X, Y)
    assert model.score(X, Y) > 0.2
    chosen = SelectFromModel(regressor(**QUICK), threshold="mean").fit(X, Y)
    assert 1 <= chosen.get_support().sum() < 5


def test_the_kept_columns_are_handed_on():
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = regressor(**QUICK | {"selection": 2, "lambda_end": None}).fit(frame, Y)
    chosen = SelectFromModel(model, prefit=True, importance_getter="support_", threshold=0.5)
    handed = chosen.fit(frame).transform(frame)
    np.testing.assert_array_equal(handed, frame[model.selected_features_])
    assert handed.shape[1] == model.n_selected_ <= 2


def test_inside_other_estimators():
    calibrated = CalibratedClassifierCV(classifier(**QUICK | {"max_epochs": 12}), cv=2).fit(
        X, LABELS
    )
    assert calibrated.score(X, LABELS) > 0.7
    bagged = BaggingRegressor(regressor(**QUICK), n_estimators=2, random_state=0).fit(X, Y)
    assert bagged.predict(X).shape == (60,)


def test_importances_agree_with_permutation():
    model = regressor(max_epochs=8, n_lambdas=0).fit(X, Y)
    permuted = permutation_importance(model, X, Y, n_repeats=3, random_state=0)
    assert permuted.importances_mean.argmax() == model.feature_importances_.argmax() == 0
