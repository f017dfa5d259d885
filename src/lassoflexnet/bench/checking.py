"""Points to show: a measured value against the bar that it is held to.

Used by the speed benchmark, the evidence and the arena.
"""

from typing import NamedTuple


class Check(NamedTuple):
    """One point to show: a measured value, the bar it is held against, and whether it passes."""

    name: str
    value: float | None
    bar: str
    ok: bool


def at_least(name: str, value: float, bar: float) -> Check:
    """A value that should be large."""
    return Check(name, round(value, 4), f">= {bar:g}", bool(value >= bar))


def at_most(name: str, value: float, bar: float) -> Check:
    """A value that should be small."""
    return Check(name, round(value, 4), f"<= {bar:g}", bool(value <= bar))


def below(name: str, value: float, bar: float) -> Check:
    """A value that must not even reach the bar."""
    return Check(name, round(value, 4), f"< {bar:g}", bool(value < bar))


def met(check: Check) -> str:
    """Whether it has passed: yes, no, or not known without a value."""
    if check.value is None:
        return "not known"
    return "yes" if check.ok else "no"
