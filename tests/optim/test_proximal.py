"""The proximal optimiser: its neutral values, its signs, its cuts, its saved state."""

import copy
import math

import pytest
import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn import Network
from lassoflexnet.optim import AdamWSettings, MuonSettings, NesterovSettings, ProximalOptimizer
from lassoflexnet.optim.proximal import with_sign_of
from lassoflexnet.optim.step_sizes import step_size
from lassoflexnet.prox import (
    ByCoordinate,
    JointHierProx,
    NoProx,
    PlainThreshold,
    Prox,
    SequentialHierProx,
    ThresholdRule,
)
from tests.nn.makers import (
    BACKBONES,
    MIXED,
    NO_SKIP,
    close_gate,
    make_network,
    named_state,
    random_codes,
)

ADAM = AdamWSettings(learning_rate=0.01, weight_decay=0.1)
NESTEROV = NesterovSettings(learning_rate=0.01, weight_decay=0.1)
CODES = random_codes(MIXED, 50)._replace(fraction=random_codes(MIXED, 50).fraction.double())
TARGET = torch.randn(50, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def make(
    *,
    prox: Prox = SequentialHierProx(),  # noqa: B008
    threshold: ThresholdRule = ByCoordinate(),  # noqa: B008
    ema_decay: float = 0.9,
    lam: float = 0.05,
    settings=ADAM,
    weights: Tensor | None = None,
    **parts,
) -> tuple[Network, ProximalOptimizer]:
    network = make_network(**parts).double()
    optimizer = ProximalOptimizer(
        settings.build(*network.split_parameters()),
        network,
        prox=prox,
        threshold=threshold,
        ema_decay=ema_decay,
        weights=torch.ones(4).double() if weights is None else weights,
    )
    optimizer.lam = lam
    return network, optimizer


def descend(network: Network, optimizer, n_steps: int, codes: Codes = CODES) -> None:
    """Take full-batch steps."""
    for _ in range(n_steps):
        optimizer.zero_grad()
        (network(codes) - TARGET).square().mean().backward()
        optimizer.step()


def assert_same(a: Network, b: Network) -> None:
    other = named_state(b)
    for name, x in named_state(a).items():
        assert torch.equal(x, other[name]), name


def test_no_average_is_the_operator_on_the_live_weights_to_the_bit():
    network, optimizer = make(ema_decay=0.0)
    other, reference = make(ema_decay=0.0)
    base = reference.base
    for _ in range(5):
        descend(network, optimizer, 1)
        base.zero_grad()
        (other(CODES) - TARGET).square().mean().backward()
        base.step()
        threshold = 0.05 * step_size(base, other.skip.weight)
        other.set_gate(SequentialHierProx()(other.gate(), threshold))
    assert_same(network, other)


def test_no_operator_and_no_average_is_the_base_alone_to_the_bit():
    network, optimizer = make(prox=NoProx(), ema_decay=0.0)
    other, reference = make()
    descend(network, optimizer, 5)
    descend(other, reference.base, 5)
    assert_same(network, other)


def test_average_slows_the_gate_down():
    """What is written back is the average, so a step moves the gate by a tenth."""
    moved = []
    for decay in (0.0, 0.9):
        network, optimizer = make(prox=NoProx(), ema_decay=decay)
        before = network.gate().beta.clone()
        descend(network, optimizer, 1)
        moved.append(network.gate().beta - before)
    torch.testing.assert_close(moved[1], 0.1 * moved[0])


def test_average_starts_at_the_weights_and_is_a_copy():
    network, optimizer = make()
    for mean, live in zip(optimizer.average, network.gate(), strict=True):
        assert torch.equal(mean, live)
        assert mean.data_ptr() != live.data_ptr()


def test_large_lambda_closes_every_gate():
    network, optimizer = make(lam=1e3)
    descend(network, optimizer, 1)
    assert not network.gate().beta.any()
    assert not network.gate().w1.any()
    assert optimizer.average.beta.any(), "the average itself is not shrunk"


def test_weights_multiply_lambda():
    weights = torch.tensor([0.0, 1.0, 0.0, 1.0]).double()
    network, optimizer = make(lam=1e3, weights=weights)
    descend(network, optimizer, 1)
    assert network.gate().support().tolist() == [True, False, True, False]


def test_threshold_rule_gets_lambda_rate_and_step_sizes():
    network, optimizer = make(lam=0.7)
    seen = []

    def rule(lam: float, learning_rate: float, sizes: Tensor) -> Tensor:
        seen.append((lam, learning_rate, sizes.clone()))
        return sizes.new_zeros(4)

    optimizer.threshold = rule
    optimizer.param_groups[0]["lr"] = 0.02
    descend(network, optimizer, 1)
    ((lam, rate, sizes),) = seen
    assert (lam, rate) == (0.7, 0.02)
    assert torch.equal(sizes, step_size(optimizer.base, network.skip.weight))


def test_sign_is_the_live_one_and_zero_stays_zero():
    shrunk = Gate(torch.tensor([[0.5], [-0.5], [0.5], [0.0]]), torch.tensor([[-1.0, 2.0]] * 4))
    live = Gate(torch.tensor([[-3.0], [-3.0], [0.0], [3.0]]), torch.tensor([[9.0, -9.0]] * 4))
    out = with_sign_of(shrunk, live)
    assert out.beta.tolist() == [[-0.5], [-0.5], [0.0], [0.0]]
    assert out.w1[0].tolist() == [1.0, -2.0]


def test_a_skip_weight_lost_by_its_sign_takes_the_first_layer_with_it():
    """Where the operator itself had closed the gate, its first layer is the operator's business."""
    shrunk = Gate(torch.tensor([[0.5, 0.0], [0.5, 0.1], [0.0, 0.0]]), torch.ones(3, 2))
    live = Gate(torch.tensor([[0.0, 3.0], [0.0, 3.0], [1.0, 1.0]]), torch.ones(3, 2))
    out = with_sign_of(shrunk, live)
    assert out.beta.tolist() == [[0.0, 0.0], [0.0, pytest.approx(0.1)], [0.0, 0.0]]
    assert out.w1.tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_groups_are_those_of_the_base():
    _, optimizer = make()
    assert optimizer.param_groups is optimizer.base.param_groups


@pytest.mark.parametrize("settings", [ADAM, NESTEROV], ids=["adam", "nesterov"])
@pytest.mark.parametrize("backbone", BACKBONES, ids=str)
def test_going_on_after_a_cut_is_going_on_with_closed_features(backbone, settings):
    """Steps after a cut are those of the whole network with the others held at zero."""
    kept = torch.tensor([0, 2])
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0]).double()
    part = CODES.pieces(MIXED.pieces_of(kept.numpy()))
    held, cut = (
        make(backbone=backbone, settings=settings, lam=1e-3, weights=weights) for _ in range(2)
    )
    for network, optimizer in (held, cut):
        descend(network, optimizer, 4)
        close_gate(network, [1, 3])
    resized = cut[0].keep(kept)
    cut[1].keep(kept, resized)
    for _ in range(4):
        descend(*held, 1)
        close_gate(held[0], [1, 3])
    descend(*cut, 4, codes=part)
    names = {id(x): name for name, x in cut[0].state_dict(keep_vars=True).items()}
    follow = {names[id(x)] for x in resized}
    whole = named_state(held[0])
    for name, x in named_state(cut[0]).items():
        expected = whole[name][kept] if name in follow else whole[name]
        # Adam makes steps of 1e-11 out of the rounding errors of a gradient that is zero.
        torch.testing.assert_close(x, expected, rtol=1e-9, atol=1e-9, msg=lambda m, n=name: n + m)
    for mean, all_means in zip(cut[1].average, held[1].average, strict=True):
        torch.testing.assert_close(mean, all_means[kept], rtol=1e-9, atol=1e-9)
    assert cut[1].weights.tolist() == [1.0, 3.0]


