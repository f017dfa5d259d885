"""A committee as one network: every layer of all members is one operation.

Made when training is over. A row then costs as many operations as with one network, and a
single row's time is little but the number of operations.
"""

import copy
from collections.abc import Sequence
from typing import TypeVar, cast

import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn.mlp import MLP
from lassoflexnet.nn.network import Network

Part = TypeVar("Part", bound=nn.Module)


class Stacked(nn.Module):
    """Mean of the outputs of networks, times a factor: codes of n rows -> (n, c).

    Embeddings treat the members' features as so many features of one network; ``skip``,
    (k, d * e, c), has a feature's skip weight for each of its channels, so that pooling is no
    step of its own. Equals a ``Committee`` up to rounding.
    """

    beta: Tensor
    skip: Tensor

    def __init__(self, members: Sequence[Network], factor: float = 1.0) -> None:
        super().__init__()
        first, k = members[0], len(members)
        self.layout, self.n_members = first.layout, k
        embedding = side_by_side([member.embedding for member in members])
        embedding.set_layout(repeated(first.layout, k))
        self.embedding = embedding.finished()
        backbones = [cast("MLP", member.backbone) for member in members]
        self.backbone = backbones[0].stack(backbones)
        weights = torch.stack([member.skip.weight.detach() for member in members])
        intercepts = torch.stack([member.skip.intercept.detach() for member in members])
        d_channels = self.backbone.w1.shape[1] // max(first.layout.n_features, 1)
        self.register_buffer("skip", weights.repeat_interleave(d_channels, dim=1))
        self.register_buffer("beta", weights.abs().mean(dim=0))
        self._fold(factor / k, first.tau, d_channels, intercepts)

    @torch.no_grad()
    def _fold(self, share: float, tau: float, d_channels: int, intercepts: Tensor) -> None:
        """Take every constant into weights: sums then are means, and already scaled."""
        self.skip.mul_(share / d_channels)
        weight, bias = self.backbone.layers()[-1]
        weight.mul_(tau * share)
        bias.mul_(tau).add_(intercepts).mul_(share)

    def forward(self, codes: Codes) -> Tensor:
        """Predict on the link scale."""
        # Not `repeat`, which takes longer for a single row.
        slot, fraction = (torch.cat([part] * self.n_members) for part in codes)
        h = self.backbone.flattened(self.embedding(Codes(slot, fraction)))
        return torch.baddbmm(self.backbone.from_flat(h), h, self.skip).sum(dim=0)

    def gate(self) -> Gate:
        """Mean size of the members' skip weights, and all their first-layer weights."""
        k, d = self.n_members, self.layout.n_features
        w1 = self.backbone.w1.detach().view(k, d, -1).transpose(0, 1)
        return Gate(self.beta, w1.flatten(1))

    @property
    def n_tokens(self) -> int:
        """Tokens that a row has."""
        return self.n_members * self.layout.n_features


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


def side_by_side(modules: Sequence[Part]) -> Part:
    """One module with the features of all; what is not per feature is the first one's."""
    made = copy.deepcopy(modules[0])
    for part, *parts in zip(made.modules(), *(m.modules() for m in modules), strict=True):
        for name in getattr(part, "per_feature", ()):
            getattr(part, name).data = torch.cat([getattr(p, name).detach() for p in parts])
    return made


def apart(stacked: nn.Module, module: nn.Module, number: int, k: int) -> None:
    """Give a module the features of the one with this number of k that stand side by side."""
    for ours, theirs in zip(stacked.modules(), module.modules(), strict=True):
        for name in getattr(ours, "per_feature", ()):
            getattr(theirs, name).copy_(getattr(ours, name).tensor_split(k)[number])
