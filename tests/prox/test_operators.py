"""All operators, one table, the same properties."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lassoflexnet.gate import Gate, row_norm
from lassoflexnet.prox import (
    ConvexHierProx,
    JointHierProx,
    LiteralSequentialHierProx,
    NoProx,
    Prox,
    SequentialHierProx,
)

OPERATORS = [
    SequentialHierProx(),
    SequentialHierProx(M=0.5, lambda_bar=0.1),
    SequentialHierProx(M=math.inf),
    LiteralSequentialHierProx(),
    LiteralSequentialHierProx(M=0.5),
    JointHierProx(),
    JointHierProx(M=0.5, lambda_bar=0.1),
    ConvexHierProx(),
    ConvexHierProx(M=2.0, group=0.5, lambda_w=0.05),
    NoProx(),
]
GROWS_BETA = (JointHierProx,)

every_operator = pytest.mark.parametrize("operator", OPERATORS, ids=str)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Gate, torch.Tensor]:
    """A gate with plenty of exact zeros, and a threshold of either shape."""
    d, c, k = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 5))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    numbers = st.floats(-5, 5, width=32, allow_subnormal=False) | st.just(0.0)
    beta = draw(arrays(dtype, (d, c), elements=numbers))
    w1 = draw(arrays(dtype, (d, k), elements=numbers))
    shape = draw(st.sampled_from([(), (d,)]))
    threshold = draw(arrays(np.float64, shape, elements=st.floats(0, 4) | st.just(0.0)))
    return Gate(torch.tensor(beta), torch.tensor(w1)), torch.tensor(threshold)


def varied_gate(c: int = 2) -> Gate:
    """Two hundred rows of very different size in both blocks, some exactly zero."""
    generator = torch.Generator().manual_seed(0)

    def block(width: int, largest: float) -> torch.Tensor:
        x = torch.randn(200, width, generator=generator, dtype=torch.float64)
        scale = largest * 10 ** (-4 * torch.rand(200, 1, generator=generator).double())
        kept = torch.rand(200, 1, generator=generator) > 0.1
        return x * scale * kept

    return Gate(block(c, 5.0), block(6, 20.0))


@every_operator
@settings(derandomize=True, deadline=None, max_examples=25)
@given(problem=problems())
def test_common_properties(operator: Prox, problem: tuple[Gate, torch.Tensor]):
    gate, threshold = problem
    before = Gate(gate.beta.clone(), gate.w1.clone())
    threshold_before = threshold.clone()
    out = operator(gate, threshold)
    for new, old, kept in zip(out, gate, before, strict=True):
        assert torch.isfinite(new).all()
        assert new.dtype == old.dtype
        assert new.shape == old.shape
        assert (new * old >= 0).all(), "a sign flipped"
        assert torch.equal(old, kept), "the input changed"
    assert torch.equal(threshold, threshold_before)
    assert (out.w1.abs() <= gate.w1.abs()).all(), "w1 grew"
    if not isinstance(operator, GROWS_BETA):
        assert (out.beta.abs() <= gate.beta.abs()).all(), "beta grew"
    if operator.exact:
        assert not out.w1[row_norm(out.beta) == 0].any(), "a removed feature is still there"


@every_operator
@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("t", [0.0, 0.3])
def test_zero_gate_stays_zero(operator: Prox, c: int, t: float):
    zero = Gate(torch.zeros(2, c), torch.zeros(2, 4))
    out = operator(zero, torch.tensor(t))
    assert torch.equal(out.beta, zero.beta)
    assert torch.equal(out.w1, zero.w1)


@every_operator
def test_features_do_not_see_each_other(operator: Prox):
    gate, threshold = varied_gate(), torch.linspace(0, 2, 200, dtype=torch.float64)
    out = operator(gate, threshold)
    order = torch.randperm(200, generator=torch.Generator().manual_seed(1))
    permuted = operator(Gate(gate.beta[order], gate.w1[order]), threshold[order])
    torch.testing.assert_close(permuted, Gate(out.beta[order], out.w1[order]))
    for i in range(0, 200, 40):
        one = slice(i, i + 1)
        alone = operator(Gate(gate.beta[one], gate.w1[one]), threshold[i])
        torch.testing.assert_close(alone, Gate(out.beta[one], out.w1[one]))


@every_operator
def test_hidden_units_do_not_have_an_order(operator: Prox):
    gate, threshold = varied_gate(), torch.tensor(0.5)
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    out = operator(gate, threshold)
    permuted = operator(Gate(gate.beta, gate.w1[:, order]), threshold)
    torch.testing.assert_close(permuted, Gate(out.beta, out.w1[:, order]))


@every_operator
@pytest.mark.parametrize("c", [1, 2])
def test_removal_is_complete_if_and_only_if_declared_exact(operator: Prox, c: int):
    out = operator(varied_gate(c), torch.tensor(1.0))
    removed = ~out.support()
    assert removed.any()
    assert bool((out.w1[removed] == 0).all()) == operator.exact


@every_operator
@pytest.mark.parametrize("c", [1, 2])
def test_hierarchy_holds_if_and_only_if_declared_exact(operator: Prox, c: int):
    out = operator(varied_gate(c), torch.tensor(1.0))
    M = getattr(operator, "M", 10.0)
    largest = out.w1.abs().amax(dim=1)
    alive = out.support()
    bound = torch.where(alive, M * out.norm(), 0.0)
    assert bool((largest <= bound).all()) == operator.exact


def test_joint_operator_can_raise_beta():
    gate = Gate(torch.tensor([[0.1]]), torch.tensor([[3.0, 3.0]]))
    assert JointHierProx(M=1.0)(gate, torch.tensor(0.5)).beta.item() > 1


@every_operator
def test_device_is_kept(operator: Prox):
    gate = Gate(torch.empty(3, 2, device="meta"), torch.empty(3, 4, device="meta"))
    out = operator(gate, torch.empty(3, device="meta"))
    assert {x.device.type for x in out} == {"meta"}


@every_operator
def test_infinite_threshold_removes_everything(operator: Prox):
    out = operator(varied_gate(), torch.tensor(math.inf))
    assert out.support().any() == isinstance(operator, NoProx)


@pytest.mark.parametrize("operator", [SequentialHierProx(), JointHierProx()], ids=str)
def test_threshold_zero_is_not_neutral(operator: Prox):
    gate = Gate(torch.tensor([[0.1]]), torch.tensor([[0.5, 3.0]]))
    assert not torch.equal(operator(gate, torch.tensor(0.0)).w1, gate.w1)


@pytest.mark.parametrize("operator", [ConvexHierProx(), NoProx()], ids=str)
def test_threshold_zero_is_neutral(operator: Prox):
    gate = varied_gate()
    out = operator(gate, torch.tensor(0.0))
    assert torch.equal(out.beta, gate.beta)
    assert torch.equal(out.w1, gate.w1)


@every_operator
def test_operators_are_values(operator: Prox):
    twin = dataclasses.replace(operator)
    assert twin == operator
    assert hash(twin) == hash(operator)
    with pytest.raises(dataclasses.FrozenInstanceError):
        operator.M = 1.0
