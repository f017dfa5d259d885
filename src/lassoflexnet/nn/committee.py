"""Several networks of the same features as one: their outputs are averaged.

Built by the last stage of training; estimators predict with it as with one network.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn.network import Network
from lassoflexnet.nn.stacked import Stacked


class Committee(nn.Module):
    """Mean of its members' outputs on the link scale: codes of n rows -> (n, c).

    ``factor`` multiplies it: below 1, a committee is less sure than its members.
    """

    def __init__(self, members: Sequence[Network], factor: float = 1.0) -> None:
        super().__init__()
        self.factor = factor
        self._members = nn.ModuleList(members)

    @property
    def members(self) -> list[Network]:
        """The networks."""
        return cast("list[Network]", list(self._members))

    @property
    def n_tokens(self) -> int:
        """Tokens that a row has at a time."""
        return self.layout.n_features

    @property
    def layout(self) -> CodeLayout:
        """The members' layout."""
        return self.members[0].layout

    def forward(self, codes: Codes) -> Tensor:
        """Predict on the link scale."""
        outputs = torch.stack([member(codes) for member in self.members])
        return self.factor * outputs.mean(dim=0)

    def gate(self) -> Gate:
        """Mean size of the members' skip weights, and all their first-layer weights.

        Sizes, since the sign of a skip weight means nothing without its embedding, and
        every member has embeddings of its own.
        """
        gates = [member.gate() for member in self.members]
        beta = torch.stack([gate.beta.abs() for gate in gates]).mean(dim=0)
        return Gate(beta, torch.cat([gate.w1 for gate in gates], dim=1))

    def finished(self) -> "Committee | Stacked":
        """The members to predict with: in double precision, and as one if their kind can be."""
        members = [member.finished() for member in self.members]
        return Stacked(members, self.factor) if members[0].stacks else self


Trained = Network | Committee
"""What training leaves."""

Predictor = Trained | Stacked
"""What predicts."""
