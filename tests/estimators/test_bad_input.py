"""Bad input gets one clear sentence, and an earlier fit survives it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import lassoflexnet
from lassoflexnet import RecipeClassifier, RecipeRegressor
from lassoflexnet.exceptions import InvalidInput, SchemaMismatch, TrainingDiverged
from lassoflexnet.training import stage
from lassoflexnet.variants import short
from tests.estimators.makers import classifier, labelled, mixed, mixed_target, numbers, regressor

X, Y = numbers(40)
LABELS = labelled(40)[1]


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], **columns})


def changed(values, at, to):
    values = np.array(values)
    values[at] = to
    return values


def twins() -> pd.DataFrame:
    return pd.DataFrame(X[:, :2], columns=["a", "a"])


REGRESSION = [
    ("y with NaN", X, changed(Y, 3, np.nan), {}, "y contains NaN.* row 3.*Remove"),
    ("infinite y", X, changed(Y, 3, np.inf), {}, "y contains infinity.*Remove.*row 3"),
    ("text as y", X, LABELS, {}, "y is not numeric.*use a classifier"),
    ("no y", X, None, {}, "requires y"),
    ("no rows", X[:0], Y[:0], {}, "0 sample.*minimum of 1"),
    ("one row", X[:1], Y[:1], {}, "1 sample.*minimum of 2"),
    ("no columns", X[:, :0], Y, {}, "0 feature.*minimum of 1"),
    ("a column for a table", X[:, 0], Y, {}, "got 1D array instead.*Reshape"),
    ("complex numbers", X + 1j, Y, {}, "^Complex data not supported$"),
    ("equal names", twins(), Y, {}, "equal column names.*'a' 2 times.*Rename"),
    ("infinity", frame(c=changed(Y, 5, np.inf)), Y, {}, "column `c` contains infinity.*Replace"),
    ("lengths of X and y", X, Y[:-1], {}, "X has 40 rows and `y` has 39.*one value per row"),
    ("lengths of weights", X, Y, {"sample_weight": Y[:9]}, "`sample_weight` has 9.*one value per"),
    ("negative weights", X, Y, {"sample_weight": -np.ones(40)}, "`sample_weight` has neg.*0 or"),
    ("weights of zero", X, Y, {"sample_weight": np.zeros(40)}, "`sample_weight` is zero.*Give"),
    ("a lone eval_set", X, Y, {"eval_set": (X,)}, "`eval_set`.*length 1.*Use a tuple"),
    ("a flat eval_set", X, Y, {"eval_set": [X, Y]}, "`eval_set`.*list of length 2.*Use a tuple"),
    ("lengths of eval_set", X, Y, {"eval_set": (X, Y[:9])}, "`eval_set`.*40 rows and `y` has 9"),
    ("columns of eval_set", X, Y, {"eval_set": (X[:, :2], Y)}, "`eval_set`: X has 2 features"),
]
CLASSIFICATION = [
    ("one class", X, np.full(40, "a"), {}, "only one class, 'a'.*Add rows"),
    ("missing label", X, changed(LABELS.astype(object), 2, None), {}, "y contains NaN.*row 2"),
    ("infinite label", X, changed(np.zeros(40), 2, np.inf), {}, "y contains infinity"),
    ("numbers as labels", X, Y, {}, "y does not hold class labels.*continuous"),
    ("unseen", X, LABELS, {"eval_set": (X, np.full(40, "new"))}, "`eval_set`.*'new'.*Remove"),
]
CASES = [
    *((regressor, *case) for case in REGRESSION),
    *((classifier, *case) for case in CLASSIFICATION),
]


def is_one_sentence(error: Exception) -> bool:
    text = str(error)
    return "\n" not in text and len(text) < 300


@pytest.mark.parametrize(
    ("make", "table", "y", "options", "message"),
    [(make, *case) for make, _, *case in CASES],
    ids=[f"{make.__name__}-{name}" for make, name, *_ in CASES],
)
def test_data_that_cannot_be_used(make, table, y, options, message):
    with pytest.raises(InvalidInput if "features" not in message else SchemaMismatch) as caught:
        make().fit(table, y, **options)
    assert is_one_sentence(caught.value)
    caught.match(message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_bins", 0),
        ("n_bins", 2.5),
        ("binning", "kmeans"),
        ("backbone", "transformer"),
        ("selection", "sparsest"),
        ("selection", -1),
        ("dropout", 1.0),
        ("tau", -0.1),
        ("M", 0),
        ("learning_rate", 0),
        ("batch_size", "large"),
        ("n_lambdas", -1),
        ("lambda_start", 0),
        ("lambda_multiplier", 0.5),
        ("max_epochs", 0),
        ("patience", 0),
        ("refit", "yes"),
        ("validation_fraction", 1.0),
        ("validation_fraction", 0.0),
        ("eval_metric", 3),
        ("eval_metric", "auc"),
        ("categorical_features", "all"),
        ("categorical_features", ["a"]),
        ("categorical_features", [9]),
        ("categorical_features", [True]),
        ("class_weight", "even"),
        ("class_weight", {"high": -1.0}),
        ("random_state", "seed"),
        ("device", "gpu"),
        ("n_threads", 0),
        ("verbose", -1),
    ],
)
def test_arguments_that_cannot_be_used(name, value):
    with pytest.raises(ValueError, match=f"['`]{name}['`]") as caught:
        classifier(**{name: value}).fit(X, LABELS)
    assert is_one_sentence(caught.value)


@pytest.mark.parametrize(
    ("estimator", "name", "value"),
    [
        (RecipeRegressor, "recipe", "paper"),
        (RecipeClassifier, "recipe", {}),
        (RecipeClassifier, "class_weight", "even"),
    ],
)
def test_recipe_estimators_check_their_arguments_too(estimator, name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        estimator(**{name: value}).fit(X, LABELS)


@pytest.fixture(scope="module")
def fitted():
    table = mixed(60)
    return regressor(max_epochs=2, n_lambdas=1).fit(table, mixed_target(table, "regression")), table


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns=["day", "flag"]), "lacks 2 of the 9 .*`flag`, `day`.*Add them"),
        (lambda t: t.assign(size="large"), "`size` was numeric .* holds text .*'large'.*Convert"),
        (lambda t: t.assign(day="monday"), "`day` was date .* holds text .*'monday'"),
        (lambda t: t.assign(day_noise=3), "`day_noise` was date .* holds int"),
        (lambda t: t.assign(size=np.inf), "`size` contains infinity"),
        (lambda t: t.to_numpy()[:, :4], "X has 4 features.*expecting 9 features"),
        (lambda t: t[:0], "0 sample"),
    ],
)
def test_tables_that_do_not_fit_the_model(fitted, change, message):
    model, table = fitted
    with pytest.raises((SchemaMismatch, InvalidInput)) as caught:
        model.predict(change(table))
    assert is_one_sentence(caught.value)
    caught.match(message)


@pytest.mark.parametrize(
    "name", [name for name in lassoflexnet.__all__ if name.endswith(("Regressor", "Classifier"))]
)
def test_predict_before_fit(name):
    with pytest.raises(NotFittedError, match=f"This {name} instance is not fitted yet"):
        getattr(lassoflexnet, name)().predict(X)


def diverge(monkeypatch, name: str) -> None:
    """Let the loss of every epoch of a stage be NaN."""
    epoch = stage.Stage._epoch

    def spoiled(self, n_done):
        loss = epoch(self, n_done)
        return float("nan") if self.name == name else loss

    monkeypatch.setattr(stage.Stage, "_epoch", spoiled)


def break_down(monkeypatch, name: str) -> None:
    """Fail after training, before anything is kept."""

    def fail(*_):
        raise KeyError(name)

    monkeypatch.setattr(f"lassoflexnet.estimators._base.{name}", fail)


FAILURES = {
    "before anything": lambda model, _: model.set_params(n_bins=0),
    "bad target": lambda model, _: None,
    "dense stage": lambda _, patch: diverge(patch, "dense"),
    "path": lambda _, patch: diverge(patch, "path"),
    "comparison": lambda _, patch: diverge(patch, "fold"),
    "refit": lambda model, patch: diverge(patch, "refit") or model.set_params(selection="best"),
    "importances": lambda _, patch: break_down(patch, "_importances"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_fit_leaves_an_earlier_one_as_it_was(failure, monkeypatch):
    model = regressor(max_epochs=2, n_lambdas=2, selection=2).fit(X, Y)
    before, attributes = model.predict(X), dict(vars(model))
    FAILURES[failure](model, monkeypatch)
    y = np.full(30, np.nan) if failure == "bad target" else Y[:30]
    with pytest.raises((ValueError, TrainingDiverged, KeyError)):
        model.fit(X[:30, ::-1], y)
    np.testing.assert_array_equal(model.predict(X), before)
    for name, value in attributes.items():
        assert name in ("n_bins", "selection") or vars(model)[name] is value
    assert set(vars(model)) == set(attributes)


@pytest.mark.parametrize(
    ("where", "selection"), [("dense", 2), ("path", 2), ("fold", 2), ("refit", "best")]
)
def test_divergence_names_stage_epoch_and_lambda(where, selection, monkeypatch):
    diverge(monkeypatch, where)
    with pytest.raises(TrainingDiverged, match=f"{where} stage, epoch 1, lambda .*Lower") as caught:
        regressor(max_epochs=2, n_lambdas=2, selection=selection).fit(X, Y)
    assert is_one_sentence(caught.value)


def test_a_recipe_estimator_survives_a_failed_fit_too():
    model = RecipeRegressor(short(lassoflexnet.Recipe(), 1, 0), random_state=0).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(InvalidInput):
        model.fit(X, np.full(40, np.nan))
    np.testing.assert_array_equal(model.predict(X), before)
