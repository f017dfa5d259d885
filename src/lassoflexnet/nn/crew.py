"""Several networks of the same features, trained as one: every layer of all is one operation.

Made by training where networks are small: much of a step is then the number of its operations,
which is that of one network. Each network's outputs depend on its own weights and rows alone.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from lassoflexnet.codes import Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn.mlp import MLP
from lassoflexnet.nn.network import Network, SplitParameters, split_parameters
from lassoflexnet.nn.stacked import apart, repeated, side_by_side


def can_be_crew(network: Network) -> bool:
    """Whether networks of this kind can be trained as one."""
    plain = network.precision is torch.float32
    return plain and network.stacks


class Crew(nn.Module):
    """k networks side by side: codes of n rows for each, (k * p, n) -> outputs (k, n, c)."""

    def __init__(self, networks: Sequence[Network]) -> None:
        super().__init__()
        first, self.n_networks = networks[0], len(networks)
        self.layout, self.tau = repeated(first.layout, self.n_networks), first.tau
        self.embedding = side_by_side([one.embedding for one in networks])
        self.embedding.set_layout(self.layout)
        skips = [one.skip for one in networks]
        self.skip_weight = nn.Parameter(torch.stack([skip.weight.detach() for skip in skips]))
        self.intercept = nn.Parameter(torch.stack([skip.intercept.detach() for skip in skips]))
        backbones = [cast("MLP", one.backbone) for one in networks]
        self.backbone = backbones[0].stack(backbones)

    def forward(self, codes: Codes) -> Tensor:
        """Predict on the link scale."""
        z = self.embedding(codes)
        pooled = z.mean(dim=-1).unflatten(0, (self.n_networks, -1)).transpose(1, 2)
        skip = torch.baddbmm(self.intercept[:, None], pooled, self.skip_weight)
        return skip + self.tau * self.backbone(z)

    def gate(self) -> Gate:
        """Skip and first-layer weights of all, one row per feature (views, not copies)."""
        n = self.layout.n_features
        first = self.backbone.w1.detach()
        return Gate(self.skip_weight.detach().flatten(0, 1), first.view(n, -1))

    @torch.no_grad()
    def set_gate(self, gate: Gate) -> None:
        """Overwrite the gate's weights in place."""
        current = self.gate()
        current.beta.copy_(gate.beta)
        current.w1.copy_(gate.w1)

    def set_moments(self, codes: Codes) -> None:
        """Set the embedding's normalisation to the statistics of these rows."""
        self.embedding.set_moments(codes)

    def split_parameters(self) -> SplitParameters:
        """Parameters by what an optimiser has to know of them, as in a network."""
        return split_parameters(self)

    @torch.no_grad()
    def copy_to(self, network: Network, number: int) -> None:
        """Give a network the weights of the one with this number."""
        apart(self.embedding, network.embedding, number, self.n_networks)
        network.skip.weight.copy_(self.skip_weight[number])
        network.skip.intercept.copy_(self.intercept[number])
        self.backbone.copy_to(cast("MLP", network.backbone), number)
