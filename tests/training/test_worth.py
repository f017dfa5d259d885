"""What features are worth: against revealing them one by one, row by row."""

import copy
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training import Rows
from lassoflexnet.training import worth as module
from lassoflexnet.training.tasks import RowMetric, squared_error
from lassoflexnet.training.worth import contributions, lower_bound
from tests.nn.makers import close_gate
from tests.training.test_knockout import TASKS, N, every_task, make, weighted


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def slow(network: Network, data: Rows, loss: RowMetric, n_orders: int) -> Tensor:
    """Each row by itself, with the same draws."""
    draws = seeded()
    z = network.embedding(data.codes).detach()
    d, n, _ = z.shape
    total, shuffled = torch.zeros(n, d), torch.randperm(n, generator=draws)
    for _ in range(n_orders):
        order = torch.rand(d, n, generator=draws).argsort(dim=0)
        for reverse in (False, True):
            others = shuffled.roll(int(torch.randint(1, n, (), generator=draws)))
            for at, row in enumerate(shuffled.tolist()):
                sequence = order[:, at].tolist()
                known = z[:, others[at]].clone()
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
    found = contributions(network, data, loss, n_orders, seeded())
    torch.testing.assert_close(found, slow(network, data, loss, n_orders), atol=1e-5, rtol=1e-4)


def test_chunks_of_rows_that_are_sorted_by_target(monkeypatch: pytest.MonkeyPatch):
    """Other rows are of all kinds, or they would say the same as the row itself."""
    network, data = make(1, TASKS[0][2])
    data = data._replace(target=network(data.codes)[:, 0].detach(), weight=torch.ones(N))
    data = data.at(data.target.argsort())
    whole = contributions(network, data, squared_error, 40, seeded()).mean(dim=0)
    monkeypatch.setattr(module, "chunk_rows", lambda _: 7)
    found = contributions(network, data, squared_error, 40, seeded()).mean(dim=0)
    torch.testing.assert_close(found, whole, atol=0.15 * float(whole.max()), rtol=0.15)


def test_contributions_of_a_row_add_up(monkeypatch: pytest.MonkeyPatch):
    """To what other rows' tokens cost it, on average."""
    network, data = make(1, TASKS[0][2])
    found = contributions(network, data, squared_error, 1, seeded()).sum(dim=1)
    own = weighted(network, data, squared_error).detach()
    outputs = network(data.codes)[:, 0].detach()
    every = (outputs[None] - data.target[:, None]).square() * data.weight[:, None]
    assert (found + own <= every.max(dim=1).values + 1e-4).all()
    assert (found + own >= every.min(dim=1).values - 1e-4).all()
    monkeypatch.setattr(module, "chunk_rows", lambda _: 1)
    alone = contributions(network, data, squared_error, 1, seeded())
    assert alone.abs().max() == 0.0, "a row alone has no other"


def test_feature_behind_a_closed_gate_takes_nothing_off():
    network, data = make(1, TASKS[0][2])
    close_gate(network, [1])
    found = contributions(network, data, squared_error, 1, seeded())
    assert found[:, 1].abs().max() == 0.0
    assert found[:, 0].abs().max() > 0.0


class Twins(torch.nn.Module):
    """Knows the answer as long as either of its two equal features is right."""

    n_tokens = 2

    def embedding(self, codes: Tensor) -> Tensor:
        return codes

    def head(self, z: Tensor) -> Tensor:
        return z.max(dim=0).values


class Two(NamedTuple):
    """Codes that are the tokens of two features, (2, n, 1)."""

    z: Tensor

    def rows(self, index: Tensor) -> Tensor:
        return self.z[:, index]


def test_of_two_features_that_say_the_same_each_has_its_share():
    """Either alone is not missed on rows of the largest answer; together they are."""
    y = torch.cat([torch.zeros(500), torch.ones(500)])
    data = Rows(Two(y.expand(2, -1)[..., None]), y, torch.ones(1000))
    ones = data.target == 1.0
    found = contributions(Twins(), data, squared_error, 1, seeded())[ones].mean(dim=0)
    without_one = torch.stack([torch.zeros(500), torch.ones(500)])[..., None]
    assert squared_error(Twins().head(without_one), torch.ones(500)).max() == 0.0
    assert found.tolist() == pytest.approx([0.25, 0.25], abs=0.05), "half of the half that errs"


def test_lower_bound_is_the_mean_less_its_standard_error():
    found = torch.tensor([[1.0, 0.0], [3.0, 0.0]])
    assert lower_bound(found).tolist() == pytest.approx([2 - 1 / 2**0.5, 0.0])


def test_network_and_random_numbers_are_left_alone():
    network, data = make(1, TASKS[0][2])
    before, state = copy.deepcopy(network.state_dict()), torch.get_rng_state()
    contributions(network, data, squared_error, 1, seeded())
    assert all(torch.equal(x, before[name]) for name, x in network.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert all(p.grad is None for p in network.parameters())


def test_no_rows():
    network, data = make(1, TASKS[0][2])
    none = data.at(slice(0, 0))
    assert contributions(network, none, squared_error, 1, seeded()).shape == (0, 4)


def test_draws_go_on():
    network, data = make(1, TASKS[0][2])
    draws = seeded()
    first, second = (contributions(network, data, squared_error, 1, draws) for _ in range(2))
    assert not torch.equal(first, second)
