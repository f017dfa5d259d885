"""Fitted encodings, against the equations written out slowly."""

import json
import pickle
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rtdl_num_embeddings import PiecewiseLinearEncoding

from lassoflexnet.table.dates import FittedCalendar, FittedEpoch
from lassoflexnet.table.fitted import (
    FittedConstant,
    FittedOneHot,
    FittedPiecewise,
    FittedStandardized,
)
from tests.table.makers import dense_piece

DATES = np.array(["2020-02-29T13", "NaT"], "M8[us]")
PIECES = [
    (FittedPiecewise((0.0, 1.0, 5.0)), np.array([0.5, np.nan, -9.0, 9.0])),
    (FittedPiecewise((2.0,)), np.array([2.0, np.nan, 3.0])),
    (FittedStandardized(1.0, 2.0), np.array([0.0, np.nan, 4.0])),
    (FittedConstant(), np.array([0.0, np.nan])),
    (FittedOneHot(("b", "a"), 3), np.array(["a", None, "b", "c"], dtype=object)),
    (FittedCalendar("month"), DATES),
    (FittedEpoch(FittedPiecewise((0.0, 1e9))), DATES),
]
every_piece = pytest.mark.parametrize(("piece", "x"), PIECES, ids=lambda value: str(value)[:30])

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e6, 1e6)


def distinct(numbers):
    return st.lists(numbers, min_size=2, max_size=9, unique=True).map(
        lambda edges: tuple(sorted(edges))
    )


def slow_ple(x: float, edges: tuple[float, ...]) -> list[float]:
    """Equation "ple", one component at a time, and the flag of a missing value."""
    if np.isnan(x):
        return [0.0] * (len(edges) - 1) + [1.0]
    parts = [
        max(0.0, min(1.0, (x - edges[t - 1]) / (edges[t] - edges[t - 1])))
        for t in range(1, len(edges))
    ]
    return [*parts, 0.0]


@every_piece
def test_slots_and_fractions(piece, x):
    slot, fraction = piece(x)
    assert slot.dtype == np.int32
    assert fraction.dtype == np.float32
    assert slot.shape == fraction.shape == x.shape
    assert slot.min() >= 0
    assert slot.max() < piece.n_slots
    assert piece.n_ordered <= piece.n_slots
    assert (fraction[slot >= piece.n_ordered] == 1).all()


@every_piece
def test_pickle_and_json(piece, x):
    piece(x)
    again = pickle.loads(pickle.dumps(piece))
    assert again == piece
    assert hash(again) == hash(piece)
    for one, other in zip(again(x), piece(x), strict=True):
        np.testing.assert_array_equal(one, other)
    as_lists = json.loads(json.dumps(asdict(piece), allow_nan=False))
    assert restored(type(piece), as_lists) == piece


def restored(make: type, fields: dict[str, Any]) -> Any:
    """A piece from its fields, with the tuples that JSON wrote as lists."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }
    if make is FittedEpoch:
        values["seconds"] = restored(FittedPiecewise, values["seconds"])
    return make(**values)


@pytest.mark.parametrize(
    ("piece", "x"), [(piece, x) for piece, x in PIECES if piece != FittedConstant()], ids=str
)
def test_missing_slot_is_the_last_and_no_other_row_has_it(piece, x):
    slot, _ = piece(x)
    is_missing = [cell is None or bool(cell != cell) for cell in x]
    assert (slot == piece.n_slots - 1).tolist() == is_missing
    assert any(is_missing)


@given(edges=distinct(moderate), x=st.lists(moderate | st.just(np.nan), min_size=1))
def test_piecewise_is_the_equation(edges, x):
    x = np.array([*x, *edges])
    dense = dense_piece(FittedPiecewise(edges), x)
    np.testing.assert_allclose(dense, [slow_ple(v, edges) for v in x.tolist()], atol=1e-6)


@given(edges=distinct(st.integers(-50, 50).map(float)), share=st.lists(st.floats(0, 1), min_size=1))
def test_piecewise_is_rtdl_within_the_range(edges, share):
    x = edges[0] + np.array(share) * (edges[-1] - edges[0])
    theirs = PiecewiseLinearEncoding([torch.tensor(edges, dtype=torch.float64)])
    expected = theirs(torch.tensor(x)[:, None])
    np.testing.assert_allclose(dense_piece(FittedPiecewise(edges), x)[:, :-1], expected, atol=1e-6)


@given(edges=distinct(st.floats(-8.9e307, 8.9e307)), x=st.lists(finite, min_size=1))
def test_piecewise_of_huge_and_tiny_numbers_is_finite(edges, x):
    _, fraction = FittedPiecewise(edges)(np.array([*x, *edges]))
    assert ((fraction >= 0) & (fraction <= 1)).all()


@given(edges=distinct(moderate), x=st.lists(moderate, min_size=2))
def test_piecewise_never_falls(edges, x):
    total = dense_piece(FittedPiecewise(edges), np.sort(x)).sum(axis=1)
    assert (np.diff(total) >= 0).all()


def test_piecewise_saturates_outside_the_edges():
    slot, fraction = FittedPiecewise((0.0, 1.0, 3.0))(np.array([-1e300, -0.1, 3.1, 1.7e308]))
    assert slot.tolist() == [0, 0, 1, 1]
    assert fraction.tolist() == [0, 0, 1, 1]


def test_piecewise_with_one_edge_tells_only_missing():
    piece = FittedPiecewise((5.0,))
    assert (piece.n_ordered, piece.n_slots) == (1, 2)
    x = np.array([5.0, -1.7e308, 1.7e308, np.nan])
    assert dense_piece(piece, x).tolist() == [[0, 0], [0, 0], [0, 0], [0, 1]]


def test_precision_of_seconds():
    piece = FittedPiecewise((1.7e9, 1.7e9 + 10))
    assert piece(np.array([1.7e9 + 3]))[1].tolist() == [np.float32(0.3)]


def test_standardized():
    x = np.array([1.0, 3.0, 0.0, np.nan])
    assert dense_piece(FittedStandardized(1.0, 2.0), x).tolist() == [
        [0.0, 0.0],
        [1.0, 0.0],
        [-0.5, 0.0],
        [0.0, 1.0],
    ]


@given(mean=finite, std=st.floats(5e-324, 1.7e308), x=finite)
def test_standardized_is_finite(mean, std, x):
    assert np.isfinite(FittedStandardized(mean, std)(np.array([x]))[1]).all()


def test_one_hot():
    piece = FittedOneHot(("b", "a"), n_folded=4)
    x = np.array(["a", "b", "new", None, ""], dtype=object)
    assert (piece.n_ordered, piece.n_slots) == (0, 4)
    assert piece(x)[0].tolist() == [1, 0, 2, 3, 2]
    assert dense_piece(piece, x)[0].tolist() == [0, 1, 0, 0]


def test_constant():
    piece = FittedConstant()
    assert (piece.n_ordered, piece.n_slots) == (1, 1)
    assert dense_piece(piece, np.array([1.0, np.nan])).tolist() == [[0], [0]]
