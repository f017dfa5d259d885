"""Bin edges, from trees and from quantiles."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rtdl_num_embeddings import compute_bins

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.bins import QuantileBins, Target, TreeBins, mean_and_std

EVERY = [TreeBins(), TreeBins(min_samples_leaf=1), TreeBins(max_rows=10), QuantileBins()]


def rows(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A column, and a target of mean 0 and deviation 1 that bends with it."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).astype(np.float32).astype(np.float64)
    y = np.sin(2 * x) + 0.3 * rng.normal(size=n)
    return x, (y - y.mean()) / y.std()


def edges_of(bins, x, y, *, n_bins=8, is_classification=False, weight=None, seed=0):
    target = Target(np.asarray(y), is_classification, weight)
    return bins.edges(x, target, n_bins=n_bins, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("n_bins", [2, 8, 48])
@pytest.mark.parametrize("leaf", [1, 20])
@pytest.mark.parametrize("decrease", [0.0, 1e-2])
def test_tree_edges_of_a_regression_are_those_of_rtdl(n_bins, leaf, decrease):
    x, y = rows()
    kwargs: dict[str, Any] = {"min_samples_leaf": leaf, "min_impurity_decrease": decrease}
    (theirs,) = compute_bins(
        torch.tensor(x)[:, None], n_bins, tree_kwargs=kwargs, y=torch.tensor(y), regression=True
    )
    ours = edges_of(TreeBins(**kwargs), x, y, n_bins=n_bins)
    assert 3 <= len(ours) <= n_bins + 1
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_tree_edges_of_a_classification_are_those_of_rtdl(n_classes):
    x, y = rows()
    code = np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))
    kwargs: dict[str, Any] = {"min_samples_leaf": 10, "min_impurity_decrease": 1e-3}
    (theirs,) = compute_bins(
        torch.tensor(x)[:, None], 8, tree_kwargs=kwargs, y=torch.tensor(code), regression=False
    )
    ours = edges_of(TreeBins(**kwargs), x, code, is_classification=True)
    assert len(ours) > 3
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("n_bins", [2, 8, 48])
def test_quantile_edges_are_those_of_rtdl(n_bins):
    x, y = rows()
    x[:100] = 0.0
    (theirs,) = compute_bins(torch.tensor(x)[:, None], n_bins)
    # Their quantile levels are float32.
    np.testing.assert_allclose(edges_of(QuantileBins(), x, y, n_bins=n_bins), theirs, rtol=1e-5)


tenths = st.integers(-50, 50).map(lambda k: k / 10)
columns = arrays(np.float64, st.integers(1, 40), elements=tenths)
finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("bins", EVERY, ids=str)
@settings(max_examples=40)
@given(x=columns, n_bins=st.integers(1, 12), weighted=st.booleans())
def test_edges_are_few_ascending_distinct_and_span_the_column(bins, x, n_bins, weighted):
    y = np.cos(3 * np.arange(len(x)))
    weight = 1.0 + np.arange(len(x)) % 3 if weighted else None
    edges = edges_of(bins, x, y, n_bins=n_bins, weight=weight)
    assert (np.diff(edges) > 0).all()
    assert len(edges) <= n_bins + 1
    assert edges[0] == x.min()
    assert edges[-1] == x.max()


@settings(max_examples=40)
@given(x=arrays(np.float64, st.integers(2, 30), elements=finite))
@pytest.mark.parametrize("bins", EVERY, ids=str)
def test_huge_numbers_give_finite_widths(bins, x):
    edges = edges_of(bins, x, np.cos(np.arange(len(x))))
    assert np.isfinite(np.diff(edges)).all()
    assert (np.diff(edges) > 0).all()


@pytest.mark.parametrize("n_bins", [1, 2, 8])
@pytest.mark.parametrize("bins", EVERY, ids=str)
def test_widest_column_there_can_be(bins, n_bins):
    largest = np.finfo(np.float64).max
    edges = edges_of(bins, np.array([-largest, largest] * 20), np.arange(40.0), n_bins=n_bins)
    np.testing.assert_allclose(edges[[0, -1]], [-largest / 2, largest / 2])
    assert np.isfinite(np.diff(edges)).all()


@pytest.mark.parametrize(("n", "leaf"), [(40, 1), (500, 10), (5000, 24)])
def test_default_leaf_is_a_fiftieth_of_the_rows_up_to_24(n, leaf):
    x, y = rows(n)
    edges = edges_of(TreeBins(), x, y, n_bins=10_000)
    np.testing.assert_array_equal(edges, edges_of(TreeBins(leaf), x, y, n_bins=10_000))
    assert not np.array_equal(edges, edges_of(TreeBins(leaf + 1), x, y, n_bins=10_000))
    assert np.histogram(x, edges)[0].min() == leaf


def test_noise_is_not_split_if_a_split_must_pay():
    x, _ = rows()
    noise = np.random.default_rng(1).normal(size=len(x))
    assert len(edges_of(TreeBins(min_impurity_decrease=0.05), x, noise)) == 2


def test_unit_of_the_target_does_not_matter():
    x, y = rows()
    bins = TreeBins(min_impurity_decrease=0.05)
    expected = edges_of(bins, x, y)
    assert 3 <= len(expected) < 9
    for unit in (1e-9, 1e6, 1e200):
        np.testing.assert_array_equal(edges_of(bins, x, 5 * unit + unit * y), expected)


@pytest.mark.parametrize("unit", [1e-12, 1e12, 1e80])
def test_unit_of_the_column_does_not_matter(unit):
    x, y = rows()
    expected = unit * edges_of(TreeBins(), x, y)
    np.testing.assert_allclose(edges_of(TreeBins(), unit * x, y), expected, rtol=1e-12)


def test_seconds_of_this_century_are_told_apart():
    start = 1.7e9
    x = start + np.arange(100.0)
    edges = edges_of(TreeBins(), x, (x >= start + 30).astype(float), n_bins=2)
    np.testing.assert_array_equal(edges, [start, start + 29.5, start + 99])


def test_neighbours_in_a_long_column_are_told_apart():
    x = np.arange(20_000.0)
    edges = edges_of(TreeBins(), x, (x > 15_001).astype(float), n_bins=2)
    np.testing.assert_array_equal(edges, [0, 15_001.5, 19_999])


@pytest.mark.parametrize("is_classification", [False, True])
def test_weights_are_repetitions(is_classification):
    x, y = rows(150)
    y = (y > 0.5).astype(int) if is_classification else y
    weight = np.random.default_rng(3).integers(1, 6, len(x))
    options = {"n_bins": 6, "is_classification": is_classification}
    bins = TreeBins(min_samples_leaf=1)
    weighted = edges_of(bins, x, y, weight=weight.astype(float), **options)
    repeated = edges_of(bins, x.repeat(weight), y.repeat(weight), **options)
    np.testing.assert_array_equal(weighted, repeated)
    assert not np.array_equal(weighted, edges_of(bins, x, y, **options))


def test_weighted_quantiles():
    x = np.arange(5.0)
    weight = np.array([1.0, 1.0, 1.0, 1.0, 6.0])
    np.testing.assert_array_equal(edges_of(QuantileBins(), x, x, n_bins=2), [0, 2, 4])
    np.testing.assert_array_equal(edges_of(QuantileBins(), x, x, n_bins=2, weight=weight), [0, 4])


def test_sample_of_a_long_column():
    x, y = rows(3000)
    bins = TreeBins(max_rows=200)
    edges = edges_of(bins, x, y, seed=5)
    assert edges[0] == x.min()
    assert edges[-1] == x.max()
    np.testing.assert_array_equal(edges, edges_of(bins, x, y, seed=5))
    assert not np.array_equal(edges, edges_of(bins, x, y, seed=6))
    # 4 rows of the 200 that it saw: more bins than 60 rows of the 3000 would allow.
    assert len(edges_of(bins, x, y, n_bins=1000)) > 200 / 8


def test_short_columns_draw_nothing():
    x, y = rows(200)
    rng = np.random.default_rng(0)
    TreeBins(max_rows=200).edges(x, Target(y, is_classification=False), n_bins=8, rng=rng)
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state


@pytest.mark.parametrize(("n_classes", "by_quantiles"), [(50, False), (51, True)])
def test_many_classes_fall_back_to_quantiles(n_classes, by_quantiles):
    x, _ = rows(1000)
    code = np.arange(1000) % n_classes
    edges = edges_of(TreeBins(), x, code, is_classification=True)
    quantiles = edges_of(QuantileBins(), x, code)
    assert np.array_equal(edges, quantiles) == by_quantiles


def test_constant_column_has_one_edge():
    for bins in EVERY:
        assert edges_of(bins, np.full(60, 3.0), np.arange(60.0)).tolist() == [3.0]


def test_constant_target_has_two_edges():
    x, _ = rows()
    assert len(edges_of(TreeBins(), x, np.ones(len(x)))) == 2


@given(
    x=arrays(np.float64, st.integers(2, 20), elements=st.floats(-100, 100)),
    weighted=st.booleans(),
)
def test_mean_and_std(x, weighted):
    weight = 1 + np.arange(len(x)) % 4 if weighted else None
    mean, std = mean_and_std(x, None if weight is None else weight.astype(float))
    long = x if weight is None else x.repeat(weight)
    assert mean == pytest.approx(long.mean(), abs=1e-9)
    if long.std() > 1e-6:
        assert std == pytest.approx(long.std(), rel=1e-6)


def test_mean_and_std_of_extremes():
    mean, std = mean_and_std(np.array([-1e308, 1e308]), None)
    assert (mean, std) == (0.0, 1e308)
    assert mean_and_std(np.zeros(3), None) == (0.0, 1.0)
    assert mean_and_std(np.full(3, 4.0), None) == (4.0, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_rows": 0}, "`max_rows` is 0. Use a number of at least 1."),
        ({"min_samples_leaf": 0}, "`min_samples_leaf` is 0. Use a number of at least 1."),
        ({"min_impurity_decrease": -0.5}, "`min_impurity_decrease` is -0.5. Use a number of at"),
        ({"min_impurity_decrease": float("nan")}, "`min_impurity_decrease` is nan."),
    ],
)
def test_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        TreeBins(**options)
