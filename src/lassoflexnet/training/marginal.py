"""Marginal scores: how much each column alone tells about what is left to explain.

Used by screening. A column's rows fall into a few groups by its own slots; if the mean
of the residual differs between groups by more than chance, the column scores high.
"""

import torch
from torch import Tensor

from lassoflexnet.codes import CodeLayout, Codes

# Neighbouring bins are joined down to so many groups: few groups find weak effects better,
# and eight still show any bend of a curve.
N_GROUPS = 8

# Cells that are scored in one go; bounds the memory.
CELLS_AT_ONCE = 1 << 22


def marginal_scores(codes: Codes, layout: CodeLayout, residual: Tensor, weight: Tensor) -> Tensor:
    """Score of each feature: (p, n) codes, (n, c) residuals, (n,) weights -> (d,).

    About standard normal for a feature that has nothing to say, large for one that has; of a
    feature with several pieces the largest counts.
    """
    weight = weight.double()
    centred = residual.double() - (weight @ residual.double() / weight.sum())
    feature = torch.tensor(layout.feature, dtype=torch.long, device=codes.slot.device)
    scores = torch.full((layout.n_features,), -torch.inf, dtype=torch.float64)
    at_once = max(CELLS_AT_ONCE // max(codes.n_rows, 1), 1)
    for start in range(0, layout.n_pieces, at_once):
        some = slice(start, start + at_once)
        groups = _groups(codes.slot[some], layout, start)
        scores.scatter_reduce_(
            0, feature[some].cpu(), _scores(groups, centred, weight).cpu(), "amax"
        )
    return scores


def _groups(slot: Tensor, layout: CodeLayout, start: int) -> Tensor:
    """Group of each row in each piece, counted within the piece: (p, n)."""
    stop = start + len(slot)
    ordered = torch.tensor(layout.n_ordered[start:stop], device=slot.device)[:, None]
    own = slot.long() - torch.tensor(layout.offset[start:stop], device=slot.device)[:, None]
    joined = own * N_GROUPS // ordered.clamp_min(1)
    is_ordered = own < ordered
    n_joined = ordered.clamp_max(N_GROUPS)
    joined = torch.where(ordered > N_GROUPS, joined, own)
    return torch.where(is_ordered, joined, own - ordered + n_joined)


def _scores(groups: Tensor, residual: Tensor, weight: Tensor) -> Tensor:
    """Wilson and Hilferty's normal score of the variation between groups: (p,)."""
    n_pieces, n_groups = len(groups), int(groups.max()) + 1
    index = (groups + n_groups * torch.arange(n_pieces, device=groups.device)[:, None]).flatten()

    def total(values: Tensor) -> Tensor:
        sums = torch.bincount(index, values.repeat(n_pieces), n_pieces * n_groups)
        return sums.view(n_pieces, n_groups)

    mass = total(weight)
    between = torch.zeros(n_pieces, dtype=torch.float64, device=groups.device)
    n_outputs = 0
    for r in residual.T:
        # Of a weighted sum, by the weights squared: weights of classes differ by far.
        variance = (weight * r).square().sum() / weight.sum()
        if variance > 0:
            n_outputs += 1
            between += (total(weight * r).square() / mass.clamp_min(1e-12)).sum(dim=1) / variance
    # The residuals of c classes add up to zero: c - 1 of them count, c were added up.
    n_free = max(n_outputs - (n_outputs > 1), 1)
    freedom = ((mass > 0).sum(dim=1) - 1) * n_free
    k = freedom.clamp_min(1).double()
    z = ((between * n_free / max(n_outputs, 1) / k).pow(1 / 3) - (1 - 2 / (9 * k))) / (
        2 / (9 * k)
    ).sqrt()
    return z.where(freedom > 0, -torch.inf)
