"""The MLP backbone, gated at its first layer.

Called by the network: LassoNet's form, and the paper's MLP ablations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lassoflexnet.nn.dropout import Dropout
from lassoflexnet.nn.per_feature import uniform_parameter


class StackedMLP(nn.Module):
    """Mean of MLPs, each on tokens of its own: (k * d, n, e) -> (n, c)."""

    w1: Tensor
    b1: Tensor

    def __init__(self, members: Sequence["MLP"]) -> None:
        super().__init__()
        layers = [
            [(one.w1.flatten(0, 1), one.b1)]
            + [(linear.weight.t(), linear.bias) for linear in (*one.hidden, one.head)]
            for one in members
        ]
        for at, layer in enumerate(zip(*layers, strict=True), start=1):
            weight, bias = (
                torch.stack([part.detach() for part in parts]) for parts in zip(*layer, strict=True)
            )
            self.register_buffer(f"w{at}", weight)
            self.register_buffer(f"b{at}", bias[:, None])
        self.n_layers = len(layers[0])

    def forward(self, z: Tensor) -> Tensor:
        """Flatten each member's tokens, apply its layers, average."""
        k, n = self.w1.shape[0], z.shape[1]
        x = z.view(k, -1, n, z.shape[-1]).transpose(1, 2).flatten(2)
        for at in range(1, self.n_layers):
            x = F.relu(torch.baddbmm(getattr(self, f"b{at}"), x, getattr(self, f"w{at}")))
        last = self.n_layers
        return torch.baddbmm(getattr(self, f"b{last}"), x, getattr(self, f"w{last}")).mean(dim=0)


class MLP(nn.Module):
    """ReLU network on the flattened tokens: (d, n, e) -> (n, c).

    ``w1`` has one block of e x d_hidden weights per feature.
    """

    per_feature = ("w1",)
    stack = StackedMLP

    def __init__(self, n_features: int, d_channels: int, n_outputs: int, s: "MLPSettings") -> None:
        super().__init__()
        d_in = n_features * d_channels
        self.w1 = uniform_parameter(n_features, d_channels, s.d_hidden, fan_in=d_in)
        self.b1 = uniform_parameter(s.d_hidden, fan_in=d_in)
        self.hidden = nn.ModuleList(
            nn.Linear(s.d_hidden, s.d_hidden) for _ in range(s.n_blocks - 1)
        )
        self.dropout = Dropout(s.dropout)
        self.head = nn.Linear(s.d_hidden, n_outputs)

    @property
    def n_hidden(self) -> int:
        """Hidden units that a row passes."""
        return sum(layer.in_features for layer in (*self.hidden, self.head))

    @property
    def gated_weight(self) -> Tensor:
        """First-layer weights, one row per feature: (d, e * d_hidden)."""
        return self.w1.flatten(1)

    def forward(self, z: Tensor) -> Tensor:
        """Flatten, apply the layers and read out."""
        x = z.transpose(0, 1).flatten(1)
        h = self.dropout(F.relu(torch.addmm(self.b1, x, self.w1.flatten(0, 1))))
        for layer in self.hidden:
            h = self.dropout(F.relu(layer(h)))
        return self.head(h)


@dataclass(frozen=True)
class MLPSettings:
    """Sizes of the MLP: ``n_blocks`` hidden layers of ``d_hidden`` units."""

    n_blocks: int = 3
    d_hidden: int = 256
    dropout: float = 0.1

    def build(self, n_features: int, d_channels: int, n_outputs: int) -> MLP:
        """Make the module."""
        return MLP(n_features, d_channels, n_outputs, self)
