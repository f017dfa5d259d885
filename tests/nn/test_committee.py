"""A committee: the mean of networks, and what it says of their weights."""

import copy

import torch

from lassoflexnet.nn import Committee
from tests.nn.makers import close_gate, make_network
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
    precise = copy.deepcopy(both).in_full_precision()
    codes = DATA.validation.codes
    assert next(precise.parameters()).dtype == torch.float64
    torch.testing.assert_close(precise(codes).float(), both(codes), rtol=1e-4, atol=1e-5)
    assert precise.layout == both.layout
