"""Copies of nested states."""

import torch

from lassoflexnet.gate import Gate
from lassoflexnet.training.state import copied


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
