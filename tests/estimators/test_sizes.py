"""Sizes that follow the number of training rows."""

import numpy as np
import pytest

from lassoflexnet.estimators.sizes import FINE_RULES, RULES, settled

ROWS = [int(n) for n in np.unique(np.geomspace(2, 10**7, 200).astype(int))]


def values_of(name: str) -> np.ndarray:
    return np.array([RULES[name](n) for n in ROWS])


@pytest.mark.parametrize("name", ["n_bins", "d_hidden", "batch_size"])
def test_more_rows_more_of_these(name):
    values = values_of(name)
    assert (np.diff(values) >= 0).all()
    assert values[0] < values[-1]


@pytest.mark.parametrize("name", ["dropout", "embedding_dropout"])
def test_more_rows_less_dropout(name):
    values = values_of(name)
    assert (np.diff(values) <= 0).all()
    assert 0 <= values[-1] < values[0] < 1


@pytest.mark.parametrize("name", [name for name in RULES if "dropout" not in name])
def test_counts_are_positive_whole_numbers(name):
    assert {type(RULES[name](n)) for n in ROWS} == {int}
    assert values_of(name).min() >= 1


def test_an_epoch_has_a_bounded_number_of_steps():
    steps = [n / RULES["batch_size"](n) for n in ROWS if n <= 10**6]
    assert max(steps) <= 257


def test_only_auto_is_settled():
    arguments = dict.fromkeys(RULES, "auto") | {"n_bins": 7, "device": "auto", "tau": 1.0}
    after = settled(arguments, 500)
    assert (after["n_bins"], after["device"], after["tau"]) == (7, "auto", 1.0)
    assert "auto" not in {after[name] for name in RULES}
    assert arguments["d_hidden"] == "auto"


@pytest.mark.parametrize(
    ("n_rows", "auto", "fine"), [(777, 19, 19), (3000, 48, 75), (9000, 48, 96)]
)
def test_fine_is_settled_by_a_rule_of_its_own(n_rows, auto, fine):
    arguments = dict.fromkeys(RULES, "auto")
    assert settled(arguments, n_rows)["n_bins"] == auto
    assert settled(arguments | {"n_bins": "fine"}, n_rows)["n_bins"] == fine
    assert set(FINE_RULES) <= set(RULES)
