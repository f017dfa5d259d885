"""Threshold rules: how lambda becomes the threshold of one step.

Called by the proximal optimizer, which knows learning rate and step sizes.

The paper writes the threshold in three ways: lambda (Algorithm 2), lambda times
the learning rate (appendix, "Update Algorithm"), and lambda times the step size of
the coordinate (Proximal Adam). They are the first three parts; only the third
has the Lasso solution as its fixed point under Adam.
"""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


class ThresholdRule(Protocol):
    """What every rule is: lambda, learning rate and step sizes (d,) -> () or (d,)."""

    def __call__(self, lam: float, learning_rate: float, step_size: Tensor) -> Tensor:
        """Threshold of this step, with dtype and device of ``step_size``."""
        ...


@dataclass(frozen=True)
class PlainThreshold:
    """``lambda`` itself, whatever the step."""

    def __call__(
        self,
        lam: float,
        learning_rate: float,  # noqa: ARG002
        step_size: Tensor,
    ) -> Tensor:
        """Threshold of this step: ()."""
        return step_size.new_tensor(lam)


@dataclass(frozen=True)
class ByLearningRate:
    """``lambda * eta``: right for SGD, where every coordinate has the same step."""

    def __call__(self, lam: float, learning_rate: float, step_size: Tensor) -> Tensor:
        """Threshold of this step: ()."""
        return step_size.new_tensor(lam * learning_rate)


@dataclass(frozen=True)
class ByCoordinate:
    """``lambda * eta_i`` with the step size of each feature (paper, "Proximal Adam")."""

    def __call__(
        self,
        lam: float,
        learning_rate: float,  # noqa: ARG002
        step_size: Tensor,
    ) -> Tensor:
        """Threshold of this step: (d,)."""
        return lam * step_size


@dataclass(frozen=True)
class HybridThreshold:
    """A blend of ``ByCoordinate`` (with weight ``share``) and ``ByLearningRate``.

    The paper's ablation names a "Hybrid Adaptive Lambda" and never defines it:
    this is our guess.
    """

    share: float = 0.5

    def __call__(self, lam: float, learning_rate: float, step_size: Tensor) -> Tensor:
        """Threshold of this step: (d,)."""
        return lam * (self.share * step_size + (1 - self.share) * learning_rate)
