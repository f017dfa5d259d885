"""Many columns at once give what each gives alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lassoflexnet.table.bank import Bank
from lassoflexnet.table.fitted import FittedConstant, FittedPiecewise, FittedStandardized

PIECES: list[FittedPiecewise | FittedStandardized | FittedConstant] = [
    FittedPiecewise((-1.0, 0.0, 0.5, 2.0)),
    FittedPiecewise((0.0, 1.0)),
    FittedPiecewise((3.0,)),
    FittedStandardized(1.0, 2.0),
    FittedConstant(),
    FittedPiecewise(tuple(np.linspace(-3, 3, 40).tolist())),
    FittedPiecewise((-8e307, 5e-324, 8e307)),
]
BANK = Bank.of([piece.segments for piece in PIECES])

numbers = (
    st.floats(-4, 4)
    | st.sampled_from([-1.0, 0.0, 0.5, 2.0, 3.0, np.nan])
    | st.floats(allow_infinity=False)
)


def one_by_one(pieces, x):
    codes = [piece.segments.code(column) for piece, column in zip(pieces, x, strict=True)]
    return np.stack([slot for slot, _ in codes]), np.stack([fraction for _, fraction in codes])


@given(x=arrays(np.float64, st.tuples(st.just(len(PIECES)), st.integers(1, 9)), elements=numbers))
def test_bank_is_one_by_one(x):
    slot, fraction = BANK.code(x)
    expected_slot, expected_fraction = one_by_one(PIECES, x)
    np.testing.assert_array_equal(slot, expected_slot)
    np.testing.assert_array_equal(fraction.astype(np.float32), expected_fraction)


def test_some_columns():
    x = np.random.default_rng(0).normal(size=(3, 5))
    some = np.array([0, 3, 5])
    slot, fraction = BANK.columns(some).code(x)
    expected_slot, expected_fraction = one_by_one([PIECES[at] for at in some], x)
    np.testing.assert_array_equal(slot, expected_slot)
    np.testing.assert_array_equal(fraction.astype(np.float32), expected_fraction)


def test_segments_are_the_piece():
    x = np.array([-5.0, 0.25, 4.0, np.nan])
    for piece in PIECES:
        for one, other in zip(piece(x), piece.segments.code(x), strict=True):
            np.testing.assert_array_equal(one, other)
