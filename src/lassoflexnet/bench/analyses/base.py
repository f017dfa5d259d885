"""What an analysis is, and how its series are written down.

Every analysis is a frozen dataclass of its settings; runs call ``carry_out``.
"""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

DIGITS = 5
"""Decimals of series in result files."""


class Found(NamedTuple):
    """What an analysis has found; as a dictionary, the body of a result file.

    Attributes
    ----------
    scores : dict
        Numbers by name; the first is what tables show.
    facts : dict
        Series and whatever a figure needs; must be JSON.
    """

    scores: dict[str, float]
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Scores and facts by these names."""
        return {"scores": self.scores, "facts": self.facts}


class Analysis(Protocol):
    """A frozen dataclass of settings.

    ``carry_out`` gives "scores" and "facts", uses one thread, and is the same for the same
    seed; ``data`` is the folder of data sets. ``fingerprint`` names what our own method's
    defaults were, None if they do not matter.
    """

    def carry_out(self, seed: int, data: Path | None) -> dict[str, Any]: ...  # noqa: D102
    def fingerprint(self) -> str | None: ...  # noqa: D102


def rounded(values: Any) -> Any:
    """Nested lists of rounded numbers; what is not finite is None, since JSON has no NaN.

    >>> rounded([[1 / 3, float("nan")]])
    [[0.33333, None]]
    """
    numbers = np.round(np.asarray(values, dtype=float), DIGITS)
    found = numbers.astype(object)
    found[~np.isfinite(numbers)] = None
    return found.tolist()
