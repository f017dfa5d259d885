"""Optimisers as parts: frozen settings that build an optimiser.

Used by recipes; a stage of training gets one of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor
from torch.optim import SGD

from lassoflexnet.optim.adamw import FusedAdamW
from lassoflexnet.optim.hypergradient import HypergradientAdamW
from lassoflexnet.optim.muon import Muon
from lassoflexnet.optim.stepper import Optimizer

Parameters = Sequence[Tensor]
Matrices = Mapping[Tensor, int]
"""Parameters that are matrices -> how many leading axes number them; see ``Muon``."""


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
    # A network's step depends on its own gradients alone, where several are optimised as one.
    separable: ClassVar[bool] = True

    def build(self, decayed: Parameters, others: Parameters, matrices: Matrices) -> Optimizer:  # noqa: ARG002
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return FusedAdamW(groups, lr=self.learning_rate)


@dataclass(frozen=True)
class MuonSettings:
    """Muon for matrices, AdamW for everything else.

    Attributes
    ----------
    learning_rate, weight_decay : float
        Of both.
    momentum : float
        Decay of the average of a matrix's gradients.
    n_iterations : int
        Iterations that make a matrix's step orthogonal.
    stride : int
        Matrices move every so many steps, as many times as far: their steps are the dear ones.
    """

    learning_rate: float = 8e-3
    weight_decay: float = 1e-2
    momentum: float = 0.95
    n_iterations: int = 3
    stride: int = 2
    separable: ClassVar[bool] = True

    def build(self, decayed: Parameters, others: Parameters, matrices: Matrices) -> Optimizer:
        """Make the optimiser."""
        return Muon(
            _groups(decayed, others, self.weight_decay),
            matrices,
            momentum=self.momentum,
            n_iterations=self.n_iterations,
            stride=self.stride,
            lr=self.learning_rate,
        )


@dataclass(frozen=True)
class HypergradientAdamSettings:
    """AdamW whose learning rate is adapted by its hypergradient at rate kappa."""

    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    kappa: float = 1e-7
    separable: ClassVar[bool] = False

    def build(self, decayed: Parameters, others: Parameters, matrices: Matrices) -> Optimizer:  # noqa: ARG002
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return HypergradientAdamW(groups, kappa=self.kappa, lr=self.learning_rate, foreach=True)


@dataclass(frozen=True)
class NesterovSettings:
    """SGD with Nesterov momentum, at a constant rate."""

    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    momentum: float = 0.9
    separable: ClassVar[bool] = True

    def build(self, decayed: Parameters, others: Parameters, matrices: Matrices) -> Optimizer:  # noqa: ARG002
        """Make the optimiser."""
        groups = _groups(decayed, others, self.weight_decay)
        return SGD(
            groups, lr=self.learning_rate, momentum=self.momentum, nesterov=True, foreach=True
        )


OptimizerSettings = AdamWSettings | MuonSettings | HypergradientAdamSettings | NesterovSettings
"""Every optimiser that can be asked for."""
