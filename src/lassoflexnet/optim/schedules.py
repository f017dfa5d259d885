"""Learning-rate schedules: fraction of a stage done -> multiple of the learning rate.

Used by stages of training; a schedule is a frozen part.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Constant:
    """The learning rate as it is. Leaves a rate that the optimiser adapts itself alone."""

    def __call__(self, done: float) -> float:  # noqa: ARG002
        """Multiple of the learning rate."""
        return 1.0


@dataclass(frozen=True)
class WarmupCosine:
    """Linear rise over the first part of the stage, then half a cosine down to zero."""

    warmup: float = 0.05

    def __call__(self, done: float) -> float:
        """Multiple of the learning rate after a fraction of the stage."""
        rise = min(1.0, done / self.warmup) if self.warmup > 0 else 1.0
        return rise * 0.5 * (1.0 + math.cos(math.pi * min(done, 1.0)))
