"""Operators as minimisers: nothing feasible does better than what they return."""

import math

import pytest
import torch
from lassonet.prox import prox as lassonet_prox

from lassoflexnet.gate import Gate, row_norm
from lassoflexnet.prox import (
    ConvexHierProx,
    JointHierProx,
    LiteralSequentialHierProx,
    SequentialHierProx,
    group_shrink,
)

DOUBLE = {"dtype": torch.float64}


def random_gate(d: int, c: int, k: int, seed: int = 0) -> Gate:
    generator = torch.Generator().manual_seed(seed)
    beta = torch.randn(d, c, generator=generator, **DOUBLE)
    return Gate(beta, 2 * torch.randn(d, k, generator=generator, **DOUBLE))


def joint_objective(new: Gate, old: Gate, t: float, lambda_bar: float) -> torch.Tensor:
    """Objective of Proposition 1 for each feature: (d,)."""
    distance = (new.beta - old.beta).square().sum(1) + (new.w1 - old.w1).square().sum(1)
    return 0.5 * distance + t * row_norm(new.beta) + lambda_bar * new.w1.abs().sum(1)


def nearby(gate: Gate, radius: float, generator: torch.Generator) -> Gate:
    def move(x: torch.Tensor) -> torch.Tensor:
        return x + radius * torch.randn(x.shape, generator=generator, **DOUBLE)

    return Gate(move(gate.beta), move(gate.w1))


