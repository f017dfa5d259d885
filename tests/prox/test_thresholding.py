"""Closed forms of thresholding, against their definitions as minimisers."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lassoflexnet.gate import row_norm
from lassoflexnet.prox import group_shrink, soft_threshold
from lassoflexnet.prox.thresholding import clip_rows, shrinkage

SETTINGS = settings(derandomize=True, deadline=None, max_examples=100)
floats = st.floats(-50, 50, allow_subnormal=False)


@SETTINGS
@given(x=floats, t=st.floats(0, 60), other=floats)
def test_soft_threshold_minimises_its_objective(x: float, t: float, other: float):
    def objective(b: float) -> float:
        return 0.5 * (b - x) ** 2 + t * abs(b)

    best = soft_threshold(torch.tensor(x, dtype=torch.float64), t).item()
    assert objective(best) <= objective(other) + 1e-9


@SETTINGS
@given(x=st.lists(floats, min_size=1, max_size=5), t=st.floats(0, 60))
def test_one_column_is_soft_threshold_bit_for_bit(x: list[float], t: float):
    for dtype in (torch.float32, torch.float64):
        column = torch.tensor(x, dtype=dtype)[:, None]
        assert torch.equal(group_shrink(column, t), soft_threshold(column, t))
        shared = torch.tensor(t, dtype=dtype)
        per_row = shared.expand(len(x))
        assert torch.equal(group_shrink(column, per_row), soft_threshold(column, shared))


def test_group_shrink_shortens_each_row_by_its_threshold():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(20, 3, generator=generator, dtype=torch.float64)
    t = torch.rand(20, generator=generator, dtype=torch.float64) * 2
    out = group_shrink(x, t)
    torch.testing.assert_close(row_norm(out), (row_norm(x) - t).clamp_min(0))
    alive = row_norm(out) > 0
    assert 0 < alive.sum() < 20
    torch.testing.assert_close(
        out[alive] / row_norm(out)[alive, None], x[alive] / row_norm(x)[alive, None]
    )


@pytest.mark.parametrize("c", [1, 2, 5])
@pytest.mark.parametrize("t", [0.0, 1.0, math.inf])
def test_zero_rows_stay_zero(c: int, t: float):
    assert torch.equal(group_shrink(torch.zeros(3, c), t), torch.zeros(3, c))


def test_group_shrink_by_zero_is_the_identity_bit_for_bit():
    x = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(group_shrink(x, 0.0), x)


def test_threshold_cannot_promote_the_weights():
    x = torch.ones(2, 3, dtype=torch.float32)
    assert group_shrink(x, torch.ones(2, dtype=torch.float64)).dtype == torch.float32


def test_shrinkage_of_a_float_threshold_is_not_rounded_to_single():
    norm = torch.tensor([1.0], dtype=torch.float64)
    assert shrinkage(norm, 0.1).item() == 1 - 0.1
    assert group_shrink(torch.ones(1, 1, dtype=torch.float64), 0.1).item() == 1 - 0.1


@SETTINGS
@given(x=floats, bound=st.floats(0, 20), t=st.floats(0, 20), share=st.floats(-1, 1))
def test_clip_rows_minimises_under_the_box(x: float, bound: float, t: float, share: float):
    def objective(w: float) -> float:
        return 0.5 * (w - x) ** 2 + t * abs(w)

    w = clip_rows(
        torch.tensor([[x]], dtype=torch.float64), torch.tensor([bound], dtype=torch.float64), t
    ).item()
    assert abs(w) <= bound
    assert objective(w) <= objective(share * bound) + 1e-9
