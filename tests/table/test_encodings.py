"""What encodings learn from training cells."""

from dataclasses import replace

import numpy as np
import pytest

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.bins import QuantileBins, Target, TreeBins
from lassoflexnet.table.encodings import Constant, OneHot, PiecewiseLinear, Standardized, ZeroOne
from lassoflexnet.table.fitted import FittedConstant, FittedPiecewise


def fit(encoding, x, y=None, weight=None):
    y = np.arange(len(x), dtype=float) if y is None else y
    return encoding.fit(x, Target(y, False, weight), np.random.default_rng(0))


def words(*counts: tuple[str | None, int]) -> np.ndarray:
    return np.array([word for word, count in counts for _ in range(count)], dtype=object)


def test_piecewise_edges_are_those_of_its_bins():
    x = np.random.default_rng(0).normal(size=300)
    y = np.abs(x)
    for bins in (TreeBins(), QuantileBins()):
        edges = bins.edges(x, Target(y, False), n_bins=5, rng=np.random.default_rng(0))
        assert fit(PiecewiseLinear(5, bins), x, y).edges == tuple(edges)


def test_piecewise_looks_at_present_rows_only():
    x = np.random.default_rng(0).normal(size=300)
    y, weight = np.abs(x), 1 + np.arange(300.0) % 3
    gaps = np.arange(300) % 4 == 0
    with_gaps = np.where(gaps, np.nan, x)
    assert fit(PiecewiseLinear(8), with_gaps, y, weight) == fit(
        PiecewiseLinear(8), x[~gaps], y[~gaps], weight[~gaps]
    )


def test_each_option_matters():
    x = np.random.default_rng(0).normal(size=300)
    base = PiecewiseLinear(8)
    variants = [
        PiecewiseLinear(7),
        replace(base, bins=QuantileBins()),
        replace(base, bins=TreeBins(min_samples_leaf=40)),
        replace(base, bins=TreeBins(min_impurity_decrease=0.05)),
        replace(base, bins=TreeBins(max_rows=50)),
    ]
    fitted = {fit(encoding, x, np.sin(3 * x)) for encoding in (base, *variants)}
    assert len(fitted) == 6


@pytest.mark.parametrize("encoding", [PiecewiseLinear(), Standardized()], ids=str)
def test_numbers_without_a_value(encoding):
    piece = fit(encoding, np.full(3, np.nan))
    slot, fraction = piece(np.array([1.0, np.nan]))
    assert np.isfinite(fraction).all()
    assert slot.tolist() == [0, 1]


def test_standardized():
    x = np.array([1.0, 3.0, np.nan, 5.0])
    piece = fit(Standardized(), x)
    assert piece.mean == 3
    assert piece.std == pytest.approx(np.sqrt(8 / 3))
    weighted = fit(Standardized(), x, weight=np.array([1.0, 1.0, 9.0, 0.5]))
    assert weighted.mean == pytest.approx((1 + 3 + 2.5) / 2.5)


def test_standardized_one_value():
    assert fit(Standardized(), np.array([4.0, np.nan, 4.0])).std == 1


def test_categories_by_frequency_then_name():
    piece = fit(OneHot(), words(("b", 2), ("d", 5), ("a", 2), (None, 9), ("c", 1)))
    assert piece.categories == ("d", "a", "b", "c")
    assert piece.n_folded == 0


def test_order_of_rows_does_not_matter():
    x = words(("b", 2), ("a", 2), ("c", 2))
    assert fit(OneHot(max_categories=2), x) == fit(OneHot(max_categories=2), x[::-1])


def test_at_most_so_many_categories():
    x = np.array([f"id{k}" for k in range(1000)] * 3, dtype=object)
    piece = fit(OneHot(), x)
    assert len(piece.categories) == 64
    assert piece.n_folded == 936
    assert piece.n_slots == 66
    assert set(piece(x)[0]) == set(range(65))


@pytest.mark.parametrize(("n_common", "kept"), [(196, ("z", "b")), (195, ("z", "b", "a"))])
def test_rare_categories_share_a_slot_from_200_rows_on(n_common, kept):
    piece = fit(OneHot(), words(("z", n_common), ("b", 3), ("a", 1)))
    assert piece.categories == kept
    assert piece.n_folded == 3 - len(kept)


def test_min_count():
    x = words(("a", 3), ("b", 2), (None, 1))
    assert fit(OneHot(min_count=1), x).categories == ("a", "b")
    assert fit(OneHot(min_count=3), x).categories == ("a",)
    assert fit(OneHot(min_count=4), x).categories == ()


def test_all_categories_may_be_rare():
    piece = fit(OneHot(min_count=4), words(("a", 1), (None, 1)))
    assert piece(np.array(["a", None], dtype=object))[0].tolist() == [0, 1]


def test_booleans_and_nothing():
    x = np.array([1.0, np.nan])
    assert fit(ZeroOne(), x) == FittedPiecewise((0.0, 1.0))
    assert fit(Constant(), x) == FittedConstant()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PiecewiseLinear(0), "`n_bins` is 0. Use a number of at least 1."),
        (lambda: OneHot(max_categories=0), "`max_categories` is 0. Use a number of at least 1."),
        (lambda: OneHot(min_count=-1), "`min_count` is -1. Use a number of at least 1."),
    ],
)
def test_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
