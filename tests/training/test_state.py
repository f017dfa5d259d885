"""Copies of nested states."""

import math

import pytest
import torch

from lassoflexnet.gate import Gate
from lassoflexnet.training.state import FEW, copied, gathered, is_finite


def test_every_tensor_is_cloned_and_everything_keeps_its_place():
    x = torch.ones(2, requires_grad=True)
    state = {"a": [x, 3], "b": (Gate(x, x), "text"), 5: None}
    copy = copied(state)
    assert isinstance(copy["b"][0], Gate)
    with torch.no_grad():
        x.zero_()
    for tensor in (copy["a"][0], copy["b"][0].beta, copy["b"][0].w1):
        assert tensor.tolist() == [1.0, 1.0]
        assert not tensor.requires_grad
    assert (copy["a"][1], copy["b"][1], copy[5]) == (3, "text", None)


@pytest.mark.parametrize("few", [1, 6, FEW])
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_one_number_anywhere_makes_a_state_not_finite(number: float, few: int, monkeypatch):
    """Whether tensors are looked at together or one by one."""
    monkeypatch.setattr("lassoflexnet.training.state.FEW", few)
    at = [torch.full((3, 2), 1e38), torch.zeros(()), torch.ones(2, dtype=torch.double)]
    state = {"a": [at[0], 3], "b": (Gate(at[1], at[2]), "text"), 5: None, "n": torch.tensor(7)}
    assert is_finite(state)
    for tensor in at:
        before = tensor.clone()
        tensor.view(-1)[-1] = number
        assert not is_finite(state)
        tensor.copy_(before)
    assert is_finite(state)
    assert is_finite({"nothing": [torch.tensor([1, 2]), torch.empty(0)]})
    assert is_finite({})


def test_small_tensors_are_gathered_by_kind_and_place():
    half, there = torch.ones(2, dtype=torch.float16), torch.ones(2, device="meta")
    numbers = torch.tensor([2**62])
    found = gathered([half, numbers, there, torch.ones(2), torch.ones(3), torch.ones(FEW)])
    kinds = {(x.dtype, x.device.type, x.numel()) for x in found}
    assert kinds == {
        (torch.float16, "cpu", 2),
        (torch.float32, "meta", 2),
        (torch.float32, "cpu", 5),
        (torch.float32, "cpu", FEW),
    }
