"""Predictions in chunks, and errors of rows."""

import pytest
import torch

from lassoflexnet.training import evaluation
from lassoflexnet.training.evaluation import (
    clearly_worse,
    paired_difference,
    predict,
    row_errors,
    weighted_mean,
)
from lassoflexnet.training.tasks import absolute_error
from tests.nn.makers import BACKBONES, MIXED, make_network, random_codes
from tests.training.makers import rows

every_backbone = pytest.mark.parametrize("backbone", BACKBONES, ids=str)


@every_backbone
def test_chunks_make_no_difference(backbone, monkeypatch: pytest.MonkeyPatch):
    network, codes = make_network(backbone=backbone, n_outputs=2), random_codes(MIXED, 50)
    network.set_moments(codes)
    whole = network.eval()(codes)
    monkeypatch.setattr(evaluation, "chunk_rows", lambda _: 7)
    torch.testing.assert_close(predict(network.train(), codes), whole)


@every_backbone
def test_no_rows(backbone):
    network = make_network(backbone=backbone, n_outputs=2)
    assert predict(network, random_codes(MIXED, 0)).shape == (0, 2)


def test_no_gradient_and_no_statistics_are_kept():
    network, codes = make_network(), random_codes(MIXED, 20)
    before = network.embedding.norm.running_mean.clone()
    assert not predict(network.train(), codes).requires_grad
    assert torch.equal(network.embedding.norm.running_mean, before)


def test_errors_of_rows():
    network, codes = make_network(), random_codes(MIXED, 20)
    target = torch.randn(20)
    expected = (predict(network, codes)[:, 0] - target).abs()
    torch.testing.assert_close(row_errors(network, rows(codes, target), absolute_error), expected)


def test_weight_two_counts_as_two_rows():
    codes = random_codes(MIXED, 3)
    weighted = rows(codes, torch.zeros(3), torch.tensor([2.0, 1.0, 1.0]))
    twice = rows(random_codes(MIXED, 4), torch.zeros(4))
    errors = torch.tensor([5.0, 1.0, 3.0])
    mean = weighted_mean(errors, weighted.weight)
    assert mean == weighted_mean(errors[[0, 0, 1, 2]], twice.weight) == 3.5


def test_mean_is_taken_in_double_precision():
    n = 100_001
    errors = torch.full((n,), 0.1)
    unit = rows(random_codes(MIXED, n), torch.zeros(n))
    assert weighted_mean(errors, unit.weight) == pytest.approx(float(errors[0]), rel=1e-12)


def test_a_difference_is_paired_and_weighted():
    generator = torch.Generator().manual_seed(0)
    errors, others = torch.rand(2, 50, generator=generator).double()
    weight = torch.rand(50, generator=generator).double()
    mean, error = paired_difference(errors, others, weight)
    share = (weight / weight.sum()).tolist()
    found = [float(a - b) for a, b in zip(errors, others, strict=True)]
    expected = sum(s * x for s, x in zip(share, found, strict=True))
    variance = sum(s * s * (x - expected) ** 2 for s, x in zip(share, found, strict=True))
    assert (mean, error) == pytest.approx((expected, variance**0.5))


def test_errors_that_differ_by_a_constant_differ_without_doubt():
    others = torch.arange(5).double()
    assert paired_difference(others + 2, others, torch.ones(5)) == (2.0, 0.0)


def test_what_luck_explains_is_not_clearly_worse():
    others = torch.zeros(100)
    luck = torch.tensor([1.0, -0.9] * 50)
    assert luck.mean() > 0
    assert not clearly_worse(luck, others, torch.ones(100), 2.0)
    assert clearly_worse(luck + 0.2, others, torch.ones(100), 2.0)
    assert not clearly_worse(luck + 0.2, others, torch.ones(100), 3.0)
    assert not clearly_worse(luck - 0.5, others, torch.ones(100), 2.0)
    assert not clearly_worse(others, others, torch.ones(100), 2.0), "the same"


def test_rows_without_weight_are_no_reason():
    errors, weight = torch.tensor([9.0, 0.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 1.0, 1.0])
    assert not clearly_worse(errors, torch.zeros(4), weight, 2.0)
    assert clearly_worse(errors + 1, torch.zeros(4), weight, 2.0)
