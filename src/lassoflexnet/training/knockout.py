"""What a trained network loses without a feature: take it out and look.

Used after the dense stage, for the weights and the range of lambda, and for importances.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from lassoflexnet.gate import row_norm
from lassoflexnet.nn import Network
from lassoflexnet.training.constant import best_constant, slopes
from lassoflexnet.training.data import Rows
from lassoflexnet.training.evaluation import chunk_rows
from lassoflexnet.training.tasks import RowMetric
from lassoflexnet.training.worth import lower_bound

# Rows used at most: cost is one forward pass per feature over these rows.
MAX_ROWS = 4096


class Knockout(NamedTuple):
    """Per feature, with it alone taken out (its token set to its mean, zero).

    Attributes
    ----------
    rise : Tensor, shape (d,)
        Rise of the mean error.
    sure : Tensor, shape (d,)
        The same less its standard error over rows.
    pull : Tensor, shape (d,)
        Size of the gradient of the loss with respect to the feature's skip weight at
        zero: the lambda that would hold it there.
    """

    rise: Tensor
    sure: Tensor
    pull: Tensor


def knock_out(network: Network, rows: Rows, loss: RowMetric) -> Knockout:
    """Take out each feature in turn."""
    network.eval()
    rows = rows.at(slice(0, MAX_ROWS))
    size = chunk_rows(network.layout.n_features)
    chunks = [rows.at(slice(i, i + size)) for i in range(0, rows.n_rows, size)]
    with torch.no_grad():
        tokens = [network.embedding(chunk.codes) for chunk in chunks]
    pairs = list(zip(tokens, chunks, strict=True))
    intact = torch.cat([_without(network, z, None, chunk, loss)[0] for z, chunk in pairs])
    rises, sures, pulls = [], [], []
    for j in range(network.layout.n_features):
        parts = [_without(network, z, j, chunk, loss) for z, chunk in pairs]
        difference = torch.cat([e for e, _ in parts]) - intact
        rises.append(difference.mean())
        sures.append(lower_bound(difference))
        pulls.append(torch.stack([g for _, g in parts]).sum(dim=0) / rows.n_rows)
    return Knockout(torch.stack(rises), torch.stack(sures), row_norm(torch.stack(pulls)))


def _without(
    network: Network, z: Tensor, j: int | None, rows: Rows, loss: RowMetric
) -> tuple[Tensor, Tensor]:
    """Weighted errors (n,) without feature j, and the summed gradient for its skip weight (c,)."""
    cut = z.clone()
    cut[slice(0, 0) if j is None else j] = 0.0
    with torch.no_grad():
        outputs = network.head(cut)
    outputs.requires_grad_()
    errors = loss(outputs, rows.target) * rows.weight
    (slope,) = torch.autograd.grad(errors.sum(), outputs)
    pooled = z.mean(dim=-1)[0 if j is None else j]
    return errors.detach(), pooled @ slope


def largest_pull(network: Network, rows: Rows, loss: RowMetric) -> Tensor:
    """Pull of each feature on a network without any: (d,).

    The constant in its place is the best one.
    """
    rows = rows.at(slice(0, MAX_ROWS))
    network.eval()
    size = chunk_rows(network.layout.n_features)
    chunks = [rows.codes.rows(slice(i, i + size)) for i in range(0, rows.n_rows, size)]
    with torch.no_grad():
        pooled = torch.cat([network.embedding(codes).mean(dim=-1) for codes in chunks], dim=1)
    constant = best_constant(rows, loss, network.gate().beta.shape[1])
    slope = slopes(constant.expand(rows.n_rows, -1), rows, loss)
    return row_norm(pooled @ (slope * rows.weight[:, None]) / rows.n_rows)
