"""Every argument and every fitted attribute is documented, with its default."""

import inspect
import re

import pytest

import lassoflexnet
from lassoflexnet.estimators.documentation import documented
from lassoflexnet.estimators.sizes import FINE_RULES, RULES
from lassoflexnet.variants import short
from tests.estimators.makers import labelled, numbers

QUICK = {"max_epochs": 1, "n_lambdas": 0, "recipe": short(lassoflexnet.Recipe(), 1, 0)}

ESTIMATORS = [
    getattr(lassoflexnet, name)
    for name in lassoflexnet.__all__
    if name.endswith(("Regressor", "Classifier"))
]


def section(estimator: type, title: str) -> dict[str, str]:
    """Entries of a numpydoc section: name -> its type, default and description."""
    text = inspect.getdoc(estimator)
    (body,) = re.findall(rf"\n{title}\n-+\n(.*?)(?:\n\n\w+\n---|\Z)", text, flags=re.DOTALL)
    entries = re.split(r"^(?=\S)", body, flags=re.MULTILINE)
    return dict(entry.split(" : ", 1) for entry in entries if entry.strip())


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_arguments_are_documented(estimator):
    arguments = set(inspect.signature(estimator).parameters)
    assert set(section(estimator, "Parameters")) == arguments


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_defaults_are_documented(estimator):
    for name, entry in section(estimator, "Parameters").items():
        default = inspect.signature(estimator).parameters[name].default
        head, _, description = entry.partition("\n")
        shown = head.rpartition("default=")[2]
        assert shown.strip('"') == str(default), name
        assert description.strip().endswith("."), name


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_nothing_is_left_to_fill_in(estimator):
    gaps = set(re.findall(r"\{\w+\}", estimator.__doc__))
    assert not gaps
    widest = max(len(line) for line in estimator.__doc__.splitlines())
    assert widest <= 100


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_none_and_auto_are_explained(estimator):
    for name, entry in section(estimator, "Parameters").items():
        head, _, description = entry.partition("\n")
        for value in ("None", '"auto"'):
            if value in head.partition("default=")[0]:
                assert value in description, f"{name}: what is {value}?"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_fitted_attributes_are_documented(estimator):
    is_classifier = "class_weight" in inspect.signature(estimator).parameters
    X, y = labelled(30, 2) if is_classifier else numbers(30, 2)
    settings = {name: v for name, v in QUICK.items() if name in estimator().get_params()}
    model = estimator(**settings).fit(X, y)
    public = {name for name in vars(model) if name.endswith("_")} | {"feature_names_in_"}
    public |= {"classes_"} if is_classifier else set()
    assert set(section(estimator, "Attributes")) == public


def test_only_the_named_gaps_are_filled():
    @documented(a="one")
    class Sample:
        """Holds {a} and {b}."""

    assert Sample.__doc__ == "Holds one and {b}."


@pytest.mark.parametrize(("name", "rule"), [*RULES.items(), *FINE_RULES.items()])
def test_auto_is_documented_as_the_rule_says(name, rule):
    entry = section(lassoflexnet.LassoFlexNetRegressor, "Parameters")[name]
    sentence = rule.__doc__.partition(".\n")[0]
    assert sentence.lower() in " ".join(entry.lower().split())
