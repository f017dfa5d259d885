"""Schedules: their ends, their peak, their shape."""

import math

import pytest

from lassoflexnet.optim import Constant, WarmupCosine


@pytest.mark.parametrize("done", [0.0, 0.3, 1.0])
def test_constant(done: float):
    assert Constant()(done) == 1.0


@pytest.mark.parametrize("done", [0.05, 0.2, 0.5, 0.9])
def test_half_a_cosine_after_the_warm_up(done: float):
    assert WarmupCosine()(done) == pytest.approx((1 + math.cos(math.pi * done)) / 2)


@pytest.mark.parametrize("done", [0.0, 0.02, 0.04])
def test_linear_rise_in_the_warm_up(done: float):
    cosine = (1 + math.cos(math.pi * done)) / 2
    assert WarmupCosine(warmup=0.05)(done) == pytest.approx(done / 0.05 * cosine)


def test_ends():
    assert WarmupCosine()(0.0) == 0.0
    assert WarmupCosine()(1.0) == 0.0
    assert WarmupCosine()(1.2) == 0.0, "rollbacks may not carry it round the cosine"


def test_no_warm_up():
    assert WarmupCosine(warmup=0.0)(0.0) == 1.0


def test_rises_then_falls():
    values = [WarmupCosine(0.1)(i / 100) for i in range(101)]
    peak = values.index(max(values))
    assert 8 <= peak <= 10
    assert values[: peak + 1] == sorted(values[: peak + 1])
    assert values[peak:] == sorted(values[peak:], reverse=True)
