"""What each feature takes off the error, in any company.

Used by the panel for the weights of lambda. The features of every row come in one by one, in a
random order, and each is credited with what it takes off that row's error when it comes (Shapley
values of the loss). An order and its reverse make a pair, so that a feature comes early as often
as late. Of two features that say the same, each has its share then; taken out of all others,
neither would be missed.
"""

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.data import Rows
from lassoflexnet.training.evaluation import chunk_rows
from lassoflexnet.training.tasks import RowMetric

# Rows read at most, and their tokens: cost is two forward passes per feature and order over them.
MAX_ROWS = 8192
MAX_TOKENS = 1 << 19
FEWEST_ROWS = 512


def telling_rows(n_features: int) -> int:
    """Rows to read.

    >>> [telling_rows(d) for d in (8, 128, 1_000, 10_000)]
    [8192, 4096, 524, 512]
    """
    return max(min(MAX_ROWS, MAX_TOKENS // max(n_features, 1)), FEWEST_ROWS)


def contributions(
    network: Network, rows: Rows, loss: RowMetric, n_orders: int, draws: torch.Generator
) -> Tensor:
    """What each feature takes off each row's weighted error: (n, d).

    A feature that has not come has the token of another row. Were it at its mean instead, the
    network would see rows unlike any, and every feature that comes would seem to help by
    making them more usual.
    """
    network.eval()
    found = rows.weight.new_zeros(rows.n_rows, network.n_tokens)
    # Rows may be sorted by target, and a chunk should have all kinds of other rows.
    shuffled = torch.randperm(rows.n_rows, generator=draws).to(found.device)
    for some in shuffled.tensor_split(-(-rows.n_rows // chunk_rows(network.n_tokens)) or 1):
        found[some] = _contributions(network, rows.at(some), loss, n_orders, draws)
    return found


@torch.no_grad()
def _contributions(
    network: Network, rows: Rows, loss: RowMetric, n_orders: int, draws: torch.Generator
) -> Tensor:
    z = network.embedding(rows.codes)
    d, n, _ = z.shape
    each, total = torch.arange(n, device=z.device), z.new_zeros(d, n)
    for _ in range(n_orders):
        order = torch.rand(d, n, generator=draws).argsort(dim=0).to(z.device)
        for coming in (order, order.flip(0)):
            known = z.roll(_apart(n, draws), dims=1)
            before = loss(network.head(known), rows.target)
            for feature in coming:
                known[feature, each] = z[feature, each]
                after = loss(network.head(known), rows.target)
                total[feature, each] += before - after
                before = after
    return (total * rows.weight / (2 * n_orders)).t()


def _apart(n: int, draws: torch.Generator) -> int:
    """How far off another row is, of n."""
    return int(torch.randint(1, max(n, 2), (), generator=draws))


def lower_bound(found: Tensor) -> Tensor:
    """Mean over rows (n, ...), less its standard error: (...).

    What rows cannot tell from nothing is nothing.
    """
    return found.mean(dim=0) - found.std(dim=0, correction=0) / len(found) ** 0.5
