"""The network: its sum, its gate, its cuts, its parameters."""

import copy
import itertools
from collections.abc import Iterable

import pytest
import torch
from torch import Tensor

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn import Network, ResidualEmbeddingSettings
from tests.nn.makers import (
    BACKBONES,
    EMBEDDINGS,
    MIXED,
    NO_SKIP,
    close_gate,
    make_network,
    named_state,
    numbers,
    random_codes,
    shake,
)

N = 40
KEPT = [0, 2]
NETWORKS = list(itertools.product(EMBEDDINGS, BACKBONES))
every_network = pytest.mark.parametrize(("embedding", "backbone"), NETWORKS)


def calibrated(layout: CodeLayout = MIXED, n_outputs: int = 1, **parts) -> tuple[Network, Codes]:
    """Build a network with weights and statistics that are not the initial ones."""
    network, codes = make_network(layout, n_outputs, **parts), random_codes(layout, N)
    shake(network)
    network.set_moments(codes)
    return network.eval(), codes


def pieces(codes: Codes, features: list[int]) -> Codes:
    return codes.pieces(MIXED.pieces_of(torch.tensor(features).numpy()))


@pytest.mark.parametrize("backbone", BACKBONES)
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_skip_of_the_mean_plus_tau_times_backbone(backbone, n_outputs: int):
    network, codes = calibrated(n_outputs=n_outputs, backbone=backbone, tau=0.3)
    z = network.embedding(codes)
    expected = network.skip(z.sum(dim=2) / z.shape[2]) + 0.3 * network.backbone(z)
    out = network(codes)
    torch.testing.assert_close(out, expected)
    assert out.shape == (N, n_outputs)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_gate_is_a_view_and_can_be_set(backbone):
    network, _ = calibrated(n_outputs=2, backbone=backbone)
    beta = torch.arange(8.0).view(4, 2)
    w1 = torch.arange(4.0)[:, None].expand_as(network.gate().w1)
    owner = network.backbone.gated_weight.data_ptr()
    network.set_gate(Gate(beta, w1))
    assert torch.equal(network.skip.weight, beta)
    assert torch.equal(network.backbone.gated_weight, w1)
    assert network.gate().w1.data_ptr() == owner
    assert network.gate_parameter() is network.skip.weight
    assert not any(x.requires_grad for x in network.gate())


def test_setting_moments_leaves_the_mode_alone():
    network, codes = calibrated()
    for training in (True, False):
        network.train(training)
        network.set_moments(codes)
        assert all(module.training == training for module in network.modules())


def test_setting_moments_drops_nothing():
    dropout = ResidualEmbeddingSettings(4, 1, 5, dropout=0.5)
    network, codes = make_network(embedding=dropout).train(), random_codes(MIXED, N)
    network.set_moments(codes)
    first = network.embedding.norm.running_mean.clone()
    network.set_moments(codes)
    assert torch.equal(network.embedding.norm.running_mean, first)


@every_network
def test_cutting_closed_features_changes_no_output(embedding, backbone):
    network, codes = calibrated(n_outputs=2, embedding=embedding, backbone=backbone)
    close_gate(network, [1, 3])
    before = network(codes)
    network.keep(torch.tensor(KEPT))
    torch.testing.assert_close(network(pieces(codes, KEPT)), before, atol=1e-5, rtol=1e-5)
    assert network.layout == MIXED.keep(torch.tensor(KEPT).numpy())


@every_network
def test_cutting_an_open_feature_changes_outputs(embedding, backbone):
    network, codes = calibrated(n_outputs=2, embedding=embedding, backbone=backbone)
    before = network(codes)
    network.keep(torch.tensor(KEPT))
    assert (network(pieces(codes, KEPT)) - before).abs().max() > 1e-3


@every_network
def test_cut_keeps_objects_and_rows(embedding, backbone):
    network, _ = calibrated(embedding=embedding, backbone=backbone)
    before, owners = named_state(network), dict(network.named_parameters())
    resized = network.keep(torch.tensor(KEPT))
    after = named_state(network)
    assert after.keys() == before.keys()
    cut = {name for name in after if after[name].shape != before[name].shape}
    for name, x in after.items():
        expected = before[name][KEPT] if name in cut else before[name]
        assert torch.equal(x, expected), name
    assert all(p is owners[name] for name, p in network.named_parameters())
    live = network.state_dict(keep_vars=True)
    assert {id(x) for x in resized} == {id(live[name]) for name in cut}
    ours = {"skip.weight", "embedding.norm.running_mean", "embedding.norm.running_var"}
    assert ours <= cut


def test_cut_forgets_gradients_of_the_old_shape():
    network, codes = calibrated()
    network(codes).sum().backward()
    resized = network.keep(torch.tensor(KEPT))
    assert all(x.grad is None for x in resized)
    network(pieces(codes, KEPT)).sum().backward()


