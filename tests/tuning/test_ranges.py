"""Ranges: what they draw, what they refuse, their plain form."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.tuning import Choice, Fixed, FloatRange, IntRange, Space, ZeroOr

TEXTS = st.sampled_from(["a", "b", "tau", "M"])
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def int_ranges(draw):
    low, step, n = draw(st.integers(1, 50)), draw(st.integers(1, 5)), draw(st.integers(0, 20))
    return IntRange(low, low + step * n, step, log=step == 1 and draw(st.booleans()))


@st.composite
def float_ranges(draw):
    low, times = draw(st.floats(1e-8, 10)), draw(st.floats(1, 1e6))
    return FloatRange(low, low * times, log=draw(st.booleans()))


RANGES = st.one_of(
    int_ranges(),
    float_ranges(),
    int_ranges().map(ZeroOr),
    float_ranges().map(ZeroOr),
    st.lists(st.one_of(st.integers(), TEXTS, st.none()), min_size=1).map(Choice),
    st.integers().map(Fixed),
)


def holds(part, value) -> bool:
    """Whether a value is one of those a range describes."""
    return {
        IntRange: lambda: (
            isinstance(value, int)
            and part.low <= value <= part.high
            and (value - part.low) % part.step == 0
        ),
        FloatRange: lambda: isinstance(value, float) and part.low <= value <= part.high,
        Choice: lambda: value in part.values,
        ZeroOr: lambda: value == 0 or holds(part.range, value),
        Fixed: lambda: value == part.value,
    }[type(part)]()


@given(RANGES, SEEDS)
def test_draws_stay_in_range(part, seed):
    assert holds(part, part.sample(np.random.default_rng(seed)))


@given(RANGES, SEEDS)
def test_suggestions_stay_in_range(part, seed):
    optuna = pytest.importorskip("optuna", reason="tuning needs Optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
    optuna.logging.set_verbosity(optuna.logging.INFO)
    assert holds(part, part.suggest(study.ask(), "name"))


@given(st.dictionaries(TEXTS, RANGES))
def test_round_trip_through_json(ranges):
    space = Space(ranges)
    assert Space.from_dict(json.loads(json.dumps(space.to_dict()))) == space


def draws(part, n=4000) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([part.sample(rng) for _ in range(n)])


def test_draws_are_uniform():
    """Against the distribution functions, within four standard errors at most."""
    margin = 4 * 0.5 / math.sqrt(4000)
    assert abs((draws(FloatRange(2.0, 6.0)) < 3).mean() - 0.25) < margin
    assert abs((draws(FloatRange(1e-4, 1.0, log=True)) < 1e-3).mean() - 0.25) < margin
    assert abs((draws(IntRange(1, 99, log=True)) < 10).mean() - 0.5) < margin + 0.07
    assert abs((draws(ZeroOr(FloatRange(1.0, 2.0))) == 0).mean() - 0.5) < margin
    values, counts = np.unique(draws(IntRange(8, 32, step=8)), return_counts=True)
    assert values.tolist() == [8, 16, 24, 32]
    assert np.abs(counts / 4000 - 0.25).max() < margin
    assert np.abs((draws(Choice((1, 2, 4, 8))) == 4).mean() - 0.25) < margin


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: IntRange(3, 1), "from 3 to 1. Use two numbers, lower first"),
        (lambda: IntRange(1, 4, step=2), "does not lead from `low` to `high`"),
        (lambda: IntRange(2, 8, step=2, log=True), "1 with `log`"),
        (lambda: IntRange(0, 8, log=True), "Start above 0, or use `ZeroOr`"),
        (lambda: FloatRange(0.0, 1.0, log=True), "Start above 0, or use `ZeroOr`"),
        (lambda: FloatRange(0.0, math.inf), "from 0.0 to inf"),
        (lambda: Choice(()), "Use one or more numbers"),
        (lambda: Choice(([1],)), "Use one or more numbers"),
        (lambda: Space.from_dict({"a": {"kind": "Int"}}), "is 'Int'. Use one of IntRange"),
        (lambda: Space.from_dict({"a": {"kind": "Fixed", "v": 1}}), "no field `v`. It has value"),
        (lambda: Space.from_dict({"a": {"kind": "IntRange", "low": 1}}), "lacks a field"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
        make()


def test_space_is_not_changed_from_outside():
    ranges = {"a": Fixed(1)}
    space = Space(ranges)
    ranges["b"] = Fixed(2)
    assert list(space.ranges) == ["a"]
    assert list(space.changed(b=Fixed(2)).ranges) == ["a", "b"]
    assert list(space.ranges) == ["a"]


def test_unknown_name_lists_the_nearest_first():
    with pytest.raises(InvalidInput, match=r"of MLP in the space: 'droput'.*of: dropout, "):
        Space({"droput": Fixed(0.1)}).check_names(["tau", "d_hidden", "dropout"], "MLP")
