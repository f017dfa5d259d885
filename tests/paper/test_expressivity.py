"""A linear model on piecewise linear codes is a linear spline; what a ReLU net needs for one."""

from itertools import combinations, product

import numpy as np
import pytest

pytestmark = pytest.mark.paper

KNOTS = np.array([-1.0, -0.2, 0.1, 0.9, 2.5, 3.0])
WIDTHS = np.diff(KNOTS)
T = len(WIDTHS)


def ple(x: np.ndarray) -> np.ndarray:
    return np.clip((x[:, None] - KNOTS[:-1]) / WIDTHS, 0, 1)


def model(x: np.ndarray, w: np.ndarray, c: float) -> np.ndarray:
    """def:lin-on-ple: ``c + w . phi(x)``."""
    return c + ple(x) @ w


def spline(x: np.ndarray, start: float, slopes: np.ndarray) -> np.ndarray:
    """def:spline-space, eq:spline-param, bin by bin."""
    out = np.empty_like(x)
    for i, value in enumerate(x):
        t = min(max(int(np.searchsorted(KNOTS, value)), 1), T)
        before = sum(slopes[j] * WIDTHS[j] for j in range(t - 1))
        out[i] = start + before + slopes[t - 1] * (value - KNOTS[t - 1])
    return out


def random_weights(seed: int) -> tuple[np.ndarray, float]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=T), rng.normal()


GRID = np.linspace(KNOTS[0], KNOTS[-1], 701)
INSIDE = GRID[~np.isclose(GRID[:, None], KNOTS).any(axis=1)]


@pytest.mark.parametrize("seed", range(5))
def test_forward_formula(seed: int):
    """thm:spline-equiv (1), eq:f-explicit."""
    w, c = random_weights(seed)
    for x in INSIDE:
        t = int(np.searchsorted(KNOTS, x))
        by_formula = c + sum(w[: t - 1]) + w[t - 1] * (x - KNOTS[t - 1]) / WIDTHS[t - 1]
        assert model(np.array([x]), w, c)[0] == pytest.approx(by_formula)


@pytest.mark.parametrize("seed", range(5))
def test_slope_of_each_bin(seed: int):
    """thm:spline-equiv (1), eq:slope-ple, by finite differences."""
    w, c = random_weights(seed)
    h = 1e-6
    slope = (model(INSIDE + h, w, c) - model(INSIDE - h, w, c)) / (2 * h)
    s = np.searchsorted(KNOTS, INSIDE) - 1
    np.testing.assert_allclose(slope, w[s] / WIDTHS[s], atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_every_spline_is_a_linear_model_on_codes(seed: int):
    """thm:spline-equiv (2), eq:weights-from-slopes, also at the knots."""
    slopes, start = random_weights(seed)
    x = np.concatenate([GRID, KNOTS])
    np.testing.assert_allclose(model(x, slopes * WIDTHS, start), spline(x, start, slopes))


def test_every_linear_model_on_codes_is_a_spline():
    """thm:spline-equiv, the inclusion back: straight in each bin and continuous."""
    w, c = random_weights(0)
    x = np.concatenate([GRID, KNOTS])
    np.testing.assert_allclose(model(x, w, c), spline(x, c, w / WIDTHS))
    np.testing.assert_allclose(np.interp(GRID, KNOTS, model(KNOTS, w, c)), model(GRID, w, c))


def kinks(values_at_knots: np.ndarray) -> np.ndarray:
    return np.abs(np.diff(np.diff(values_at_knots) / WIDTHS)) > 1e-9


def test_knot_is_a_kink_iff_slopes_differ():
    """cor:kink: smooth at b_t iff w_t / Delta_t = w_{t+1} / Delta_{t+1}."""
    w, c = random_weights(1)
    w[2] = w[1] / WIDTHS[1] * WIDTHS[2]
    np.testing.assert_array_equal(kinks(model(KNOTS, w, c)), [True, False, True, True])


def test_generic_weights_bend_at_every_knot():
    """cor:kink: with probability one all interior knots are kinks."""
    assert all(kinks(model(KNOTS, *random_weights(seed))).all() for seed in range(200))


def relu(u: np.ndarray) -> np.ndarray:
    return np.maximum(u, 0)


@pytest.mark.parametrize("m", [1, 4, 9])
def test_relu_net_has_at_most_one_kink_per_unit(m: int):
    """def:mlp, eq:mlp, prop:knot-count: kinks of a one-hidden-layer net, counted."""
    x = np.linspace(-5, 5, 200_001)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, w, b = rng.normal(size=(3, m))
        y = sum(a[r] * relu(w[r] * x + b[r]) for r in range(m))
        bend = np.abs(np.diff(y, 2)) > 1e-8 * (1 + np.abs(a * w).max())
        starts = np.flatnonzero(np.diff(np.concatenate([[0], bend.astype(int)])) == 1)
        where = -b / w
        assert len(starts) <= m
        assert len(starts) >= min(1, (np.abs(where) < 5).sum())
        assert all(np.abs(where - x[i + 1]).min() < 1e-3 for i in starts)


def residual(columns: list[np.ndarray], target: np.ndarray) -> float:
    """Least-squares error of the span of some functions and a constant."""
    A = np.stack([np.ones_like(GRID), *columns], axis=1)
    return float(np.abs(A @ np.linalg.lstsq(A, target, rcond=None)[0] - target).max())


def test_a_generic_spline_needs_a_unit_for_each_interior_knot():
    """prop:knot-count: with one interior knot left out nothing fits, not even plus a line."""
    target = model(GRID, *random_weights(3))
    knots = KNOTS[1:-1]
    for chosen in combinations(knots, len(knots) - 1):
        assert residual([GRID, *(relu(GRID - knot) for knot in chosen)], target) > 1e-3
    assert residual([GRID, *(relu(GRID - knot) for knot in knots)], target) < 1e-9


def test_width_of_the_bound_is_not_enough_but_one_more_is():
    """prop:knot-count says m >= T - 1; a generic spline needs m = T.

    T - 1 units at the knots, whichever way each one faces, span T dimensions; splines
    have T + 1. One more unit, with its kink left of the interval, supplies the line.
    """
    target = model(GRID, *random_weights(3))
    knots = KNOTS[1:-1]
    for faces in product([-1, 1], repeat=T - 1):
        units = [relu(face * (GRID - knot)) for face, knot in zip(faces, knots, strict=True)]
        assert residual(units, target) > 1e-3
    units = [relu(GRID - knot) for knot in knots]
    assert residual([relu(GRID - KNOTS[0] + 1), *units], target) < 1e-9


def test_extra_expressivity_is_paid_for_with_weights():
    """prp:informal_ple_more_expressivie says "without additional learnable parameters".

    The spline space has T + 1 dimensions and linear-on-PLE has T + 1 weights, against 2
    and 2 for a line: the gain in dimensions is the gain in parameters.
    """
    dimensions = np.linalg.matrix_rank(np.column_stack([np.ones_like(GRID), ple(GRID)]))
    assert dimensions == T + 1
    assert np.linalg.matrix_rank(np.column_stack([np.ones_like(GRID), GRID])) == 2
    assert len(random_weights(0)[0]) + 1 == dimensions
