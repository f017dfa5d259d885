"""The first layer: a linear map of each feature's code.

Called by the embeddings. Linear on piecewise linear codes is a linear spline
(paper, theorem "spline equivalence"), so a row needs one knot value and one
slope per piece, whatever the number of bins.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.nn.per_feature import uniform_parameter


class CodeLinear(nn.Module):
    """Per-feature linear map of codes: (p, n) slots and fractions -> (d, n, d_out).

    Equals ``dense_codes(codes, layout) @ weight + bias``, evaluated without the
    dense codes. The table of knot values and slopes follows the weights until ``settle``.
    """

    per_feature = ("weight", "bias")
    decayed = ("weight",)
    row_of_piece: Tensor
    ordered: Tensor
    feature: Tensor
    settled: Tensor | None

    def __init__(self, layout: CodeLayout, d_out: int) -> None:
        super().__init__()
        d, k = layout.n_features, layout.max_slots
        self.weight = uniform_parameter(d, k, d_out, fan_in=k)
        self.bias = uniform_parameter(d, 1, d_out, fan_in=k)
        self.register_buffer("settled", None, persistent=False)
        self.set_layout(layout)

    def set_layout(self, layout: CodeLayout) -> None:
        """Note where each piece's slots lie in the weight."""
        device = self.weight.device
        feature = torch.tensor(layout.feature, dtype=torch.long, device=device)
        ordered = torch.zeros(layout.n_features, layout.max_slots, 1, device=device)
        for f, start, n in zip(layout.feature, layout.offset, layout.n_ordered, strict=True):
            assert n == 0 or start == 0, "the ordered piece comes first in its feature"
            ordered[f, start : start + n] = 1.0
        self.one_piece_each = layout.n_pieces == layout.n_features
        self.register_buffer("feature", feature, persistent=False)
        self.register_buffer("row_of_piece", feature[:, None] * layout.max_slots, persistent=False)
        self.register_buffer("ordered", ordered, persistent=False)

    def forward(self, codes: Codes) -> Tensor:
        """Value at the slot's left knot plus fraction times the slot's weight."""
        d_out = self.weight.shape[-1]
        table = self._table() if self.settled is None else self.settled
        rows = F.embedding(codes.slot + self.row_of_piece, table)
        pieces = torch.addcmul(rows[..., :d_out], codes.fraction[..., None], rows[..., d_out:])
        if self.one_piece_each:
            return pieces + self.bias
        return self.bias.expand(-1, pieces.shape[1], -1).index_add(0, self.feature, pieces)

    @torch.no_grad()
    def settle(self) -> None:
        """Work out the table for good: the weights will not change any more."""
        self.settled = self._table()

    def _table(self) -> Tensor:
        """Values at left knots, and slopes: (slots of all features, 2 d_out)."""
        knots = (self.weight.cumsum(dim=1) - self.weight) * self.ordered
        return torch.cat([knots, self.weight], dim=-1).flatten(0, 1)
