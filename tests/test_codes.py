"""Codes: the compact form against vectors written out slot by slot."""

import numpy as np
import pytest
import torch

from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from tests.nn.makers import MIXED, numbers, piece_sizes, random_codes


def slow_dense(codes: Codes, layout: CodeLayout) -> np.ndarray:
    """Every slot of every row by the rule in the module's docstring."""
    dense = np.zeros((layout.n_features, codes.n_rows, layout.max_slots))
    for p, size in enumerate(piece_sizes(layout)):
        for row in range(codes.n_rows):
            at = int(codes.slot[p, row]) - layout.offset[p]
            for slot in range(size):
                before = slot < at < layout.n_ordered[p]
                value = 1.0 if before else codes.fraction[p, row].item() * (slot == at)
                dense[layout.feature[p], row, layout.offset[p] + slot] = value
    return dense


@pytest.mark.parametrize("layout", [MIXED, numbers(3)], ids=["mixed", "numbers"])
def test_dense_codes(layout: CodeLayout):
    codes = random_codes(layout, 200)
    np.testing.assert_array_equal(dense_codes(codes, layout), slow_dense(codes, layout))


def test_sizes():
    assert (MIXED.n_features, MIXED.n_pieces, MIXED.max_slots) == (4, 6, 11)
    assert CodeLayout((), (), (), ()).max_slots == 0


def test_keep_renumbers_features_and_keeps_their_pieces():
    kept = MIXED.keep(np.array([0, 2]))
    assert kept == CodeLayout(
        feature=(0, 1, 1, 1),
        offset=(0, 0, 4, 8),
        n_ordered=(4, 3, 0, 0),
        n_slots=(5, 11),
        padded=11,
    )


def test_keep_does_not_change_the_width():
    narrow = MIXED.keep(np.array([0, 3]))
    assert max(narrow.n_slots) == 5
    assert narrow.max_slots == 11
    assert narrow.keep(np.array([1])).max_slots == 11


def test_keep_twice_is_keep_once():
    assert MIXED.keep(np.array([0, 2, 3])).keep(np.array([1, 2])) == MIXED.keep(np.array([2, 3]))


def test_nothing_is_left_after_keeping_nothing():
    none = MIXED.keep(np.array([], dtype=np.int64))
    assert (none.n_features, none.n_pieces, none.max_slots) == (0, 0, 11)
    codes = random_codes(MIXED, 3).pieces(MIXED.pieces_of(np.array([], dtype=np.int64)))
    assert dense_codes(codes, none).shape == (0, 3, 11)


@pytest.mark.parametrize("features", [[0], [2], [1, 3], [0, 1, 2, 3]])
def test_codes_of_kept_features_are_a_part_of_all(features: list[int]):
    codes, kept = random_codes(MIXED, 50), np.array(features)
    part = codes.pieces(MIXED.pieces_of(kept))
    expected = dense_codes(codes, MIXED)[features]
    assert torch.equal(dense_codes(part, MIXED.keep(kept)), expected)


def test_pieces_of():
    assert MIXED.pieces_of(np.array([0, 2])).tolist() == [0, 2, 3, 4]


def test_rows():
    codes = random_codes(MIXED, 10)
    assert codes.rows(slice(2, 5)).n_rows == 3
    picked = codes.rows(torch.tensor([7, 1]))
    assert torch.equal(picked.slot, codes.slot[:, [7, 1]])
    assert torch.equal(picked.fraction, codes.fraction[:, [7, 1]])


def test_other_device():
    moved = random_codes(MIXED, 2).to(torch.device("meta"))
    assert moved.slot.device.type == moved.fraction.device.type == "meta"