def clip_to(gate: Gate, M: float) -> Gate:
    """Make a gate feasible by clipping w1."""
    bound = M * row_norm(gate.beta)[:, None]
    return Gate(gate.beta, gate.w1.clamp(-bound, bound))


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("M", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("lambda_bar", [0.0, 0.4])
@pytest.mark.parametrize("t", [0.0, 0.5, 5.0])
def test_joint_equals_the_lassonet_package(c: int, M: float, lambda_bar: float, t: float):
    gate = random_gate(100, c, 7)
    ours = JointHierProx(M, lambda_bar)(gate, torch.tensor(t))
    beta, theta = lassonet_prox(gate.beta.T, gate.w1.T, lambda_=t, lambda_bar=lambda_bar, M=M)
    torch.testing.assert_close(ours, Gate(beta.T, theta.T), rtol=0, atol=1e-13)


@pytest.mark.parametrize(("v", "u"), [(0.8, 1.5), (-0.3, 2.0), (1.2, -0.1), (-2.0, -0.7)])
@pytest.mark.parametrize("M", [0.5, 2.0])
def test_joint_equals_a_search_over_a_fine_grid(v: float, u: float, M: float):
    t, lambda_bar, step = 0.4, 0.2, 0.005
    b, w = torch.meshgrid(*2 * [torch.arange(-3, 3, step, **DOUBLE)], indexing="ij")
    value = 0.5 * ((b - v) ** 2 + (w - u) ** 2) + t * b.abs() + lambda_bar * w.abs()
    value[w.abs() > M * b.abs() + 1e-12] = math.inf
    best = value.argmin()
    gate = Gate(torch.tensor([[v]], **DOUBLE), torch.tensor([[u]], **DOUBLE))
    out = JointHierProx(M, lambda_bar)(gate, torch.tensor(t))
    assert out.beta.item() == pytest.approx(b.flatten()[best].item(), abs=2 * step)
    assert out.w1.item() == pytest.approx(w.flatten()[best].item(), abs=2 * step)
    assert joint_objective(out, gate, t, lambda_bar).item() <= value.min().item() + 1e-12


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("M", [0.3, 10.0])
def test_no_feasible_point_beats_the_joint_operator(c: int, M: float):
    t, lambda_bar = 0.6, 0.1
    gate = random_gate(30, c, 4)
    out = JointHierProx(M, lambda_bar)(gate, torch.tensor(t))
    best = joint_objective(out, gate, t, lambda_bar)
    generator = torch.Generator().manual_seed(1)
    for radius in (1e-4, 1e-2, 1.0):
        for _ in range(100):
            other = clip_to(nearby(out, radius, generator), M)
            assert (joint_objective(other, gate, t, lambda_bar) >= best - 1e-12).all()


def test_joint_at_beta_zero_is_optimal_too():
    gate = Gate(torch.zeros(1, 3, **DOUBLE), torch.tensor([[2.0, -1.0]], **DOUBLE))
    out = JointHierProx(M=1.0)(gate, torch.tensor(0.5))
    assert (out.beta > 0).all(), "sign(0) is +1, as in the paper"
    best = joint_objective(out, gate, 0.5, 0.0)
    generator = torch.Generator().manual_seed(1)
    for _ in range(300):
        other = clip_to(nearby(out, 0.3, generator), 1.0)
        assert joint_objective(other, gate, 0.5, 0.0) >= best - 1e-12


@pytest.mark.parametrize("c", [1, 3])
def test_no_feasible_point_beats_the_sequential_operator(c: int):
    t, lambda_bar, M = 0.6, 0.1, 0.8
    gate = random_gate(30, c, 4)
    out = SequentialHierProx(M, lambda_bar)(gate, torch.tensor(t))
    beta_value = 0.5 * (out.beta - gate.beta).square().sum(1) + t * row_norm(out.beta)
    w1_value = joint_objective(out, Gate(out.beta, gate.w1), 0.0, lambda_bar)
    generator = torch.Generator().manual_seed(1)
    for radius in (1e-4, 1e-2, 1.0):
        for _ in range(100):
            other = nearby(out, radius, generator)
            value = 0.5 * (other.beta - gate.beta).square().sum(1) + t * row_norm(other.beta)
            assert (value >= beta_value - 1e-12).all()
            inside = clip_to(Gate(out.beta, other.w1), M)
            value = joint_objective(inside, Gate(out.beta, gate.w1), 0.0, lambda_bar)
            assert (value >= w1_value - 1e-12).all()


def test_infinite_M_leaves_w1_of_living_features_alone():
    gate = random_gate(40, 1, 5)
    out = SequentialHierProx(M=math.inf)(gate, torch.tensor(0.75))
    alive = out.support()
    assert 0 < alive.sum() < 40
    assert torch.equal(out.w1[alive], gate.w1[alive])
    assert not out.w1[~alive].any()
    assert torch.equal(out.beta, group_shrink(gate.beta, 0.75))


def test_sequential_tends_to_infinite_M():
    gate = random_gate(40, 2, 5)
    limit = SequentialHierProx(M=math.inf)(gate, torch.tensor(0.7))
    torch.testing.assert_close(SequentialHierProx(M=1e9)(gate, torch.tensor(0.7)), limit)


def test_literal_algorithm_is_the_joint_operator_at_the_thresholded_beta():
    gate, t = random_gate(100, 1, 6), torch.tensor(0.5)
    literal = LiteralSequentialHierProx(M=2.0)(gate, t)
    joint = JointHierProx(M=2.0)(Gate(group_shrink(gate.beta, t), gate.w1), t)
    torch.testing.assert_close(literal.w1, joint.w1)


def convex_objective(new: Gate, old: Gate, t: float, prox: ConvexHierProx) -> torch.Tensor:
    """Objective of the relaxation for each feature, in the scaled metric: (d,)."""
    scaled = torch.cat([new.beta, new.w1 / prox.M], dim=1)
    pull = 0.5 * (scaled - torch.cat([old.beta, old.w1 / prox.M], dim=1)).square().sum(1)
    penalty = t * row_norm(new.beta) + prox.lambda_w * new.w1.abs().sum(1)
    return pull + penalty + prox.group * t * scaled.norm(dim=1)


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("prox", [ConvexHierProx(2.0), ConvexHierProx(0.5, 2.0, 0.2)], ids=str)
def test_no_point_beats_the_convex_operator(c: int, prox: ConvexHierProx):
    t = 0.4
    gate = random_gate(30, c, 4)
    out = prox(gate, torch.tensor(t))
    best = convex_objective(out, gate, t, prox)
    generator = torch.Generator().manual_seed(1)
    for radius in (1e-4, 1e-2, 1.0):
        for _ in range(100):
            other = nearby(out, radius, generator)
            assert (convex_objective(other, gate, t, prox) >= best - 1e-12).all()


@pytest.mark.parametrize("c", [1, 3])
def test_convex_operator_is_firmly_nonexpansive_in_its_metric(c: int):
    prox = ConvexHierProx(M=3.0, group=0.7, lambda_w=0.02)
    first, second = random_gate(500, c, 4, seed=0), random_gate(500, c, 4, seed=1)

    def scaled(gate: Gate) -> torch.Tensor:
        return torch.cat([gate.beta, gate.w1 / prox.M], dim=1)

    t = torch.tensor(0.3)
    moved = scaled(prox(first, t)) - scaled(prox(second, t))
    given = scaled(first) - scaled(second)
    product = (moved * given).sum(1)
    assert (moved.square().sum(1) <= product + 1e-12).all()
    assert (product <= given.square().sum(1) + 1e-12).all()
