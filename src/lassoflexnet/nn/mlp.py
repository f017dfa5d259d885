"""The MLP backbone, gated at its first layer.

Called by the network: LassoNet's form, and the paper's MLP ablations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lassoflexnet.nn.dropout import Dropout
from lassoflexnet.nn.per_feature import uniform_parameter
from lassoflexnet.products import affine


class StackedMLP(nn.Module):
    """MLPs side by side, each on tokens of its own: (k * d, n, e) -> (k, n, c).

    ``w1``, ``b1``, ``w2``, ... are (k, d_in, d_out) and (k, d_out).
    """

    w1: Tensor

    def __init__(self, members: Sequence["MLP"]) -> None:
        super().__init__()
        layers = list(zip(*(one.layers() for one in members), strict=True))
        for at, layer in enumerate(layers, start=1):
            for letter, tensors in zip("wb", zip(*layer, strict=True), strict=True):
                stacked = torch.stack([tensor.detach() for tensor in tensors])
                self.register_parameter(f"{letter}{at}", nn.Parameter(stacked))
        self.n_layers = len(layers)
        # The first layer is the gate's.
        self.decayed = tuple(f"w{at}" for at in range(2, self.n_layers + 1))
        # The last layer is the head's.
        self.matrices = {f"w{at}": 1 for at in range(1, self.n_layers)}
        self.dropout = members[0].dropout

    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """Weights and biases of every layer."""
        numbers = range(1, self.n_layers + 1)
        return [(getattr(self, f"w{at}"), getattr(self, f"b{at}")) for at in numbers]

    def forward(self, z: Tensor) -> Tensor:
        """Flatten each one's tokens and apply its layers."""
        return self.from_flat(self.flattened(z))

    def flattened(self, z: Tensor) -> Tensor:
        """Each one's tokens of a row side by side: (k * d, n, e) -> (k, n, d * e)."""
        k, n = len(self.w1), z.shape[1]
        return z.unflatten(0, (k, len(z) // k)).transpose(1, 2).reshape(k, n, self.w1.shape[1])

    def from_flat(self, h: Tensor) -> Tensor:
        """Apply the layers: (k, n, d * e) -> (k, n, c)."""
        return _through(self.layers(), self.dropout, h)

    @torch.no_grad()
    def copy_to(self, member: "MLP", number: int) -> None:
        """Give an MLP the weights of the one with this number."""
        for theirs, ours in zip(member.layers(), self.layers(), strict=True):
            for tensor, stacked in zip(theirs, ours, strict=True):
                tensor.copy_(stacked[number])


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
        self.matrices = {"w1": 0, **{f"hidden.{at}.weight": 0 for at in range(s.n_blocks - 1)}}

    @property
    def n_hidden(self) -> int:
        """Hidden units that a row passes."""
        return sum(layer.in_features for layer in (*self.hidden, self.head))

    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """Weight (d_in, d_out) and bias of every layer (views, not copies)."""
        linear = [(layer.weight.t(), layer.bias) for layer in (*self.hidden, self.head)]
        return [(self.w1.flatten(0, 1), self.b1), *linear]

    @property
    def gated_weight(self) -> Tensor:
        """First-layer weights, one row per feature: (d, e * d_hidden)."""
        return self.w1.flatten(1)

    def forward(self, z: Tensor) -> Tensor:
        """Flatten, apply the layers and read out."""
        return _through(self.layers(), self.dropout, z.transpose(0, 1).flatten(1))


def _through(layers: Sequence[tuple[Tensor, Tensor]], dropout: Dropout, h: Tensor) -> Tensor:
    """Apply layers, of one MLP or of several side by side, to flattened tokens."""
    *hidden, (weight, bias) = layers
    for w, b in hidden:
        h = dropout(affine(h, w, b).relu_())
    return affine(h, weight, bias)


@dataclass(frozen=True)
class MLPSettings:
    """Sizes of the MLP: ``n_blocks`` hidden layers of ``d_hidden`` units."""

    n_blocks: int = 3
    d_hidden: int = 256
    dropout: float = 0.1

    def build(self, n_features: int, d_channels: int, n_outputs: int) -> MLP:
        """Make the module."""
        return MLP(n_features, d_channels, n_outputs, self)
