"""Our LayerNorm against torch's, on both sides of the number of tokens where the way changes."""

import pytest
import torch
import torch.nn.functional as F

from lassoflexnet.nn.layer_norm import FEW_TOKENS, layer_normalised

SHAPES = [(2, 30, 24), (3, FEW_TOKENS // 3 + 1, 24), (FEW_TOKENS, 2, 5), (2 * FEW_TOKENS, 1)]


@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_torchs_forward_and_back(shape: tuple[int, ...]):
    x = (3.0 + 5.0 * torch.randn(shape)).requires_grad_()
    pull = torch.randn(shape)
    expected = F.layer_norm(x, shape[-1:])
    (slope,) = torch.autograd.grad(expected, x, pull)
    found = layer_normalised(x)
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(torch.autograd.grad(found, x, pull)[0], slope, atol=2e-5, rtol=1e-4)


def test_gradient_is_that_of_finite_differences(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lassoflexnet.nn.layer_norm.FEW_TOKENS", 0)
    x = torch.randn(2, 4, 3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(layer_normalised, (x,))


def test_tokens_need_not_lie_in_order(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lassoflexnet.nn.layer_norm.FEW_TOKENS", 0)
    x = torch.randn(5, 7, 4).transpose(0, 1).requires_grad_()
    pull = torch.randn(4, 5, 7).permute(2, 1, 0)
    slopes = [
        torch.autograd.grad(f(x), x, pull)[0]
        for f in (layer_normalised, lambda x: F.layer_norm(x, (4,)))
    ]
    torch.testing.assert_close(*slopes, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("shape", [(0, 9, 4), (9, 0, 4)])
def test_nothing_stays_nothing(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lassoflexnet.nn.layer_norm.FEW_TOKENS", 0)
    assert layer_normalised(torch.empty(shape)).shape == shape
