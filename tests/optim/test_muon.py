"""Muon: the orthogonal step against singular values, and AdamW for all other weights."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.optim import AdamW

from lassoflexnet.nn import MLPSettings
from lassoflexnet.optim import MuonSettings, muon
from lassoflexnet.optim.muon import STEP, A, B, C, Muon, orthogonal
from lassoflexnet.optim.step_sizes import step_size
from tests.nn.makers import make_network

SHAPES = [(6, 6), (4, 9), (9, 4), (1, 5), (3, 4, 7), (3, 7, 4)]
RATE, DECAY = 0.1, 0.5
SETTINGS = MuonSettings(RATE, DECAY, momentum=0.9, n_iterations=4, stride=1)


def by_singular_values(x: Tensor, n_iterations: int) -> Tensor:
    """The same polynomial, applied to the singular values themselves."""
    u, s, v = torch.linalg.svd(x, full_matrices=False)
    s = s / s.norm(dim=-1, keepdim=True)
    for _ in range(n_iterations):
        s = A * s + B * s**3 + C * s**5
    return u @ torch.diag_embed(s) @ v


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("n_iterations", [1, 5])
def test_singular_values_are_mapped_and_directions_stay(shape, n_iterations):
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(orthogonal(x, n_iterations), by_singular_values(x, n_iterations))


def test_long_matrices_are_turned_as_any_others(monkeypatch):
    x = torch.randn(2, 8, 40, generator=torch.Generator().manual_seed(0))
    # Weak directions, as gradients have them.
    x[:, 1:] = x[:, :1] + 1e-3 * x[:, 1:]
    by_squares = orthogonal(x, 3)
    monkeypatch.setattr(muon, "LONG", 100)
    plainly = orthogonal(x, 3)
    assert not torch.equal(by_squares, plainly)
    torch.testing.assert_close(by_squares, plainly, rtol=1e-4, atol=1e-5)


def test_a_matrix_of_few_directions_stays_bounded():
    """Directions that are not there must not grow out of rounding errors, however often turned."""
    one = torch.randn(8, 1, generator=torch.Generator().manual_seed(0)) @ torch.ones(1, 40)
    assert torch.linalg.svdvals(orthogonal(one, 12)).max() < 1.3


@pytest.mark.parametrize(
    ("n_iterations", "decades"), [(5, 2.0), (SETTINGS.n_iterations, 1.5), (3, 1.0)]
)
def test_strong_and_weak_directions_get_steps_of_a_size(n_iterations, decades):
    values = torch.logspace(-decades, 0, 12).diag()
    found = torch.linalg.svdvals(orthogonal(values, n_iterations))
    assert found.min() > 0.6
    assert found.max() < 1.3


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nothing_moves_without_a_gradient(shape):
    assert torch.equal(orthogonal(torch.zeros(*shape), 5), torch.zeros(*shape))


def steps(optimizer, parameters: list[Tensor], n: int = 3) -> None:
    for t in range(n):
        for p in parameters:
            p.grad = torch.sin(torch.arange(p.numel()) + float(t)).view_as(p)
        optimizer.step()


def parameters() -> list[nn.Parameter]:
    shapes = [(4, 6), (2, 3, 5), (5,), (3, 2)]
    return [nn.Parameter(torch.linspace(-1, 1, torch.Size(s).numel()).view(s)) for s in shapes]


def test_a_matrix_moves_by_the_average_and_is_decayed():
    """Average of the gradients, looked ahead, made orthogonal, in entries of one size."""
    first, batch, *_ = found = parameters()
    expected = [p.detach().clone() for p in found[:2]]
    averages = [torch.zeros_like(p) for p in expected]
    optimizer = SETTINGS.build([first], [batch], {first: 0, batch: 1})
    for t in range(3):
        for p in (first, batch):
            p.grad = torch.sin(torch.arange(p.numel()) + float(t)).view_as(p)
        optimizer.step()
        for i, (p, decay) in enumerate(((first, DECAY), (batch, 0.0))):
            averages[i] = 0.9 * averages[i] + 0.1 * p.grad
            turned = by_singular_values(0.1 * p.grad + 0.9 * averages[i], 4)
            moved = RATE * STEP * max(p.shape[-2:]) ** 0.5 * turned
            expected[i] = expected[i] * (1 - RATE * decay) - moved
            torch.testing.assert_close(p.detach(), expected[i], rtol=1e-4, atol=1e-5)


def test_with_a_stride_a_matrix_moves_rarely_and_far():
    """At every second step, by the average of all gradients, twice as far."""
    gradients = [torch.sin(torch.arange(24.0) + t).view(4, 6) for t in range(4)]
    matrix = nn.Parameter(torch.linspace(-1, 1, 24).view(4, 6))
    expected, average = matrix.detach().clone(), torch.zeros(4, 6)
    optimizer = replace(SETTINGS, stride=2).build([matrix], [], {matrix: 0})
    for t, matrix.grad in enumerate(gradients):
        optimizer.step()
        average = 0.9 * average + 0.1 * gradients[t]
        if t % 2:
            turned = by_singular_values(0.1 * gradients[t] + 0.9 * average, 4)
            expected = expected * (1 - 2 * RATE * DECAY) - 2 * RATE * STEP * 6**0.5 * turned
        torch.testing.assert_close(matrix.detach(), expected, rtol=1e-4, atol=1e-5)


def test_all_leading_axes_may_be_one_row():
    """The first layer of an MLP has a block for each feature, and is one matrix."""
    one, several = (nn.Parameter(torch.zeros(2, 3, 5)) for _ in range(2))
    flat = nn.Parameter(torch.zeros(6, 5))
    for p, n_axes in ((one, 0), (several, 1), (flat, 0)):
        p.grad = torch.sin(torch.arange(30.0)).view_as(p)
        SETTINGS.build([], [p], {p: n_axes}).step()
    torch.testing.assert_close(one.detach().flatten(0, 1), flat.detach())
    assert not torch.allclose(one, several)


def test_all_other_weights_move_as_under_adamw():
    matrix, _, *rest = ours = parameters()
    *_, vector, other = theirs = parameters()
    steps(SETTINGS.build([matrix, rest[0]], [rest[1]], {matrix: 0}), [*ours[:1], *rest])
    plain = AdamW(
        [{"params": [other], "weight_decay": 0.0}, {"params": [vector], "weight_decay": DECAY}],
        lr=RATE,
    )
    steps(plain, theirs[2:])
    for mine, expected in zip(rest, (vector, other), strict=True):
        torch.testing.assert_close(mine.detach(), expected.detach())


@pytest.mark.parametrize("stride", [1, 2])
def test_a_saved_state_goes_on_as_if_it_had_not_been_saved(stride):
    settings = replace(SETTINGS, stride=stride)
    straight, broken = parameters()[:2], parameters()[:2]
    first, second = (settings.build([p], [q], {p: 0, q: 1}) for p, q in (straight, broken))
    steps(first, straight)
    steps(second, broken)
    third = settings.build([broken[0]], [broken[1]], {broken[0]: 0, broken[1]: 1})
    third.load_state_dict(second.state_dict())
    for optimizer, found in ((first, straight), (third, broken)):
        steps(optimizer, found)
    for mine, expected in zip(broken, straight, strict=True):
        assert torch.equal(mine, expected)


def test_gradients_are_left_as_they_were():
    matrix = nn.Parameter(torch.eye(3))
    matrix.grad = torch.ones(3, 3)
    SETTINGS.build([matrix], [], {matrix: 0}).step()
    assert torch.equal(matrix.grad, torch.ones(3, 3))


def test_skip_weights_have_the_steps_of_adamw():
    """They are what lambda is scaled by."""
    network = make_network(backbone=MLPSettings(2, 8, 0.0))
    optimizer = SETTINGS.build(*network.split_parameters())
    assert isinstance(optimizer, Muon)
    for p in network.parameters():
        p.grad = torch.ones_like(p)
    optimizer.step()
    skip = network.gate_parameter()
    assert skip not in optimizer.matrices
    assert (step_size(optimizer, skip) > 0).all()
