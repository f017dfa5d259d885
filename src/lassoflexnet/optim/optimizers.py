"""Optimisers as parts: frozen settings that build a torch optimiser.

Used by recipes; a stage of training gets one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor
from torch.optim import SGD, AdamW, Optimizer

from lassoflexnet.optim.hypergradient import HypergradientAdamW

Parameters = Sequence[Tensor]


def _groups(decayed: Parameters, others: Parameters, weight_decay: float) -> list[dict]:
    return [
        {"params": list(others), "weight_decay": 0.0},
        {"params": list(decayed), "weight_decay": weight_decay},
    ]


@dataclass(frozen=True)
class AdamWSettings:
    """AdamW; weight decay acts on the decayed parameters only."""

    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    # A weight's step depends on its own gradients alone.
    by_weight: ClassVar[bool] = True

    def build(self, decayed: Parameters, others: Parameters) -> Optimizer:
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return AdamW(groups, lr=self.learning_rate, fused=True)


@dataclass(frozen=True)
class HypergradientAdamSettings:
    """AdamW whose learning rate is adapted by its hypergradient at rate kappa."""

    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    kappa: float = 1e-7
    by_weight: ClassVar[bool] = False

    def build(self, decayed: Parameters, others: Parameters) -> Optimizer:
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return HypergradientAdamW(groups, kappa=self.kappa, lr=self.learning_rate, foreach=True)


@dataclass(frozen=True)
class NesterovSettings:
    """SGD with Nesterov momentum, at a constant rate."""

    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    momentum: float = 0.9
    by_weight: ClassVar[bool] = True

    def build(self, decayed: Parameters, others: Parameters) -> Optimizer:
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return SGD(
            groups, lr=self.learning_rate, momentum=self.momentum, nesterov=True, foreach=True
        )


OptimizerSettings = AdamWSettings | HypergradientAdamSettings | NesterovSettings
"""Every optimiser that can be asked for."""
