"""Polynomial spacing: its ends and its two limits."""

import numpy as np
import pytest

from lassoflexnet.training.lambda_grid import polynomial

POWERS = [0.5, 0.95, 1.0, 8.0]


@pytest.mark.parametrize("power", POWERS)
def test_ends_are_met_and_the_grid_rises(power: float):
    grid = polynomial(1e-4, 0.3, 12, power)
    assert len(grid) == 12
    assert grid[[0, -1]] == pytest.approx([1e-4, 0.3])
    assert (np.diff(grid) > 0).all()


@pytest.mark.parametrize("power", POWERS)
def test_equally_spaced_in_the_root(power: float):
    roots = polynomial(1e-4, 0.3, 7, power) ** (1 / power)
    np.testing.assert_allclose(np.diff(roots), np.diff(roots)[0])


def test_power_one_is_linear():
    np.testing.assert_allclose(polynomial(0.1, 0.5, 5, 1.0), [0.1, 0.2, 0.3, 0.4, 0.5])


def test_large_power_is_nearly_geometric():
    np.testing.assert_allclose(polynomial(1e-3, 1.0, 4, 1e5), [1e-3, 1e-2, 1e-1, 1.0], rtol=1e-3)


def test_one_lambda_is_the_start():
    assert polynomial(0.2, 0.7, 1, 0.95).tolist() == [0.2]


def test_no_lambda():
    assert polynomial(0.2, 0.7, 0, 0.95).tolist() == []


def test_equal_ends():
    np.testing.assert_allclose(polynomial(0.2, 0.2, 3, 8.0), 0.2)
