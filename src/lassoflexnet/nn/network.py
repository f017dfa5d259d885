"""The network: skip(z_bar) + tau * backbone(z).

Built by ``assembly``; trained by ``training``; its gate is what lambda acts on.
"""

from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn.embeddings import Embedding
from lassoflexnet.nn.mixer import Mixer
from lassoflexnet.nn.mlp import MLP
from lassoflexnet.nn.skip import NoSkip, TiedGroupSkip

# Inner weights of torch's own layers; ours name theirs in ``decayed``.
DECAYED: dict[type, tuple[str, ...]] = {nn.Linear: ("weight",)}


class Network(nn.Module):
    """Codes of n rows -> outputs on the link scale, (n, c) (paper, eq. "lassoflexnet_tau").

    ``factor`` is what a committee multiplies its members' outputs by; one network is as sure as
    it is.
    """

    factor: ClassVar[float] = 1.0

    def __init__(
        self,
        layout: CodeLayout,
        embedding: Embedding,
        skip: TiedGroupSkip | NoSkip,
        backbone: Mixer | MLP,
        tau: float,
        precision: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.precision = precision
        self.layout = layout
        self.embedding = embedding
        self.skip = skip
        self.backbone = backbone
        self.tau = tau

    def forward(self, codes: Codes) -> Tensor:
        """Predict on the link scale."""
        return self.head(self.embedding(codes))

    def head(self, z: Tensor) -> Tensor:
        """Tokens -> outputs: (d, n, e) -> (n, c)."""
        return self.skip(z.mean(dim=-1)) + self.tau * self._interactions(z)

    def _interactions(self, z: Tensor) -> Tensor:
        """The backbone, in the precision asked for; everything else is not touched by it.

        Codes and embeddings have steps too fine for bfloat16, and the sums and the gate
        are what lambda acts on.
        """
        if self.precision is torch.float32:
            return self.backbone(z)
        with torch.autocast(z.device.type, dtype=self.precision):
            return self.backbone(z).to(z.dtype)

    def gate(self) -> Gate:
        """Skip and first-layer weights, one row per feature (views, not copies)."""
        return Gate(self.skip.weight.detach(), self.backbone.gated_weight.detach())

    def gate_parameter(self) -> Tensor:
        """Skip weights as the optimiser knows them: (d, c)."""
        return self.skip.weight

    @torch.no_grad()
    def set_gate(self, gate: Gate) -> None:
        """Overwrite the gate's weights in place."""
        current = self.gate()
        current.beta.copy_(gate.beta)
        current.w1.copy_(gate.w1)

    @property
    def n_tokens(self) -> int:
        """Tokens that a row has."""
        return self.layout.n_features

    @property
    def stacks(self) -> bool:
        """Whether networks of this kind can be computed as one."""
        return self.backbone.stack is not None and self.skip.stacks

    def finished(self) -> "Network":
        """The network to predict with: in double precision."""
        self.precision = torch.float32
        return self.double()

    def set_moments(self, codes: Codes) -> None:
        """Set the embedding's normalisation to the statistics of these rows."""
        self.embedding.set_moments(codes)

    def keep(self, features: Tensor) -> list[Tensor]:
        """Cut the network down to these features (ascending), in place.

        Parameters stay the same objects with fewer rows, so that optimisers can
        follow. Returns those that were resized.
        """
        self.layout = self.layout.keep(features.numpy())
        self.embedding.set_layout(self.layout)
        resized = []
        for module in self.modules():
            for name in getattr(module, "per_feature", ()):
                tensor = getattr(module, name)
                tensor.data = tensor.data[features]
                tensor.grad = None
                resized.append(tensor)
        return resized

    def split_parameters(self) -> "SplitParameters":
        """Parameters by what an optimiser has to know of them."""
        return split_parameters(self)


class SplitParameters(NamedTuple):
    """All parameters by what an optimiser has to know of them.

    Attributes
    ----------
    decayed, others : list of Tensor
        Those with weight decay (inner weights), and all others (gate, biases and norms).
    matrices : dict
        Those of both that are matrices -> how many leading axes number them, where there are
        several. Rows of a first layer, which are looked up, are not, nor are heads.
    """

    decayed: list[Tensor]
    others: list[Tensor]
    matrices: dict[Tensor, int]


def split_parameters(network: nn.Module) -> SplitParameters:
    """Ask every module of the network for its parameters."""
    decayed = [
        getattr(module, name)
        for module in network.modules()
        for name in DECAYED.get(type(module), getattr(module, "decayed", ()))
    ]
    chosen = {id(p) for p in decayed}
    others: list[Tensor] = [p for p in network.parameters() if id(p) not in chosen]
    matrices: dict[Tensor, int] = {
        module.get_parameter(name): n_axes
        for module in network.modules()
        for name, n_axes in getattr(module, "matrices", {}).items()
    }
    return SplitParameters(decayed, others, matrices)
