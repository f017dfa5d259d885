"""Piecewise linear encoding: the equation, its definitions, and the code form of it."""

import numpy as np
import pytest
import torch
from rtdl_num_embeddings import PiecewiseLinearEncoding

from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from lassoflexnet.table.bins import Target
from lassoflexnet.table.encodings import PiecewiseLinear

pytestmark = pytest.mark.paper

EDGES = np.array([-2.0, -0.5, 0.0, 1.0, 4.0])


def slow_ple(x: float, edges: np.ndarray) -> list[float]:
    """Equation "ple", one component at a time."""
    return [
        max(0.0, min(1.0, (x - edges[t - 1]) / (edges[t] - edges[t - 1])))
        for t in range(1, len(edges))
    ]


def compact(x: np.ndarray, edges: np.ndarray) -> Codes:
    """Slot and fraction of each value, found by hand."""
    slot = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
    fraction = np.clip((x - edges[slot]) / (edges[slot + 1] - edges[slot]), 0, 1)
    return Codes(torch.tensor(slot)[None], torch.tensor(fraction)[None])


def layout_of(edges: np.ndarray) -> CodeLayout:
    n_bins = len(edges) - 1
    return CodeLayout(feature=(0,), offset=(0,), n_ordered=(n_bins,), n_slots=(n_bins,))


def values(seed: int = 0, n: int = 300) -> np.ndarray:
    """Values inside, on and outside the range of the edges."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(-4, 6, n), EDGES, [-100.0, 100.0]])


def test_compact_code_stands_for_the_equation():
    """eq:ple: ``e_t = max(0, min(1, (x - b_{t-1}) / (b_t - b_{t-1})))``."""
    x = values()
    dense = dense_codes(compact(x, EDGES), layout_of(EDGES))[0]
    np.testing.assert_allclose(dense, [slow_ple(value, EDGES) for value in x], atol=1e-15)


@pytest.mark.parametrize("n_bins", [1, 3, 8])
def test_fitted_encoding_stands_for_the_equation(n_bins: int):
    """eq:ple, through the library's own encoder and its own edges, and beyond them."""
    x = values()
    inner = x[np.abs(x) < 3]
    target = Target(np.sin(inner), is_classification=False)
    fitted = PiecewiseLinear(n_bins).fit(inner, target, np.random.default_rng(0))
    slot, fraction = fitted(x)
    codes = Codes(torch.tensor(slot)[None], torch.tensor(fraction)[None])
    dense = dense_codes(codes, layout_of(np.array(fitted.edges)))[0]
    assert dense.shape == (len(x), len(fitted.edges) - 1)
    assert 1 <= dense.shape[1] <= n_bins
    expected = [slow_ple(value, np.array(fitted.edges)) for value in x]
    np.testing.assert_allclose(dense, expected, atol=1e-6)


def test_equal_to_rtdl_within_the_range():
    """eq:ple against the package of its inventors, for values inside the edges."""
    x = values()
    x = x[(x >= EDGES[0]) & (x <= EDGES[-1])]
    theirs = PiecewiseLinearEncoding([torch.tensor(EDGES)])(torch.tensor(x)[:, None])
    ours = dense_codes(compact(x, EDGES), layout_of(EDGES))[0]
    torch.testing.assert_close(ours, theirs)


def test_differs_from_rtdl_outside_the_range():
    """eq:ple clips on both sides; the package of its inventors extrapolates."""
    x = np.array([EDGES[0] - 1, EDGES[-1] + 3])
    theirs = PiecewiseLinearEncoding([torch.tensor(EDGES)])(torch.tensor(x)[:, None])
    assert theirs[0, 0] == pytest.approx(-1 / 1.5)
    assert theirs[1, -1] == pytest.approx(2.0)
    ours = dense_codes(compact(x, EDGES), layout_of(EDGES))[0]
    assert ours.tolist() == [[0.0] * 4, [1.0] * 4]


def test_definition_by_cases():
    """def:ple, eq:ple-app: 0 below the bin, linear within, 1 above."""
    for x in values():
        for t, component in enumerate(slow_ple(x, EDGES), start=1):
            left, right = EDGES[t - 1], EDGES[t]
            if x <= left:
                assert component == 0
            elif x >= right:
                assert component == 1
            else:
                assert component == pytest.approx((x - left) / (right - left))


def test_bin_index_is_the_slot():
    """def:knots: s(x) = t iff b_{t-1} < x < b_t; slots count from 0."""
    x = values()
    x = x[(x > EDGES[0]) & (x < EDGES[-1]) & ~np.isin(x, EDGES)]
    slot = compact(x, EDGES).slot[0].numpy()
    assert (EDGES[slot] < x).all()
    assert (x < EDGES[slot + 1]).all()


def test_code_is_ones_then_fraction_then_zeros():
    """thm:spline-equiv, Step 1: the binwise values of the encoding."""
    x = values()
    codes = compact(x, EDGES)
    for row, slot, fraction in zip(
        dense_codes(codes, layout_of(EDGES))[0], codes.slot[0], codes.fraction[0], strict=True
    ):
        assert (row[:slot] == 1).all()
        assert row[slot] == fraction
        assert (row[slot + 1 :] == 0).all()


def test_one_gradient_per_bin():
    """Text after eq:ple: a value moves exactly one component, that of its bin."""
    x = torch.tensor([-1.0, -0.25, 0.5, 3.0], dtype=torch.float64, requires_grad=True)
    edges = torch.tensor(EDGES)
    code = ((x[:, None] - edges[:-1]) / edges.diff()).clamp(0, 1)
    for t in range(4):
        (slope,) = torch.autograd.grad(code[:, t].sum(), x, retain_graph=True)
        expected = torch.zeros(4, dtype=torch.float64)
        expected[t] = 1 / (EDGES[t + 1] - EDGES[t])
        torch.testing.assert_close(slope, expected)
