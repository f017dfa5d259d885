"""Predictions in chunks, and errors per row.

Used by stages, the choice on the path and the estimators.
"""

import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.nn import Predictor
from lassoflexnet.training.data import Rows
from lassoflexnet.training.tasks import RowMetric

# Chunks of this size stay in the cache; one large call is several times slower. With many
# columns they have fewer rows, so that their memory stays bounded too.
CHUNK_ROWS = 2048
CHUNK_TOKENS = 1 << 18

# Standard errors of a paired difference by which networks must be better to take a place.
CLEAR = 2.0


def chunk_rows(n_features: int) -> int:
    """Rows per chunk.

    >>> [chunk_rows(d) for d in (8, 128, 1_000, 10_000)]
    [2048, 2048, 262, 64]
    """
    return max(min(CHUNK_ROWS, CHUNK_TOKENS // max(n_features, 1)), 64)


@torch.no_grad()
def predict(network: Predictor, codes: Codes) -> Tensor:
    """Outputs on the link scale: (n, c)."""
    if network.training:
        network.eval()
    size = chunk_rows(network.n_tokens)
    if codes.n_rows <= size:
        return network(codes)
    starts = range(0, codes.n_rows, size)
    return torch.cat([network(codes.rows(slice(i, i + size))) for i in starts])


def row_errors(network: Predictor, rows: Rows, metric: RowMetric) -> Tensor:
    """Error of each row: (n,)."""
    return metric(predict(network, rows.codes), rows.target)


def weighted_mean(errors: Tensor, weight: Tensor) -> float:
    """Mean error in double precision, honouring the rows' weights."""
    weight = weight.double()
    return float((errors.double() * weight).sum() / weight.sum())


def paired_difference(errors: Tensor, others: Tensor, weight: Tensor) -> tuple[float, float]:
    """Mean of errors less others on the same rows, and the standard error of that mean.

    Pairing matters: errors of two networks on the same rows are strongly correlated, so their
    difference is known far better than either.
    """
    share = weight.double() / weight.double().sum()
    difference = (errors - others).double()
    mean = (share * difference).sum()
    error = (share.square() * (difference - mean).square()).sum().sqrt()
    return float(mean), float(error)


def clearly_worse(errors: Tensor, others: Tensor, weight: Tensor, multiple: float) -> bool:
    """Whether errors exceed others on the same rows by more than so many standard errors."""
    mean, error = paired_difference(errors, others, weight)
    return mean > multiple * error
