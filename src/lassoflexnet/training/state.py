"""Copies of what training changes, so that it can go back.

Used by stages after every epoch, so it has to be quick; ``copy.deepcopy`` is not.
"""

from typing import Any

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
