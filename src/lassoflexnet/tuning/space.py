"""A search space: parameter names with what each may be, as one value.

Given to ``tune`` and ``run_study``; the studies of random configurations draw from it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lassoflexnet.names import unknown
from lassoflexnet.tuning.ranges import Plain, Range, Trial, range_from_dict, range_to_dict


@dataclass(frozen=True)
class Space:
    """What each parameter may be.

    Attributes
    ----------
    ranges : dict
        Parameter -> ``IntRange``, ``FloatRange``, ``Choice``, ``ZeroOr`` or ``Fixed``.

    Examples
    --------
    >>> from lassoflexnet.tuning import Choice, FloatRange, Space
    >>> space = Space({"tau": FloatRange(0.01, 2.0), "d_hidden": Choice((64, 128))})
    >>> sorted(space.sample(np.random.default_rng(0)))
    ['d_hidden', 'tau']
    """

    ranges: Mapping[str, Range]

    def __post_init__(self) -> None:
        """Copy, so that nobody changes it from outside."""
        object.__setattr__(self, "ranges", dict(self.ranges))

    def suggest(self, trial: Trial) -> dict[str, Plain]:
        """A value for every parameter, as an Optuna trial suggests."""
        return {name: part.suggest(trial, name) for name, part in self.ranges.items()}

    def sample(self, rng: np.random.Generator) -> dict[str, Plain]:
        """A value for every parameter, drawn at random without Optuna."""
        return {name: part.sample(rng) for name, part in self.ranges.items()}

    def changed(self, **ranges: Range) -> "Space":
        """The same space with some parameters replaced or added."""
        return Space({**self.ranges, **ranges})

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries of plain values, each range with its ``kind``."""
        return {name: range_to_dict(part) for name, part in self.ranges.items()}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> "Space":
        """Space that ``to_dict`` described."""
        return Space({name: range_from_dict(part) for name, part in plain.items()})

    def check_names(self, known: Iterable[str], of: str) -> None:
        """Raise if a parameter is none of the known ones of an estimator or method."""
        known = list(known)
        missing = [name for name in self.ranges if name not in known]
        if missing:
            raise unknown(f"parameter of {of} in the space:", missing[0], known)