def test_state_of_a_cut_optimizer_has_the_kept_rows():
    network, optimizer = make()
    descend(network, optimizer, 2)
    weight, bias = network.skip.weight, network.backbone.b1
    before = {p: dict(optimizer.base.state[p]) for p in (weight, bias)}
    kept = torch.tensor([0, 2])
    optimizer.keep(kept, network.keep(kept))
    for name in ("exp_avg", "exp_avg_sq"):
        assert torch.equal(optimizer.base.state[weight][name], before[weight][name][kept])
        assert torch.equal(optimizer.base.state[bias][name], before[bias][name])
    assert optimizer.base.state[weight]["step"] == 2


def test_the_average_of_a_matrix_is_cut_with_it():
    network, optimizer = make(settings=MuonSettings(0.01, 0.1))
    descend(network, optimizer, 2)
    w1, kept = network.backbone.w1, torch.tensor([0, 2])
    assert w1 in optimizer.base.matrices
    before = optimizer.base.state[w1]["average"].clone()
    optimizer.keep(kept, network.keep(kept))
    assert torch.equal(optimizer.base.state[w1]["average"], before[kept])
    # Until matrices move again.
    descend(network, optimizer, optimizer.base.stride, CODES.pieces(MIXED.pieces_of(kept.numpy())))


def test_a_cut_before_the_first_step():
    network, optimizer = make()
    kept = torch.tensor([1])
    optimizer.keep(kept, network.keep(kept))
    descend(network, optimizer, 1, CODES.pieces(MIXED.pieces_of(kept.numpy())))
    assert network.gate().beta.shape == (1, 1)


@pytest.mark.parametrize(
    "settings", [ADAM, NESTEROV, MuonSettings(0.01, 0.1)], ids=["adam", "nesterov", "muon"]
)
def test_saved_state_goes_on_alike(settings):
    network, optimizer = make(settings=settings)
    descend(network, optimizer, 3)
    weights, state = named_state(network), copy.deepcopy(optimizer.state_dict())
    descend(network, optimizer, 3)
    first = named_state(network)
    network.load_state_dict(weights)
    optimizer.load_state_dict(state)
    descend(network, optimizer, 3)
    for name, x in named_state(network).items():
        assert torch.equal(x, first[name]), name


def test_network_without_skip_weights_can_be_stepped_and_saved():
    network, optimizer = make(skip=NO_SKIP, prox=SequentialHierProx(M=0.01))
    descend(network, optimizer, 2)
    assert torch.equal(network.gate().beta, torch.ones(4, 1).double())
    assert network.gate().w1.abs().max() == pytest.approx(0.01)
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))


def test_any_operator_and_rule_fit_together():
    network, optimizer = make(prox=JointHierProx(M=2.0), threshold=PlainThreshold(), lam=0.01)
    descend(network, optimizer, 3)
    gate = network.gate()
    assert (gate.w1.abs().amax(dim=1) <= 2.0 * gate.norm() * (1 + 1e-6)).all()
    assert all(math.isfinite(x) for x in gate.beta.flatten().tolist())
