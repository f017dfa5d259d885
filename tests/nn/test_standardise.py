"""The written-out gradient against automatic differentiation of the formula."""

import torch
from torch.testing import assert_close

from lassoflexnet.nn.standardise import plain_standardised, standardised


def tokens(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    x = 3.0 * torch.randn(*shape, generator=generator, dtype=torch.float64) + 5.0
    return x.requires_grad_()


def test_values_moments_and_gradient_are_those_of_the_formula():
    x, weight = tokens(3, 40, 5), torch.rand(3, 40, 5, dtype=torch.float64)
    ours, plain = standardised(x), plain_standardised(x)
    assert_close(ours, plain)
    (gradient,) = torch.autograd.grad((ours.values * weight).sum(), x)
    (expected,) = torch.autograd.grad((plain.values * weight).sum(), x)
    assert expected.abs().max() > 1e-3
    assert_close(gradient, expected)


def test_gradient_agrees_with_finite_differences():
    assert torch.autograd.gradcheck(lambda x: standardised(x).values, tokens(2, 6, 3))


def test_moments_have_no_gradient():
    found = standardised(tokens(2, 6, 3))
    assert not found.mean.requires_grad
    assert not found.var.requires_grad


def test_a_channel_that_does_not_vary_becomes_zero():
    x = torch.full((1, 8, 2), 4.0, requires_grad=True)
    values = standardised(x).values
    values.sum().backward()
    assert not values.any()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_no_feature_is_no_matter():
    assert standardised(torch.empty(0, 8, 2)).values.shape == (0, 8, 2)
