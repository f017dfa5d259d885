"""Step sizes: how far each optimiser really goes per unit of gradient."""

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, Adagrad, AdamW

from lassoflexnet.optim import HypergradientAdamSettings
from lassoflexnet.optim.adamw import FusedAdamW
from lassoflexnet.optim.step_sizes import GRADIENT_FLOOR, learning_rate, step_size

GRADIENTS = torch.tensor([[0.5, 2.0], [0.1, 0.1], [0.0, 0.0]])


def stepped(kind: type, n_steps: int = 3, **arguments) -> tuple[Tensor, torch.optim.Optimizer]:
    p = nn.Parameter(torch.zeros(3, 2))
    optimizer = kind([p], **arguments)
    for t in range(1, n_steps + 1):
        p.grad = t * GRADIENTS
        optimizer.step()
    return p, optimizer


def test_learning_rate_is_that_of_the_first_group():
    p, q = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    optimizer = SGD([{"params": [p], "lr": 0.3}, {"params": [q], "lr": 0.7}], lr=1.0)
    assert learning_rate(optimizer) == 0.3


def test_adam_is_rate_over_root_mean_square_gradient_averaged_over_outputs():
    p, optimizer = stepped(AdamW, lr=0.01, betas=(0.9, 0.99))
    v = sum(0.01 * 0.99 ** (3 - t) * (t * GRADIENTS) ** 2 for t in range(1, 4))
    root = (v / (1 - 0.99**3)).sqrt()
    expected = (0.01 / (root + GRADIENT_FLOOR)).mean(dim=1)
    torch.testing.assert_close(step_size(optimizer, p), expected)


def test_adam_moves_by_step_size_times_mean_gradient():
    p, optimizer = stepped(AdamW, n_steps=1, lr=0.01, weight_decay=0.0)
    sizes = 0.01 / (GRADIENTS.abs() + GRADIENT_FLOOR)
    torch.testing.assert_close(p.detach(), -sizes * GRADIENTS, rtol=2e-3, atol=0)
    torch.testing.assert_close(step_size(optimizer, p), sizes.mean(dim=1))


def test_coordinates_without_gradient_have_a_bounded_step():
    p, optimizer = stepped(AdamW, lr=0.01)
    assert step_size(optimizer, p)[2].item() == pytest.approx(0.01 / GRADIENT_FLOOR)


def test_learning_rate_of_the_moment_counts():
    p, optimizer = stepped(AdamW, lr=0.01)
    before = step_size(optimizer, p)
    optimizer.param_groups[0]["lr"] = 0.02
    torch.testing.assert_close(step_size(optimizer, p), 2 * before)


def test_before_the_first_step_it_is_zero():
    p = nn.Parameter(torch.zeros(3, 2))
    assert torch.equal(step_size(AdamW([p]), p), torch.zeros(3))


def test_a_weight_that_is_not_optimised_does_not_move_and_leaves_no_trace():
    _, optimizer = stepped(AdamW, lr=0.01)
    assert torch.equal(step_size(optimizer, torch.ones(4, 1)), torch.zeros(4))
    assert len(optimizer.state) == 1
    optimizer.state_dict()


def test_ours_has_the_step_sizes_of_torch():
    p, optimizer = stepped(AdamW, lr=0.01, betas=(0.9, 0.99))
    q = nn.Parameter(torch.zeros(3, 2))
    ours = FusedAdamW([{"params": [q], "weight_decay": 0.0}], lr=0.01, betas=(0.9, 0.99))
    assert torch.equal(step_size(ours, q), torch.zeros(3))
    for t in range(1, 4):
        q.grad = t * GRADIENTS
        ours.step()
    torch.testing.assert_close(step_size(ours, q), step_size(optimizer, p))


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_is_the_sum_of_its_momentum(momentum: float):
    p, optimizer = stepped(SGD, lr=0.1, momentum=momentum)
    torch.testing.assert_close(step_size(optimizer, p), torch.full((3,), 0.1 / (1 - momentum)))
    p.data.zero_()
    for _ in range(300):
        p.grad = GRADIENTS.clone()
        before = p.detach().clone()
        optimizer.step()
    torch.testing.assert_close(before - p.detach(), 0.1 / (1 - momentum) * GRADIENTS)


def test_hypergradient_is_an_adam():
    p = nn.Parameter(torch.zeros(3, 2))
    optimizer = HypergradientAdamSettings(learning_rate=0.01, kappa=0.0).build([], [p], {})
    p.grad = GRADIENTS.clone()
    optimizer.step()
    q, adam = stepped(AdamW, n_steps=1, lr=0.01)
    torch.testing.assert_close(step_size(optimizer, p), step_size(adam, q))


def test_unknown_optimizer():
    p = nn.Parameter(torch.zeros(3, 2))
    with pytest.raises(TypeError, match="no step size is known for Adagrad"):
        step_size(Adagrad([p]), p)
