"""Copies of what training changes, so that it can go back, and whether they are worth it.

Used by stages after every epoch, so it has to be quick; ``copy.deepcopy`` is not.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

# Tensors with fewer numbers are looked at together: each would take longer to call for than to
# look at.
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
    few, parts = list[Tensor](), list[Tensor]()
    for x in tensors_of(state):
        (few if x.numel() < FEW else parts).append(x.flatten())
    parts += [torch.cat(few)] if few else []
    # Zero times a number is zero unless it is not finite; `isfinite` takes five passes.
    return all(float((x * 0).sum()) == 0 for x in parts)


def tensors_of(state: Any) -> Iterator[Tensor]:
    """Every tensor in such a state."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, (dict, list, tuple)):
        for value in state.values() if isinstance(state, dict) else state:
            yield from tensors_of(value)
