"""The first layer against a matmul of the dense codes."""

import numpy as np
import pytest
import torch
from torch import Tensor

from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from lassoflexnet.nn.code_linear import CodeLinear
from tests.nn.makers import MIXED, numbers, piece_sizes, random_codes

LAYOUTS = {
    "mixed": MIXED,
    "numbers": numbers(3),
    "cut": MIXED.keep(np.array([0, 2])),
    "one slot": CodeLayout((0,), (0,), (1,), (1,)),
}
every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def make(layout: CodeLayout, d_out: int = 3) -> CodeLinear:
    torch.manual_seed(0)
    return CodeLinear(layout, d_out).double()


def double(codes: Codes) -> Codes:
    return codes._replace(fraction=codes.fraction.double())


def by_dense(layer: CodeLinear, codes: Codes, layout: CodeLayout) -> Tensor:
    return dense_codes(codes, layout) @ layer.weight + layer.bias


@every_layout
def test_equals_the_matmul(layout: CodeLayout):
    layer, codes = make(layout), double(random_codes(layout, 100))
    torch.testing.assert_close(layer(codes), by_dense(layer, codes, layout))


@every_layout
def test_finished_it_is_the_same_and_follows_its_weights_no_more(layout: CodeLayout):
    layer, codes = make(layout), double(random_codes(layout, 100))
    before = layer(codes).detach()
    finished = layer.finished()
    torch.testing.assert_close(finished(codes), before)
    assert not list(finished.parameters())
    with torch.no_grad():
        layer.weight += 1.0
        layer.bias += 1.0
    torch.testing.assert_close(finished(codes), before)


@every_layout
def test_every_slot_at_both_its_ends(layout: CodeLayout):
    """Each slot of each piece, missing and other ones included, at fractions 0 and 1."""
    slots = [
        (p, layout.offset[p] + s) for p, size in enumerate(piece_sizes(layout)) for s in range(size)
    ]
    layer, first = make(layout), torch.tensor(layout.offset)[:, None]
    for fraction in (0.0, 1.0):
        slot = first.repeat(1, len(slots))
        for row, (p, s) in enumerate(slots):
            slot[p, row] = s
        codes = Codes(slot, torch.full(slot.shape, fraction, dtype=torch.float64))
        torch.testing.assert_close(layer(codes), by_dense(layer, codes, layout))


@every_layout
def test_gradients_equal_those_of_the_matmul(layout: CodeLayout):
    layer, codes = make(layout), double(random_codes(layout, 40))
    cotangent = torch.randn(layout.n_features, 40, 3, dtype=torch.float64)
    parameters = list(layer.parameters())
    assert len(parameters) == 2
    fast = torch.autograd.grad((layer(codes) * cotangent).sum(), parameters)
    slow = torch.autograd.grad((by_dense(layer, codes, layout) * cotangent).sum(), parameters)
    for a, b in zip(fast, slow, strict=True):
        torch.testing.assert_close(a, b)


def test_a_new_layout_reads_the_weights_that_are_left():
    layer, kept = make(MIXED), np.array([1, 2])
    codes = double(random_codes(MIXED, 30))
    before = layer(codes)
    for parameter in layer.parameters():
        parameter.data = parameter.data[kept]
    layer.set_layout(MIXED.keep(kept))
    torch.testing.assert_close(layer(codes.pieces(MIXED.pieces_of(kept))), before[kept])


def test_no_features():
    none = MIXED.keep(np.array([], dtype=np.int64))
    codes = random_codes(MIXED, 5).pieces(np.array([], dtype=np.int64))
    layer = CodeLinear(none, 3)
    assert layer(codes).shape == layer.finished()(codes).shape == (0, 5, 3)


def test_layout_is_not_saved_with_the_weights():
    assert set(make(MIXED).state_dict()) == {"weight", "bias"}


def test_an_ordered_piece_that_is_not_the_first_is_our_own_mistake():
    layout = CodeLayout(feature=(0, 0), offset=(0, 2), n_ordered=(0, 3), n_slots=(6,))
    with pytest.raises(AssertionError, match="comes first"):
        CodeLinear(layout, 2)
