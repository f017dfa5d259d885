"""Copies of what training changes, so that it can go back, and whether they are worth it.

Used by stages after every epoch, so it has to be quick; ``copy.deepcopy`` is not.
"""

from typing import Any

import torch
from torch import Tensor


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
    if isinstance(state, Tensor):
        return bool(torch.isfinite(state).all())
    if isinstance(state, dict):
        return all(map(is_finite, state.values()))
    return all(map(is_finite, state)) if isinstance(state, (list, tuple)) else True
