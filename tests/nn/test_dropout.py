"""Dropout: its rate, its scale, its mask."""

import pytest
import torch

from lassoflexnet.nn.dropout import Dropout, below_, from_


def test_bytes_below_a_number_are_those_that_a_comparison_finds():
    every = torch.arange(256, dtype=torch.uint8)
    for n in range(1, 256):
        assert torch.equal(below_(every.clone(), n), (every < n).to(torch.uint8))
        assert torch.equal(from_(every.clone(), n), (every >= n).to(torch.uint8))


@pytest.mark.parametrize("p", [0.01, 0.1, 0.25, 0.5, 0.9])
def test_rate_is_right_within_five_standard_errors(p: float):
    torch.manual_seed(0)
    n = 200_000
    dropped = (Dropout(p)(torch.ones(n)) == 0).double().mean().item()
    rate = round(256 * p) / 256
    assert abs(rate - p) <= 1 / 512
    assert abs(dropped - rate) < 5 * (rate * (1 - rate) / n) ** 0.5


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_scale_keeps_the_mean(p: float):
    torch.manual_seed(0)
    out = Dropout(p)(torch.ones(4096))
    kept = 256 / (256 - round(256 * p))
    assert out.unique().tolist() == pytest.approx([0.0, kept])
    rate = 1 - 1 / kept
    assert out.mean().item() == pytest.approx(1.0, abs=5 * (rate / (1 - rate) / 4096) ** 0.5)


def test_entries_are_independent_within_a_word():
    """Eight entries share one random number; their bytes must not."""
    torch.manual_seed(0)
    kept = (Dropout(0.5)(torch.ones(20_000, 8)) > 0).double()
    correlation = torch.corrcoef(kept.T) - torch.eye(8)
    assert correlation.abs().max() < 5 / 20_000**0.5
    assert (kept.mean(dim=0) - 0.5).abs().max() < 5 * 0.5 / 20_000**0.5


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5, 2), (0,), (4, 0, 2)])
def test_any_shape(shape: tuple[int, ...]):
    assert Dropout(0.5)(torch.ones(shape)).shape == shape


def test_rate_zero_hands_through():
    x = torch.randn(100)
    assert Dropout(0.0)(x) is x


def test_evaluation_hands_through():
    x = torch.randn(100)
    assert Dropout(0.5).eval()(x) is x


@pytest.mark.parametrize("p", [0.0, 0.3])
def test_adding_what_is_left_takes_the_same_mask(p: float):
    total, x = torch.randn(50, 7), torch.randn(50, 7)
    dropout = Dropout(p)
    torch.manual_seed(0)
    apart = total + dropout(x)
    torch.manual_seed(0)
    torch.testing.assert_close(dropout.added(total, x), apart)


def test_gradient_has_the_same_mask():
    torch.manual_seed(0)
    x = torch.randn(1000, requires_grad=True)
    out = Dropout(0.3)(x)
    out.sum().backward()
    torch.testing.assert_close(x.grad, (out / x).detach())
    assert 0 < (x.grad == 0).sum() < 1000


def test_seed_repeats_it():
    dropout, x = Dropout(0.5), torch.ones(100)
    torch.manual_seed(3)
    first, second = dropout(x), dropout(x)
    torch.manual_seed(3)
    assert torch.equal(dropout(x), first)
    assert not torch.equal(first, second)


def test_dtype_stays():
    assert Dropout(0.5)(torch.ones(10, dtype=torch.float64)).dtype == torch.float64