@every_network
def test_cut_can_be_repeated_down_to_nothing(embedding, backbone):
    network, codes = calibrated(n_outputs=2, embedding=embedding, backbone=backbone)
    close_gate(network, [0, 1, 2, 3])
    before = network(codes)
    network.keep(torch.tensor([1, 2]))
    network.keep(torch.tensor([], dtype=torch.long))
    out = network(pieces(codes, []))
    torch.testing.assert_close(out, before, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(out, out[:1].expand(N, 2))


def test_network_without_skip_can_be_cut():
    network, codes = calibrated(skip=NO_SKIP)
    assert network.gate().support().all()
    network.keep(torch.tensor(KEPT))
    assert network.gate().beta.shape == (2, 1)
    assert network(pieces(codes, KEPT)).shape == (N, 1)


@every_network
def test_parameters_are_split_in_two(embedding, backbone):
    network = make_network(embedding=embedding, backbone=backbone)
    decayed, others, matrices = network.split_parameters()
    assert set(matrices) <= {*decayed, *others}
    everything = [id(p) for p in network.parameters()]
    assert sorted(id(p) for p in decayed + others) == sorted(everything)


def names_of(network: Network, parameters: Iterable[Tensor]) -> set[str]:
    chosen = {id(p) for p in parameters}
    return {name for name, p in network.named_parameters() if id(p) in chosen}


def decayed_names(network: Network) -> set[str]:
    return names_of(network, network.split_parameters().decayed)


def test_matrices_are_what_stands_between_codes_and_head():
    network = make_network()
    matrices = network.split_parameters().matrices
    inner = {"backbone.w1", "backbone.hidden.0.weight"}
    assert names_of(network, (p for p, n in matrices.items() if n == 0)) == inner
    assert names_of(network, (p for p, n in matrices.items() if n == 1)) == {
        "embedding.body.0.linear.weight",
        "embedding.body.1.linear.weight",
        "embedding.last.weight",
    }
    network = make_network(embedding=EMBEDDINGS[1], backbone=BACKBONES[1])
    matrices = network.split_parameters().matrices
    mixing = decayed_names(network) | {"backbone.entry.w1"}
    assert names_of(network, (p for p, n in matrices.items() if n == 0)) == {
        name for name in mixing if name.startswith("backbone") and "head" not in name
    }


def test_inner_weights_of_an_mlp_network_are_decayed_and_nothing_else():
    assert decayed_names(make_network()) == {
        "embedding.first.weight",
        "embedding.body.0.linear.weight",
        "embedding.body.1.linear.weight",
        "embedding.last.weight",
        "backbone.hidden.0.weight",
        "backbone.head.weight",
    }


def test_inner_weights_of_a_mixer_network_are_decayed_and_nothing_else():
    network = make_network(embedding=EMBEDDINGS[1], backbone=BACKBONES[1])
    assert decayed_names(network) == {
        "embedding.first.weight",
        "embedding.body.0.linear.weight",
        "embedding.last.weight",
        "backbone.entry.w2",
        "backbone.entry_channels.inner.weight",
        "backbone.entry_channels.outer.weight",
        "backbone.blocks.0.tokens.w1",
        "backbone.blocks.0.tokens.w2",
        "backbone.blocks.0.channels.inner.weight",
        "backbone.blocks.0.channels.outer.weight",
        "backbone.head.weight",
    }


# What a norm takes away again has no gradient: shifts of a feature right before its
# BatchNorm, shifts of a whole token between LayerNorms.
ABSORBED = [
    {"embedding.body.1.norm.shift", "embedding.last.bias"},
    {"embedding.body.0.norm.shift", "embedding.last.bias"},
    {"embedding.first.bias"},
    set(),
]


@every_network
def test_every_parameter_gets_a_gradient(embedding, backbone):
    network, codes = calibrated(numbers(4), 2, embedding=embedding, backbone=backbone)
    network.double().train()
    codes = codes._replace(fraction=codes.fraction.double())
    (network(codes) - torch.randn(N, 2)).square().mean().backward()
    sizes = {name: p.grad.abs().max().item() for name, p in network.named_parameters()}
    token_shifts = {name for name in sizes if name.endswith("tokens.b2")}
    names = ABSORBED[EMBEDDINGS.index(embedding)] | token_shifts
    assert {name for name, size in sizes.items() if size < 1e-12} == names
    assert all(size > 1e-6 for name, size in sizes.items() if name not in names)


def test_state_can_be_loaded_into_a_fresh_network():
    network, codes = calibrated(n_outputs=2)
    other = make_network(n_outputs=2, seed=5).eval()
    assert not torch.equal(other(codes), network(codes))
    other.load_state_dict(network.state_dict())
    assert torch.equal(other(codes), network(codes))


@pytest.mark.parametrize("backbone", BACKBONES, ids=str)
def test_precision_is_the_backbones_alone(backbone):
    codes = random_codes(MIXED, 40)
    full = make_network(MIXED, backbone=backbone).eval()
    low = copy.deepcopy(full)
    low.precision = torch.bfloat16
    assert torch.equal(low.embedding(codes), full.embedding(codes))
    difference = (low(codes) - full(codes)).abs().max()
    assert low(codes).dtype == torch.float32
    assert 0 < difference < 0.1
    low(codes).sum().backward()
    assert low.skip.weight.grad is not None
    assert all(p.grad is None or p.grad.dtype == torch.float32 for p in low.parameters())
