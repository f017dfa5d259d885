"""What outputs mean: numbers, classes, probabilities."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score

from tests.estimators.makers import QUICK, classifier, labelled, numbers, regressor

LONGER = QUICK | {"max_epochs": 8}


@pytest.fixture(scope="module")
def two():
    X, y = labelled()
    return classifier(**LONGER).fit(X, y), X, y


@pytest.fixture(scope="module")
def three():
    X, y = numbers()
    y = np.array(["low", "middle", "high"])[np.digitize(y, np.quantile(y, [0.33, 0.67]))]
    return classifier(**LONGER).fit(X, y), X, y


def test_classes_are_sorted(two, three):
    assert two[0].classes_.tolist() == ["high", "low"]
    assert three[0].classes_.tolist() == ["high", "low", "middle"]


@pytest.mark.parametrize("fixture", ["two", "three"])
def test_probabilities_are_in_the_order_of_the_classes(fixture, request):
    model, X, y = request.getfixturevalue(fixture)
    p = model.predict_proba(X)
    assert p.shape == (len(X), len(model.classes_))
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    assert p[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean() > 0.5


def test_the_decision_function_is_the_logit_of_the_second_class(two):
    model, X, _ = two
    logits = model.decision_function(X)
    assert logits.shape == (len(X),)
    np.testing.assert_allclose(expit(logits), model.predict_proba(X)[:, 1], rtol=1e-9)
    np.testing.assert_array_equal(logits > 0, model.predict(X) == model.classes_[1])


def test_the_decision_function_has_a_column_per_class(three):
    model, X, _ = three
    logits = model.decision_function(X)
    assert logits.shape == (len(X), 3)
    np.testing.assert_allclose(softmax(logits, axis=1), model.predict_proba(X), rtol=1e-9)


def test_scores_are_those_of_scikit_learn(two):
    model, X, y = two
    assert model.score(X, y) == accuracy_score(y, model.predict(X)) > 0.7
    X, y = numbers()
    model = regressor(**LONGER).fit(X, y)
    assert model.score(X, y) == r2_score(y, model.predict(X)) > 0.5


def test_predictions_are_in_the_unit_of_the_target():
    X, y = numbers()
    model = regressor(**QUICK).fit(X, y)
    far = regressor(**QUICK).fit(X, 1e6 + 1000 * y)
    assert far.predict(X).dtype == np.float64
    np.testing.assert_allclose(far.predict(X), 1e6 + 1000 * model.predict(X), rtol=1e-5)


@pytest.mark.parametrize(
    "labels", [(False, True), (0, 1), (-1, 1), (1.0, 2.0), ("a", "b"), (np.int8(3), np.int8(7))]
)
def test_labels_come_back_as_they_were(labels):
    X, y = labelled(40)
    y = np.where(y == "high", *labels)
    model = classifier(**QUICK).fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == y.dtype
    assert set(model.predict(X)) <= set(labels)


def test_only_names_of_the_labels_matter(two):
    model, X, y = two
    renamed = classifier(**LONGER).fit(X, np.where(y == "high", 0, 1))
    np.testing.assert_array_equal(renamed.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_a_classifier_must_be_fitted(method):
    with pytest.raises(NotFittedError, match="LassoFlexNetClassifier instance is not fitted"):
        getattr(classifier(), method)(np.zeros((1, 2)))
    assert not hasattr(classifier(), "classes_")


def test_a_regressor_must_be_fitted():
    with pytest.raises(NotFittedError, match="LassoFlexNetRegressor instance is not fitted"):
        regressor().predict(np.zeros((1, 2)))


def test_log_probabilities():
    X, y = labelled(60)
    model = classifier(**QUICK).fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
