"""Predictions in chunks, and errors per row.

Used by stages, the choice on the path and the estimators.
"""

import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.nn import Network
from lassoflexnet.training.data import Rows
from lassoflexnet.training.tasks import RowMetric

# Chunks of this size stay in the cache; one large call is several times slower.
CHUNK_ROWS = 2048


@torch.no_grad()
def predict(network: Network, codes: Codes) -> Tensor:
    """Outputs on the link scale: (n, c)."""
    if network.training:
        network.eval()
    starts = range(0, max(codes.n_rows, 1), CHUNK_ROWS)
    return torch.cat([network(codes.rows(slice(i, i + CHUNK_ROWS))) for i in starts])


def row_errors(network: Network, rows: Rows, metric: RowMetric) -> Tensor:
    """Error of each row: (n,)."""
    return metric(predict(network, rows.codes), rows.target)


def weighted_mean(errors: Tensor, weight: Tensor) -> float:
    """Mean error in double precision, honouring the rows' weights."""
    weight = weight.double()
    return float((errors.double() * weight).sum() / weight.sum())
