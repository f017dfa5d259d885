"""Weights of lambda: how hard it presses on each feature.

Made once, before the path, from what each feature is worth to networks that have them all.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import torch
from torch import Tensor


class LambdaWeights(Protocol):
    """Worth of each feature (d,) -> positive weights of lambda (d,).

    ``n_orders`` says in how many orders of the features it is to be measured; 0 if not at all.
    """

    @property
    def n_orders(self) -> int: ...  # noqa: D102

    def __call__(self, worth: Tensor) -> Tensor:
        """Weights, at least 1."""
        ...


@dataclass(frozen=True)
class UniformWeights:
    """The same lambda for every feature, as in the paper."""

    n_orders: ClassVar[int] = 0

    def __call__(self, worth: Tensor) -> Tensor:
        """Weights: ones."""
        return torch.ones_like(worth)


@dataclass(frozen=True)
class AdaptiveWeights:
    """(worth / largest worth)^-power, the adaptive Lasso's idea.

    A feature without measurable worth meets the largest weight and leaves first; one
    that matters through interactions alone is not pressed out for its small skip weight.

    Attributes
    ----------
    power : float
        Worth is a loss, so of the order of beta^2: 0.5 makes
        the weight of the order of 1 / beta.
    floor : float
        Smallest worth, as a share of the largest.
    n_orders : int
        Orders in which the features of a row come in when worth is measured, each with its
        reverse.
    """

    power: float = 0.5
    floor: float = 1e-4
    n_orders: int = 1

    def __call__(self, worth: Tensor) -> Tensor:
        """Weights, 1 for the worthiest feature, and for all if none is worth anything."""
        if not worth.max() > 0:
            return torch.ones_like(worth)
        return (worth / worth.max()).clamp_min(self.floor) ** -self.power
