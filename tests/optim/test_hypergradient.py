"""Adam with a hypergradient rate: its neutral value, its bounds, its groups."""

import copy

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.optim import AdamW

from lassoflexnet.optim.hypergradient import MAX_FACTOR, HypergradientAdamW


def run(
    optimizer: torch.optim.Optimizer, p: Tensor, gradients: list[float]
) -> list[tuple[float, float]]:
    """Rate and parameter after each step."""
    trace = []
    for g in gradients:
        p.grad = torch.full_like(p, g)
        optimizer.step()
        trace.append((optimizer.param_groups[0]["lr"], p.flatten()[0].item()))
    return trace


def make(kappa: float, lr: float = 0.01) -> tuple[Tensor, HypergradientAdamW]:
    p = nn.Parameter(torch.zeros(2))
    return p, HypergradientAdamW([p], kappa=kappa, lr=lr)


def test_kappa_zero_is_adamw_to_the_bit():
    p, optimizer = make(0.0)
    q = nn.Parameter(torch.zeros(2))
    gradients = [1.0, -0.5, 2.0, 0.1]
    assert run(optimizer, p, gradients) == run(AdamW([q], lr=0.01), q, gradients)


def test_slow_version():
    """lr_t = lr_{t-1} + kappa sum of g_t u_{t-1} over all tensors, then AdamW with lr_t."""
    rng = np.random.default_rng(0)
    shapes, decays, kappa, lr = [(3, 2), (4,)], [0.0, 0.5], 1e-3, 0.01
    x = [rng.normal(size=shape) for shape in shapes]
    parameters = [nn.Parameter(torch.tensor(value)) for value in x]
    groups = [{"params": [p], "weight_decay": d} for p, d in zip(parameters, decays, strict=True)]
    optimizer = HypergradientAdamW(groups, kappa=kappa, lr=lr)
    m, v, u = ([np.zeros(shape) for shape in shapes] for _ in range(3))
    for t in range(1, 8):
        g = [rng.normal(size=shape) for shape in shapes]
        lr += kappa * sum((gi * ui).sum() for gi, ui in zip(g, u, strict=True))
        for i in range(2):
            m[i] = 0.9 * m[i] + 0.1 * g[i]
            v[i] = 0.999 * v[i] + 0.001 * g[i] ** 2
            u[i] = m[i] / (1 - 0.9**t) / (np.sqrt(v[i] / (1 - 0.999**t)) + 1e-8)
            x[i] = x[i] * (1 - lr * decays[i]) - lr * u[i]
            parameters[i].grad = torch.tensor(g[i])
        optimizer.step()
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([lr, lr])
        for parameter, expected in zip(parameters, x, strict=True):
            np.testing.assert_allclose(parameter.detach(), expected, atol=1e-12)
    assert abs(lr - 0.01) > 1e-3, "or the rate has not moved"


def test_rate_rises_while_directions_agree_and_falls_when_they_turn():
    p, optimizer = make(1e-3)
    rates = [rate for rate, _ in run(optimizer, p, [1.0, 1.0, 1.0, -1.0])]
    assert rates[0] == 0.01, "no direction yet"
    assert rates[0] < rates[1] < rates[2]
    assert rates[3] < rates[2]


def test_constant_gradient_adds_kappa_times_its_size():
    """Both of two coordinates have direction 1, so g . u = 2 g."""
    p, optimizer = make(1e-3)
    rates = [rate for rate, _ in run(optimizer, p, [1.0, 3.0])]
    assert rates[1] - rates[0] == pytest.approx(1e-3 * 2 * 3.0, rel=1e-6)


@pytest.mark.parametrize(("sign", "factor"), [(1.0, MAX_FACTOR), (-1.0, 1 / MAX_FACTOR)])
def test_rate_stays_within_its_bounds(sign: float, factor: float):
    p, optimizer = make(10.0)
    rates = [rate for rate, _ in run(optimizer, p, [1.0, sign])]
    assert rates[-1] == pytest.approx(0.01 * factor)


def test_rate_is_one_for_all_groups_and_sums_over_them():
    p, q = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(3))
    groups = [{"params": [p]}, {"params": [q], "weight_decay": 0.5}]
    optimizer = HypergradientAdamW(groups, kappa=1e-3, lr=0.01)
    for _ in range(2):
        p.grad, q.grad = torch.ones(2), torch.full((3,), 2.0)
        optimizer.step()
    rates = [group["lr"] for group in optimizer.param_groups]
    assert rates[0] == rates[1] == pytest.approx(0.01 + 1e-3 * (2 * 1 + 3 * 2), rel=1e-6)


def test_parameters_without_gradient_are_left_out():
    p, optimizer = make(1e-3)
    optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(3))]})
    assert run(optimizer, p, [1.0, 1.0])[-1][0] == pytest.approx(0.012)


def test_saved_state_goes_on_alike():
    p, optimizer = make(1e-3)
    run(optimizer, p, [1.0, 2.0])
    saved, value = copy.deepcopy(optimizer.state_dict()), p.detach().clone()
    first = run(optimizer, p, [0.5, 1.0])
    p.data.copy_(value)
    optimizer.load_state_dict(saved)
    assert run(optimizer, p, [0.5, 1.0]) == first
