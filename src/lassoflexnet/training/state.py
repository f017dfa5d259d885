"""Copies of what training changes, so that it can go back, and whether they are worth it.

Used by stages after every epoch, so it has to be quick; ``copy.deepcopy`` is not.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

# Tensors with fewer numbers are looked at together: a call for each takes longer than the look.
FEW = 1 << 14


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
    # Zero times a number is zero unless it is not finite; `isfinite` takes five passes.
    return all(float((x * 0).sum()) == 0 for x in gathered(tensors_of(state)))


def gathered(tensors: Iterable[Tensor]) -> list[Tensor]:
    """The numbers that may fail to be finite, those of small tensors of a kind in one tensor."""
    large, small = list[Tensor](), defaultdict[Any, list[Tensor]](list)
    for x in tensors:
        if x.is_floating_point():
            (large if x.numel() >= FEW else small[x.dtype, x.device]).append(x.flatten())
    return [*large, *map(torch.cat, small.values())]


def tensors_of(state: Any) -> Iterator[Tensor]:
    """Every tensor in such a state."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, (dict, list, tuple)):
        for value in state.values() if isinstance(state, dict) else state:
            yield from tensors_of(value)
