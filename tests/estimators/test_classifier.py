"""The flat classifier learns what it is for."""

import numpy as np
from sklearn.datasets import load_iris

from lassoflexnet import LassoFlexNetClassifier
from tests.estimators.makers import classifier, numbers

LONGER = {"max_epochs": 25, "d_hidden": 32, "n_lambdas": 0}


def test_arguments_are_stored_untouched():
    class_weight = {"a": 1, "b": 2}
    model = LassoFlexNetClassifier(class_weight=class_weight, selection=np.int64(3))
    assert model.class_weight is class_weight
    assert isinstance(model.selection, np.int64)


def test_three_kinds_of_iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = classifier(max_epochs=12).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.85
    assert set(model.selected_features_) & {"petal length (cm)", "petal width (cm)"}


def test_interactions_are_learned_by_the_backbone():
    X, _ = numbers(300)
    y = X[:, 0] * X[:, 1] > 0
    assert classifier(**LONGER).fit(X, y).score(X, y) > 0.8
    assert classifier(tau=0.0, **LONGER).fit(X, y).score(X, y) < 0.75


def test_probabilities_are_honest_where_nothing_can_be_known():
    X, _ = numbers(200)
    y = np.random.default_rng(1).random(200) < 0.2
    p = classifier(max_epochs=8, n_lambdas=1).fit(X, y).predict_proba(X)[:, 1]
    assert abs(p.mean() - 0.2) < 0.1
