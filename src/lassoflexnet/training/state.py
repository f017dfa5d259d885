"""Copies of what training changes, so that it can go back, and whether they are worth it.

Used by stages after every epoch, so it has to be quick; ``copy.deepcopy`` is not.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import get_total_norm


def copied(state: Any) -> Any:
    """Nested dicts, lists and (named) tuples with every tensor cloned, other values as they are."""
    if isinstance(state, Tensor):
        return state.detach().clone()
    if isinstance(state, dict):
        return {name: copied(value) for name, value in state.items()}
    if isinstance(state, tuple):
        parts = [copied(value) for value in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return [copied(value) for value in state] if isinstance(state, list) else state


def is_finite(state: Any) -> bool:
    """Whether every tensor in such a state has finite numbers alone."""
    numbers = [x for x in tensors_of(state) if x.is_floating_point() and x.numel()]
    # One answer for all of them costs less than one for each, on a GPU most of all.
    return bool(torch.isfinite(get_total_norm(numbers, math.inf)))


def tensors_of(state: Any) -> Iterator[Tensor]:
    """Every tensor in such a state."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, (dict, list, tuple)):
        for value in state.values() if isinstance(state, dict) else state:
            yield from tensors_of(value)
