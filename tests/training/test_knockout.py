"""Knocking features out, against closing their gate in a copy of the network."""

import copy

import pytest
import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training import Rows, knockout
from lassoflexnet.training.knockout import Knockout, knock_out, largest_pull
from lassoflexnet.training.tasks import RowMetric, binary_log_loss, log_loss, squared_error
from tests.nn.makers import BACKBONES, MIXED, close_gate, make_network, random_codes, shake
from tests.training.makers import rows

N = 50
torch.manual_seed(0)
TASKS: list[tuple[int, RowMetric, Tensor]] = [
    (1, squared_error, 3 + 2 * torch.randn(N)),
    (1, binary_log_loss, (torch.arange(N) % 3 == 0).long()),
    (3, log_loss, torch.arange(N) ** 2 % 3),
]
every_task = pytest.mark.parametrize(
    ("n_outputs", "loss", "target"), TASKS, ids=["squares", "binary", "three classes"]
)


def make(n_outputs: int, target: Tensor, backbone=BACKBONES[0]) -> tuple[Network, Rows]:
    network = make_network(n_outputs=n_outputs, backbone=backbone)
    shake(network)
    codes, weight = random_codes(MIXED, N), torch.rand(N) + 0.1
    network.set_moments(codes)
    return network.eval(), rows(codes, target, weight / weight.mean())


def weighted(network: Network, data: Rows, loss: RowMetric) -> Tensor:
    return loss(network(data.codes), data.target) * data.weight


def slow(network: Network, data: Rows, loss: RowMetric) -> Knockout:
    """Close one gate at a time; the pull is the gradient at its skip weight."""
    rise, sure, pull = [], [], []
    for j in range(4):
        closed = copy.deepcopy(network)
        close_gate(closed, [j])
        errors = weighted(closed, data, loss)
        difference = (errors - weighted(network, data, loss)).detach()
        rise.append(difference.mean())
        sure.append(rise[-1] - difference.std(correction=0) / len(difference) ** 0.5)
        (gradient,) = torch.autograd.grad(errors.mean(), closed.skip.weight)
        pull.append(gradient[j].norm())
    return Knockout(*(torch.stack(part) for part in (rise, sure, pull)))


@every_task
@pytest.mark.parametrize("backbone", BACKBONES, ids=str)
def test_each_feature_alone(n_outputs: int, loss: RowMetric, target: Tensor, backbone):
    network, data = make(n_outputs, target, backbone)
    for fast, expected in zip(
        knock_out(network, data, loss), slow(network, data, loss), strict=True
    ):
        torch.testing.assert_close(fast, expected, atol=1e-5, rtol=1e-4)


def test_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    network, data = make(1, TASKS[0][2])
    whole = knock_out(network, data, squared_error)
    monkeypatch.setattr(knockout, "chunk_rows", lambda _: 7)
    for a, b in zip(knock_out(network, data, squared_error), whole, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)


def test_only_so_many_rows_are_used(monkeypatch: pytest.MonkeyPatch):
    network, data = make(1, TASKS[0][2])
    monkeypatch.setattr(knockout, "MAX_ROWS", 20)
    first = data.at(slice(0, 20))
    for a, b in zip(
        knock_out(network, data, squared_error), slow(network, first, squared_error), strict=True
    ):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
    part = largest_pull(network, data, squared_error)
    torch.testing.assert_close(part, largest_pull(network, first, squared_error))


def test_weights_and_gradients_of_the_network_are_left_alone():
    network, data = make(1, TASKS[0][2])
    before = copy.deepcopy(network.state_dict())
    knock_out(network, data, squared_error)
    largest_pull(network, data, squared_error)
    assert all(torch.equal(x, before[name]) for name, x in network.state_dict().items())
    assert all(p.grad is None for p in network.parameters())


def test_feature_behind_a_closed_gate_is_not_missed():
    network, data = make(1, TASKS[0][2])
    close_gate(network, [1])
    result = knock_out(network, data, squared_error)
    assert result.rise[1] == result.sure[1] == 0.0
    assert result.pull[1] > 0


def test_largest_pull_of_squares_is_the_covariance_with_the_residual():
    """|2 mean(w r z_bar)| with r the target less its weighted mean."""
    network, data = make(1, TASKS[0][2])
    z_bar = network.embedding(data.codes).mean(dim=-1).detach()
    residual = data.target - (data.weight * data.target).mean()
    expected = (2 * (data.weight * residual * z_bar).mean(dim=1)).abs()
    torch.testing.assert_close(
        largest_pull(network, data, squared_error), expected, atol=1e-4, rtol=1e-3
    )


def test_largest_pull_of_classes_is_the_covariance_with_their_indicator():
    """Norm over classes of mean(w (p_c - [y = c]) z_bar), with p the weighted frequencies."""
    network, data = make(3, TASKS[2][2])
    z_bar = network.embedding(data.codes).mean(dim=-1).detach()
    indicator = torch.nn.functional.one_hot(data.target, 3).float()
    frequency = (data.weight[:, None] * indicator).mean(dim=0)
    slope = data.weight[:, None] * (frequency - indicator) / N
    expected = (z_bar @ slope).norm(dim=1)
    torch.testing.assert_close(
        largest_pull(network, data, log_loss), expected, atol=1e-5, rtol=1e-3
    )


@every_task
def test_largest_pull_does_not_depend_on_head_or_gate(n_outputs: int, loss, target: Tensor):
    network, data = make(n_outputs, target)
    before = largest_pull(network, data, loss)
    shake(network.backbone, seed=2)
    shake(network.skip, seed=3)
    torch.testing.assert_close(largest_pull(network, data, loss), before)


def test_target_far_from_zero():
    network, data = make(1, TASKS[0][2])
    near = largest_pull(network, data, squared_error)
    far = data._replace(target=data.target + 1000)
    torch.testing.assert_close(
        largest_pull(network, far, squared_error), near, rtol=1e-2, atol=1e-3
    )
