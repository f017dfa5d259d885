"""The skip connection, and its absence."""

import torch

from lassoflexnet.nn.skip import NoSkip, TiedGroupSkip
from tests.nn.makers import shake


def test_weighted_sum_of_pooled_embeddings():
    skip, z_bar = TiedGroupSkip(3, 2), torch.randn(3, 7)
    shake(skip)
    expected = torch.stack(
        [skip.intercept + sum(skip.weight[i] * z_bar[i, row] for i in range(3)) for row in range(7)]
    )
    torch.testing.assert_close(skip(z_bar), expected)


def test_intercept_starts_at_zero():
    assert not TiedGroupSkip(3, 2).intercept.any()


def test_no_features_leave_the_intercept():
    skip = TiedGroupSkip(0, 2)
    shake(skip)
    assert torch.equal(skip(torch.empty(0, 5)), skip.intercept.expand(5, 2))


def test_no_skip_is_an_intercept_whatever_the_rows():
    skip = NoSkip(3, 2)
    shake(skip)
    assert torch.equal(skip(torch.randn(3, 5)), skip.intercept.expand(5, 2))


def test_no_skip_keeps_every_feature_alive_and_learns_no_weight():
    skip = NoSkip(3, 2)
    assert torch.equal(skip.weight, torch.ones(3, 2))
    assert {name for name, _ in skip.named_parameters()} == {"intercept"}
    assert "weight" in skip.state_dict()
