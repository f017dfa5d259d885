"""What features are worth: against revealing them one by one, row by row."""

import pytest
import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training import Rows
from lassoflexnet.training import worth as module
from lassoflexnet.training.tasks import RowMetric, squared_error
from lassoflexnet.training.worth import contributions, worth
from tests.nn.makers import close_gate
from tests.training.test_knockout import TASKS, every_task, make, weighted


def slow(network: Network, data: Rows, loss: RowMetric, n_orders: int) -> Tensor:
    """Each row by itself, with the same draws."""
    draws = torch.Generator().manual_seed(0)
    z = network.embedding(data.codes).detach()
    d, n, _ = z.shape
    total = torch.zeros(n, d)
    for _ in range(n_orders):
        order = torch.rand(d, n, generator=draws).argsort(dim=0)
        for reverse in (False, True):
            others = torch.randperm(n, generator=draws)
            for row in range(n):
                sequence = order[:, row].tolist()
                known = z[:, others[row]].clone()
                errors = [_error(network, known, data, row, loss)]
                for feature in reversed(sequence) if reverse else sequence:
                    known[feature] = z[feature, row]
                    errors.append(_error(network, known, data, row, loss))
                    total[row, feature] += (errors[-2] - errors[-1]) / (2 * n_orders)
    return total


def _error(network: Network, tokens: Tensor, data: Rows, row: int, loss: RowMetric) -> float:
    error = loss(network.head(tokens[:, None]), data.target[row : row + 1])
    return float((error * data.weight[row]).detach())


@every_task
@pytest.mark.parametrize("n_orders", [1, 2])
def test_rows_one_by_one(n_outputs: int, loss: RowMetric, target: Tensor, n_orders: int):
    network, data = make(n_outputs, target)
    found = contributions(network, data, loss, n_orders)
    torch.testing.assert_close(found, slow(network, data, loss, n_orders), atol=1e-5, rtol=1e-4)


def test_contributions_of_a_row_add_up(monkeypatch: pytest.MonkeyPatch):
    """To the error with the tokens of another row, less that with its own; so in chunks."""
    network, data = make(1, TASKS[0][2])
    monkeypatch.setattr(module, "chunk_rows", lambda _: 1)
    alone = contributions(network, data, squared_error, 1)
    assert alone.abs().max() == 0.0, "a row alone has no other"
    monkeypatch.setattr(module, "chunk_rows", lambda _: 2)
    found = contributions(network, data, squared_error, 1)
    assert found.abs().max() > 0.0
    own = weighted(network, data, squared_error).detach()
    pairs = torch.arange(len(own)).view(-1, 2).flip(1).flatten()
    swapped = data._replace(codes=data.codes.rows(pairs))
    other = weighted(network, swapped, squared_error).detach()
    share = found.sum(dim=1) / (other - own)
    assert {round(float(s), 3) for s in share} <= {0.0, 0.5, 1.0}, "neither, one or both times"


def test_feature_behind_a_closed_gate_takes_nothing_off():
    network, data = make(1, TASKS[0][2])
    close_gate(network, [1])
    found = contributions(network, data, squared_error, 1)
    assert found[:, 1].abs().max() == 0.0
    assert found[:, 0].abs().max() > 0.0


def test_of_two_features_that_say_the_same_each_has_its_share():
    """Where taking out either would change nothing, both are worth something."""

    class Twins(torch.nn.Module):
        """Says the first token it finds that is not that of another row."""

        n_tokens = 2

        def embedding(self, codes):
            return codes

        def head(self, z):
            known = (z[0] - z[1]).abs() < 1e-6
            return torch.where(known, z[0], 0.9 * torch.where(z[0].abs() > z[1].abs(), z[0], z[1]))

    class Codes:
        """Two equal tokens of each row."""

        def __init__(self, z):
            self.z = z

        def rows(self, index):
            return self.z[:, index]

    y = torch.randn(500, generator=torch.Generator().manual_seed(1))
    data = Rows(Codes(y.expand(2, -1)[..., None]), y, torch.ones(500))
    found = worth(contributions(Twins(), data, squared_error, 1))
    assert found.min() > 0.1
    assert found.max() < 2 * found.min()


def test_worth_is_the_mean_less_its_standard_error():
    found = torch.tensor([[1.0, 0.0], [3.0, 0.0]])
    assert worth(found).tolist() == pytest.approx([2 - 1 / 2**0.5, 0.0])


def test_network_and_random_numbers_are_left_alone():
    network, data = make(1, TASKS[0][2])
    before, state = network.state_dict(), torch.get_rng_state()
    contributions(network, data, squared_error, 1)
    assert all(torch.equal(x, before[name]) for name, x in network.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert all(p.grad is None for p in network.parameters())
