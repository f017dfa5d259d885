"""What each feature is worth: how much it takes off the error, in any company.

Used by the judge for the weights of lambda. To take a feature out of a network that has all
others tells nothing of one that repeats them: each of two alike is worth nothing then, and
both would leave together. Here the features of every row come in one by one, in a random
order, and each is credited with what it takes off that row's error when it comes (Shapley
values of the loss). An order and its reverse make a pair, so that a feature comes early as
often as late.
"""

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.data import Rows
from lassoflexnet.training.evaluation import chunk_rows
from lassoflexnet.training.tasks import RowMetric

# Rows used at most: cost is two forward passes per feature and order over these rows.
MAX_ROWS = 4096


def contributions(network: Network, rows: Rows, loss: RowMetric, n_orders: int) -> Tensor:
    """What each feature takes off each row's weighted error: (n, d).

    A feature that has not come has the token of another row. Were it at its mean instead, the
    network would see rows unlike any, and every feature that comes would seem to help by
    making them more usual. Orders are drawn from a generator of their own: whether worth is
    measured changes nothing else.
    """
    network.eval()
    size, draws = chunk_rows(network.n_tokens), torch.Generator().manual_seed(0)
    chunks = [rows.at(slice(i, i + size)) for i in range(0, rows.n_rows, size)]
    return torch.cat([_contributions(network, chunk, loss, n_orders, draws) for chunk in chunks])


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
            known = z[:, torch.randperm(n, generator=draws).to(z.device)]
            before = loss(network.head(known), rows.target)
            for feature in coming:
                known[feature, each] = z[feature, each]
                after = loss(network.head(known), rows.target)
                total[feature, each] += before - after
                before = after
    return (total * rows.weight / (2 * n_orders)).t()


def worth(found: Tensor) -> Tensor:
    """Mean contribution of each feature over rows (n, d), less its standard error: (d,).

    A feature of which the rows cannot tell that it helps is worth nothing.
    """
    return found.mean(dim=0) - found.std(dim=0, correction=0) / len(found) ** 0.5
