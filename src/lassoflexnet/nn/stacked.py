"""A committee of MLPs as one network: every layer of all members is one operation.

Made when training is over. A row then costs as many operations as with one network, and a
single row's time is little but the number of operations.
"""

import copy
from collections.abc import Sequence
from typing import TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn.mlp import MLP
from lassoflexnet.nn.network import Network

Part = TypeVar("Part", bound=nn.Module)


class Stacked(nn.Module):
    """Mean of the outputs of networks with MLP backbones: codes of n rows -> (n, c).

    Embeddings and skip connection treat the members' features as so many features of one
    network. Equals ``Committee(members)`` up to rounding.
    """

    def __init__(self, members: Sequence[Network]) -> None:
        super().__init__()
        first, k = members[0], len(members)
        self.layout = first.layout
        self.n_members, self.tau = k, first.tau
        self.embedding = _side_by_side([member.embedding for member in members])
        self.embedding.set_layout(repeated(first.layout, k))
        self.skip = _side_by_side([member.skip for member in members])
        self.backbone = StackedMLP([m.backbone for m in members if isinstance(m.backbone, MLP)])
        intercepts = [member.skip.intercept.detach() for member in members]
        self.skip.intercept.data = torch.stack(intercepts).mean(dim=0)
        # A sum over all members' features is then a mean over members.
        self.skip.weight.data = self.skip.weight.data / k

    def forward(self, codes: Codes) -> Tensor:
        """Predict on the link scale."""
        k = self.n_members
        z = self.embedding(Codes(codes.slot.repeat(k, 1), codes.fraction.repeat(k, 1)))
        return self.skip(z.mean(dim=-1)) + self.tau * self.backbone(z)

    def gate(self) -> Gate:
        """Mean size of the members' skip weights, and all their first-layer weights."""
        k, d = self.n_members, self.layout.n_features
        beta = self.skip.weight.detach().view(k, d, -1).abs().sum(dim=0)
        w1 = self.backbone.w1.detach().view(k, d, -1).transpose(0, 1)
        return Gate(beta, w1.flatten(1))

    def in_full_precision(self) -> "Stacked":
        """The same in double precision."""
        return self.double()


class StackedMLP(nn.Module):
    """Mean of MLPs, each on tokens of its own: (k * d, n, e) -> (n, c)."""

    w1: Tensor
    b1: Tensor

    def __init__(self, members: Sequence[MLP]) -> None:
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


def repeated(layout: CodeLayout, k: int) -> CodeLayout:
    """The layout k times, one after another.

    >>> repeated(CodeLayout((0, 0), (0, 3), (3, 0), (5,)), 2).feature
    (0, 0, 1, 1)
    """
    d = layout.n_features
    return CodeLayout(
        feature=tuple(f + i * d for i in range(k) for f in layout.feature),
        offset=layout.offset * k,
        n_ordered=layout.n_ordered * k,
        n_slots=layout.n_slots * k,
        padded=layout.max_slots,
    )


def _side_by_side(modules: Sequence[Part]) -> Part:
    """One module with the features of all; what is not per feature is the first one's."""
    made = copy.deepcopy(modules[0])
    for part, *parts in zip(made.modules(), *(m.modules() for m in modules), strict=True):
        for name in getattr(part, "per_feature", ()):
            getattr(part, name).data = torch.cat([getattr(p, name).detach() for p in parts])
    return made
