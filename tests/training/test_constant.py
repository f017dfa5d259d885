"""The best constant: against torch's own L-BFGS to the bit, and against its formulas."""

import numpy as np
import pytest
import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.training.constant import (
    FAR_OFF,
    MOST_STEPS,
    best_constant,
    least_point,
    slopes,
)
from lassoflexnet.training.data import Rows
from lassoflexnet.training.tasks import (
    RowMetric,
    binary_log_loss,
    log_loss,
    squared_error,
)
from tests.training.makers import rows


def given(target: Tensor) -> Rows:
    return rows(Codes(torch.zeros(1, len(target)), torch.zeros(1, len(target))), target)


def by_torch(given: Rows, loss: RowMetric, n_outputs: int) -> Tensor:
    constant = torch.zeros(1, n_outputs, requires_grad=True)
    optimizer = torch.optim.LBFGS([constant], max_iter=MOST_STEPS)

    def closure() -> float:
        optimizer.zero_grad()
        value = (loss(constant.expand(given.n_rows, -1), given.target) * given.weight).mean()
        value.backward()
        return float(value.detach())

    optimizer.step(closure)
    return constant.detach()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("loss", "n_classes"),
    [
        (squared_error, 0),
        (binary_log_loss, 2),
        (log_loss, 4),
        (log_loss, 9),
    ],
)
def test_every_bit_is_as_of_torch(loss, n_classes, seed):
    g = torch.Generator().manual_seed(seed)
    n = 200 + 311 * seed
    numbers, classes = 10**seed * torch.randn(n, generator=g), torch.rand(n, generator=g) ** 4
    target = (n_classes * classes).long() if n_classes else numbers
    weighted = given(target)._replace(weight=2 * torch.rand(n, generator=g))
    n_outputs = n_classes if n_classes > 2 else 1
    found = best_constant(weighted, loss, n_outputs)
    assert torch.equal(found, by_torch(weighted, loss, n_outputs))
    assert found.abs().max() > 0


@pytest.mark.parametrize(
    ("loss", "target", "expected"),
    [
        (squared_error, torch.tensor([1.0, 2.0, 6.0]), [3.0]),
        (binary_log_loss, torch.tensor([0, 0, 0, 1]), [np.log(1 / 3)]),
        (log_loss, torch.tensor([0, 1, 1, 2, 2, 2]), None),
    ],
)
def test_best_constant_and_slopes(loss, target, expected):
    n_outputs = 3 if loss is log_loss else 1
    constant = best_constant(given(target), loss, n_outputs)
    if expected:
        assert constant[0].tolist() == pytest.approx(expected, abs=1e-3)
    slope = slopes(constant.expand(len(target), -1), given(target), loss)
    torch.testing.assert_close(slope.sum(dim=0), torch.zeros(n_outputs), atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("n_classes", "power", "torch_is_off"),
    [(20, 8, 600), (40, 4, 60), (30, 4, 0), (100, 2, 0)],
)
def test_many_classes_of_uneven_size_get_their_shares(n_classes, power, torch_is_off):
    """Torch's own goes far off for some."""
    u = torch.rand(3000, generator=torch.Generator().manual_seed(0))
    target = (n_classes * u**power).long()
    shares = target.bincount(minlength=n_classes) / len(target)
    least = -(shares * shares.clamp_min(1e-9).log()).sum()
    ours, theirs = (
        log_loss(make(given(target), log_loss, n_classes).expand(len(target), -1), target).mean()
        for make in (best_constant, by_torch)
    )
    assert ours < least + 1e-3
    assert theirs > least + torch_is_off - 1e-3


def test_a_step_that_goes_far_off_is_halved_until_it_does_not():
    """Nearly flat far off the least point, so that Newton's steps from there go beyond it."""
    values = []

    def bent(x: Tensor) -> Tensor:
        value = (x.square() + 1).sqrt().sum()
        values.append(value.item())
        return value

    found = least_point(bent, torch.tensor([[4.0, -30.0]]))
    most = (1 + FAR_OFF) * values[0]
    too_far = [i for i, value in enumerate(values) if value > most]
    assert too_far
    assert all(values[i + 1] < values[i] for i in too_far)
    assert bent(found) < values[0]


def test_values_below_zero_are_minimised_too():
    found = least_point(lambda x: (x - 3).square().sum() - 1000.0, torch.tensor([[4.0, -3.0]]))
    torch.testing.assert_close(found, torch.full((1, 2), 3.0), atol=1e-3, rtol=0)


def test_a_start_that_is_least_stays():
    start = torch.tensor([[1.0, -2.0]])
    assert torch.equal(least_point(lambda x: (x - start).square().sum(), start), start)


def test_slopes_are_the_derivatives():
    outputs, target = torch.tensor([[1.0], [2.0]]), torch.tensor([0.5, 4.0])
    assert torch.equal(slopes(outputs, given(target), squared_error), torch.tensor([[1.0], [-4.0]]))
    assert not outputs.requires_grad
