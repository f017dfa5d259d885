"""A committee: the mean of networks, and what it says of their weights."""

import copy
import pickle

import pytest
import torch

from lassoflexnet.assembly import build_network
from lassoflexnet.nn import (
    Committee,
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
    NoSkipSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.nn.code_linear import CodeLinear
from lassoflexnet.nn.stacked import Stacked
from lassoflexnet.recipe import Recipe
from tests.nn.makers import MIXED, RESIDUAL, close_gate, make_network, random_codes, shake
from tests.training.test_fit import DATA


def committee() -> Committee:
    made = []
    for seed in range(3):
        torch.manual_seed(seed)
        made.append(make_network(DATA.layout).eval())
    return Committee(made)


def test_outputs_are_averaged_on_the_link_scale():
    both = committee()
    codes = DATA.validation.codes
    outputs = [network(codes) for network in both.members]
    torch.testing.assert_close(both(codes), sum(outputs) / 3)


def test_skip_weights_are_mean_sizes_and_first_layers_stand_side_by_side():
    both = committee()
    sizes = [network.gate().beta.abs() for network in both.members]
    gate = both.gate()
    torch.testing.assert_close(gate.beta, sum(sizes) / 3)
    width = both.members[0].gate().w1.shape[1]
    assert gate.w1.shape[1] == 3 * width
    torch.testing.assert_close(gate.w1[:, width : 2 * width], both.members[1].gate().w1)


def test_a_column_is_out_only_if_it_is_out_of_every_member():
    both = committee()
    for network in both.members[:2]:
        close_gate(network, [0])
    assert both.gate().support()[0]
    close_gate(both.members[2], [0])
    assert not both.gate().support()[0]


def test_full_precision_changes_no_output_by_more_than_rounding():
    both = committee()
    precise = copy.deepcopy(both).finished()
    codes = DATA.validation.codes
    assert next(precise.parameters()).dtype == torch.float64
    torch.testing.assert_close(precise(codes).float(), both(codes), rtol=1e-4, atol=1e-5)
    assert precise.layout == both.layout


KINDS = {
    "residual": RESIDUAL,
    "linear": LinearEmbeddingSettings(3),
    "identity": IdentityEmbeddingSettings(),
    "learnable norm": ResidualEmbeddingSettings(4, 1, 5, 0.0, learnable_norm=True),
}


@pytest.mark.parametrize("embedding", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_stacked_members_are_the_committee(embedding, n_outputs):
    """The slow form is the reference: outputs and gate, on columns of several pieces."""
    recipe = Recipe(embedding=embedding, backbone=MLPSettings(2, 7), tau=0.7)
    members = []
    for seed in range(3):
        torch.manual_seed(seed)
        network = build_network(recipe, MIXED, n_outputs).double()
        shake(network, seed)
        network.set_moments(random_codes(MIXED, 40, seed))
        members.append(network.eval())
    slow, codes = Committee(members, 0.8), random_codes(MIXED, 50)
    fast = copy.deepcopy(slow).finished()
    assert isinstance(fast, Stacked)
    assert not isinstance(fast.embedding[0], CodeLinear), "a table of it is enough"
    codes = codes._replace(fraction=codes.fraction.double())
    torch.testing.assert_close(fast(codes), slow(codes), rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(fast.gate().beta, slow.gate().beta)
    torch.testing.assert_close(fast.gate().w1, slow.gate().w1)
    assert fast(codes.rows(slice(0, 0))).shape == (0, n_outputs)
    assert (fast.n_tokens, slow.n_tokens) == (3 * MIXED.n_features, MIXED.n_features)


def test_stacked_members_are_pickled_whole():
    fast = committee().finished()
    again = pickle.loads(pickle.dumps(fast))
    codes = DATA.validation.codes
    assert torch.equal(again(codes), fast(codes))


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(embedding=RESIDUAL, backbone=MixerSettings(1, 8)),
        Recipe(embedding=RESIDUAL, backbone=MLPSettings(1, 8), skip=NoSkipSettings()),
    ],
    ids=["mixer", "no skip"],
)
def test_other_kinds_stay_a_committee(recipe):
    both = Committee([build_network(recipe, DATA.layout, 1) for _ in range(2)])
    assert both.finished() is both
