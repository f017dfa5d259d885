"""The skip connection: one weight per feature and output on the pooled embedding.

Called by the network; its weights are half of the gate.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lassoflexnet.nn.per_feature import uniform_parameter


class TiedGroupSkip(nn.Module):
    """beta . z_bar plus an intercept without penalty: (d, n) -> (n, c).

    One weight per feature stands for its whole embedding group; with several
    outputs the group is the feature's row of the weight.
    """

    per_feature = ("weight",)
    stacks = True

    def __init__(self, n_features: int, n_outputs: int) -> None:
        super().__init__()
        self.weight = uniform_parameter(n_features, n_outputs, fan_in=n_features)
        self.intercept = nn.Parameter(torch.zeros(n_outputs))

    def forward(self, z_bar: Tensor) -> Tensor:
        """Sum of weighted pooled embeddings."""
        return torch.addmm(self.intercept, z_bar.t(), self.weight)


class NoSkip(nn.Module):
    """An intercept alone (the paper's "Mixer only" ablation).

    Its weight is a constant that keeps every feature alive.
    """

    per_feature = ("weight",)
    stacks = False
    weight: Tensor

    def __init__(self, n_features: int, n_outputs: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.ones(n_features, n_outputs))
        self.intercept = nn.Parameter(torch.zeros(n_outputs))

    def forward(self, z_bar: Tensor) -> Tensor:
        """Return the intercept for every row."""
        return self.intercept.expand(z_bar.shape[1], -1)


@dataclass(frozen=True)
class TiedGroupSkipSettings:
    """The paper's skip connection."""

    def build(self, n_features: int, n_outputs: int) -> TiedGroupSkip:
        """Make the module."""
        return TiedGroupSkip(n_features, n_outputs)


@dataclass(frozen=True)
class NoSkipSettings:
    """No skip connection."""

    def build(self, n_features: int, n_outputs: int) -> NoSkip:
        """Make the module."""
        return NoSkip(n_features, n_outputs)
