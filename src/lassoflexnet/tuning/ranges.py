"""What one parameter may be: ranges and choices, as values.

Put together in a ``Space``; each can ask an Optuna trial or a random generator.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from lassoflexnet.exceptions import InvalidInput

Plain = None | bool | int | float | str


class Trial(Protocol):
    """What ranges need of an Optuna trial."""

    def suggest_int(self, name: str, low: int, high: int, *, step: int, log: bool) -> int: ...  # noqa: D102
    def suggest_float(self, name: str, low: float, high: float, *, log: bool) -> float: ...  # noqa: D102
    def suggest_categorical(self, name: str, choices: Any) -> Any: ...  # noqa: D102


class Range(Protocol):
    """What a parameter may be."""

    def suggest(self, trial: Trial, name: str) -> Plain:
        """Value that a trial suggests under this name."""

    def sample(self, rng: np.random.Generator) -> Plain:
        """Value drawn with equal chances, of the logarithm if ``log``."""


@dataclass(frozen=True)
class IntRange:
    """Whole numbers from ``low`` to ``high``, both included, every ``step``."""

    low: int
    high: int
    step: int = 1
    log: bool = False

    def __post_init__(self) -> None:
        """Check the ends."""
        _check_ends(self, self.low, self.high, log=self.log)
        if self.step < 1 or (self.log and self.step > 1) or (self.high - self.low) % self.step:
            raise InvalidInput(
                f"`{self}` has a `step` that does not lead from `low` to `high`. "
                "Use one that divides their difference, and 1 with `log`."
            )

    def suggest(self, trial: Trial, name: str) -> int:
        """Value that a trial suggests under this name."""
        return trial.suggest_int(name, self.low, self.high, step=self.step, log=self.log)

    def sample(self, rng: np.random.Generator) -> int:
        """Value drawn with equal chances, of the logarithm if ``log``."""
        if self.log:
            # Half a unit more at either end, so that the ends are drawn as often as they should.
            drawn = rng.uniform(math.log(self.low - 0.5), math.log(self.high + 0.5))
            return min(max(round(math.exp(drawn)), self.low), self.high)
        return self.low + self.step * int(rng.integers((self.high - self.low) // self.step + 1))


@dataclass(frozen=True)
class FloatRange:
    """Numbers from ``low`` to ``high``."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        """Check the ends."""
        _check_ends(self, self.low, self.high, log=self.log)

    def suggest(self, trial: Trial, name: str) -> float:
        """Value that a trial suggests under this name."""
        return trial.suggest_float(name, self.low, self.high, log=self.log)

    def sample(self, rng: np.random.Generator) -> float:
        """Value drawn with equal chances, of the logarithm if ``log``."""
        if self.log:
            drawn = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
            return min(max(drawn, self.low), self.high)
        return float(rng.uniform(self.low, self.high))


@dataclass(frozen=True)
class Choice:
    """One of a few values: numbers, texts, booleans or None."""

    values: tuple[Plain, ...]

    def __post_init__(self) -> None:
        """Check that there is something to choose, and that it can be stored."""
        object.__setattr__(self, "values", tuple(self.values))
        odd = [v for v in self.values if not isinstance(v, Plain)]
        if not self.values or odd:
            raise InvalidInput(
                f"`Choice.values` is {self.values!r}. Use one or more numbers, texts, booleans "
                "or None."
            )

    def suggest(self, trial: Trial, name: str) -> Plain:
        """Value that a trial suggests under this name."""
        return trial.suggest_categorical(name, self.values)

    def sample(self, rng: np.random.Generator) -> Plain:
        """Value drawn with equal chances."""
        return self.values[int(rng.integers(len(self.values)))]


@dataclass(frozen=True)
class ZeroOr:
    """0 in half of the cases, else from a range of its own."""

    range: IntRange | FloatRange

    def suggest(self, trial: Trial, name: str) -> float:
        """Value that a trial suggests; whether it is 0 is a parameter of its own there."""
        is_zero = trial.suggest_categorical(f"{name}:zero", (True, False))
        return 0 if is_zero else self.range.suggest(trial, name)

    def sample(self, rng: np.random.Generator) -> float:
        """Value drawn from either half."""
        return 0 if rng.random() < 0.5 else self.range.sample(rng)


@dataclass(frozen=True)
class Fixed:
    """One value: set in every trial, not searched."""

    value: Plain

    def suggest(self, trial: Trial, name: str) -> Plain:  # noqa: ARG002
        """The value."""
        return self.value

    def sample(self, rng: np.random.Generator) -> Plain:  # noqa: ARG002
        """The value."""
        return self.value


RANGES: dict[str, type] = {
    kind.__name__: kind for kind in (IntRange, FloatRange, Choice, ZeroOr, Fixed)
}
"""Every kind of range by its name."""


def range_to_dict(part: Any) -> dict[str, Any]:
    """Plain values of a range, with its ``kind``; a range inside it likewise."""
    plain: dict[str, Any] = {"kind": type(part).__name__}
    for field in fields(part):
        value = getattr(part, field.name)
        nested = type(value).__name__ in RANGES
        plain[field.name] = range_to_dict(value) if nested else value
    # Lists, so that what is read from JSON or TOML compares equal.
    return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}


def range_from_dict(plain: Mapping[str, Any]) -> Range:
    """Range that ``range_to_dict`` described."""
    given = dict(plain)
    kind = given.pop("kind", None)
    if kind not in RANGES:
        raise InvalidInput(f"`kind` of a range is {kind!r}. Use one of {', '.join(RANGES)}.")
    known = [field.name for field in fields(RANGES[kind])]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(f"`{kind}` has no field `{unknown[0]}`. It has {', '.join(known)}.")
    parts = {k: range_from_dict(v) if isinstance(v, Mapping) else v for k, v in given.items()}
    try:
        return RANGES[kind](**parts)
    except TypeError as error:
        raise InvalidInput(f"`{kind}` lacks a field. It has {', '.join(known)}.") from error


def _check_ends(part: object, low: float, high: float, *, log: bool) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise InvalidInput(f"`{part}` runs from {low} to {high}. Use two numbers, lower first.")
    if log and low <= 0:
        raise InvalidInput(
            f"`{part}` is on a log scale from {low}. Start above 0, or use `ZeroOr`."
        )
