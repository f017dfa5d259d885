"""The first layer: a linear map of each feature's code.

Called by the embeddings. Linear on piecewise linear codes is a linear spline
(paper, theorem "spline equivalence"), so a row needs one knot value and one
slope per piece, whatever the number of bins.
"""

import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.nn.per_feature import uniform_parameter


class CodeLinear(nn.Module):
    """Per-feature linear map of codes: (p, n) slots and fractions -> (d, n, d_out).

    Equals ``dense_codes(codes, layout) @ weight + bias``, evaluated without the
    dense codes.
    """

    per_feature = ("weight", "bias")
    decayed = ("weight",)
    row_of_piece: Tensor
    ordered: Tensor
    feature: Tensor

    def __init__(self, layout: CodeLayout, d_out: int) -> None:
        super().__init__()
        d, k = layout.n_features, layout.max_slots
        self.weight = uniform_parameter(d, k, d_out, fan_in=k)
        self.bias = uniform_parameter(d, 1, d_out, fan_in=k)
        self.set_layout(layout)

    def set_layout(self, layout: CodeLayout) -> None:
        """Note where each piece's slots lie in the weight."""
        device = self.weight.device
        feature = torch.tensor(layout.feature, dtype=torch.long, device=device)
        ordered = torch.zeros(layout.n_features, layout.max_slots, 1, device=device)
        for f, start, n in zip(layout.feature, layout.offset, layout.n_ordered, strict=True):
            assert n == 0 or start == 0, "the ordered piece comes first in its feature"
            ordered[f, start : start + n] = 1.0
        self.register_buffer("feature", feature, persistent=False)
        # Counted in Python: to multiply on the meta device, torch would load its compiler.
        first = [[f * layout.max_slots] for f in layout.feature]
        row_of_piece = torch.tensor(first, dtype=torch.long, device=device).view(-1, 1)
        self.register_buffer("row_of_piece", row_of_piece, persistent=False)
        self.register_buffer("ordered", ordered, persistent=False)

    def forward(self, codes: Codes) -> Tensor:
        """Look the codes up in a table of today's weights."""
        pieces = _looked_up(codes, self.table(), self.row_of_piece)
        if len(self.feature) == len(self.bias):
            return pieces + self.bias
        return self.bias.expand(-1, pieces.shape[1], -1).index_add(0, self.feature, pieces)

    def table(self) -> Tensor:
        """Values at left knots, and slopes: (slots of all features, 2 d_out)."""
        knots = (self.weight.cumsum(dim=1) - self.weight) * self.ordered
        return torch.cat([knots, self.weight], dim=-1).flatten(0, 1)

    def finished(self) -> "CodeTable":
        """The same map, never to be trained again."""
        return CodeTable(self)


class CodeTable(nn.Module):
    """What is left of a ``CodeLinear`` that has its final weights: the table of them."""

    table: Tensor
    row_of_piece: Tensor
    feature: Tensor

    def __init__(self, layer: CodeLinear) -> None:
        super().__init__()
        n_pieces = torch.bincount(layer.feature, minlength=len(layer.bias))
        self.n_features, self.is_summed = len(layer.bias), len(layer.feature) > len(layer.bias)
        self.register_buffer("table", layer.table().detach())
        # A row adds up as many knots as a feature has pieces: each has its share of the bias.
        knots, _ = self.table.unflatten(0, layer.weight.shape[:2]).chunk(2, dim=-1)
        knots += layer.bias.detach() / n_pieces[:, None, None]
        self.register_buffer("row_of_piece", layer.row_of_piece)
        self.register_buffer("feature", layer.feature)

    def forward(self, codes: Codes) -> Tensor:
        """Look the codes up."""
        pieces = _looked_up(codes, self.table, self.row_of_piece)
        if not self.is_summed:
            return pieces
        empty = pieces.new_zeros(self.n_features, *pieces.shape[1:])
        return empty.index_add_(0, self.feature, pieces)


def _looked_up(codes: Codes, table: Tensor, row_of_piece: Tensor) -> Tensor:
    """Value at the slot's left knot plus fraction times the slot's weight: (p, n, d_out)."""
    at = codes.slot + row_of_piece
    # Neither an embedding, whose gradient takes three times as long, nor two slices, the
    # gradient of each of which would be a tensor of the size of both.
    rows = table.index_select(0, at.flatten()).view(*at.shape, table.shape[1])
    knots, slopes = rows.chunk(2, dim=-1)
    return torch.addcmul(knots, codes.fraction[..., None], slopes)
