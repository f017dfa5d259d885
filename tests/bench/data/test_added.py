"""Extraneous columns, written out again by hand."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.bench.data.added import KINDS, check_added, n_added, sources, with_added
from lassoflexnet.exceptions import InvalidInput


@pytest.fixture
def X():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.standard_normal((40, 4)) * [1, 10, 0.1, 5], columns=list("abcd"))
    frame.loc[5, "b"] = np.nan
    return frame.assign(word="w")


@pytest.mark.parametrize(("share", "number"), [(0.5, 4), (0.75, 12), (0.9, 36), (0.1, 0), (0, 0)])
def test_number_of_columns(X, share, number):
    for kind, (prefix, _) in KINDS.items():
        wide = with_added(X, kind, share)
        assert list(wide) == [*X, *(f"{prefix}_{i}" for i in range(number))]
        pd.testing.assert_frame_equal(wide[list(X)], X)


@pytest.mark.parametrize("n_columns", [8, 16, 26, 27, 28, 32, 54, 90, 93, 128, 136])
def test_shares_of_the_benchmark_are_exact(n_columns):
    assert n_added(n_columns, 0.5) == n_columns
    assert n_added(n_columns, 0.75) == 3 * n_columns


def test_random(X):
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.randn(40, 12)  # noqa: NPY002
    np.testing.assert_array_equal(with_added(X, "random", 0.75).iloc[:, 5:], expected)


def test_corrupted(X):
    real = X.drop(columns="word").to_numpy()
    np.random.seed(0)  # noqa: NPY002
    chosen = np.random.choice(4, 36)[:4]  # noqa: NPY002
    noise = np.random.randn(40, 4)  # noqa: NPY002
    wide = with_added(X, "corrupted", 0.5)
    for i, j in enumerate(chosen):
        known = real[:, j][~np.isnan(real[:, j])]
        spread = np.sqrt(np.mean((known - known.mean()) ** 2))
        expected = (real[:, j] + spread * noise[:, i]) / 2
        np.testing.assert_allclose(wide[f"corrupted_{i}"], expected, rtol=1e-12)


def test_secondorder(X):
    real = X.drop(columns="word").to_numpy()
    np.random.seed(0)  # noqa: NPY002
    first = np.random.choice(4, 36)  # noqa: NPY002
    second = np.random.choice(4, 36)  # noqa: NPY002
    wide = with_added(X, "secondorder", 0.75)
    for i in range(12):
        expected = real[:, first[i]] * real[:, second[i]]
        np.testing.assert_array_equal(wide[f"secondorder_{i}"], expected)


def test_half_the_columns_are_the_first_of_three_quarters(X):
    few, many = (sources(8, number, np.random.RandomState(0)) for number in (8, 24))
    assert few.tolist() == many[:8].tolist()
    half, most = (with_added(X, "secondorder", share) for share in (0.5, 0.75))
    pd.testing.assert_frame_equal(half, most[list(half)])
    half, most = (with_added(X, "corrupted", share) for share in (0.5, 0.75))
    nearest = [
        frame.filter(like="corrupted").corrwith(X[name]).abs()
        for frame in (half, most)
        for name in "abcd"
    ]
    by_half, by_most = (pd.concat(part, axis=1) for part in (nearest[:4], nearest[4:]))
    sure = (by_half.max(axis=1) > 0.5) & (by_most.max(axis=1)[:4] > 0.5)
    assert sure.sum() >= 3
    same = by_half.to_numpy().argmax(axis=1) == by_most[:4].to_numpy().argmax(axis=1)
    assert same[sure].all()


def test_none_is_the_table_itself(X):
    assert with_added(X, "none", 0.5) is X
    assert with_added(X, "random", 0) is X


def test_bad_values(X):
    with pytest.raises(InvalidInput, match=r"'noise' is not known. Use one of: none, "):
        with_added(X, "noise", 0.5)
    with pytest.raises(InvalidInput, match=r"`share` is 1. Use a number from 0 to below 1"):
        with_added(X, "random", 1)


@pytest.mark.parametrize("kind", ["corrupted", "secondorder"])
def test_made_columns_have_a_largest_share(X, kind):
    with pytest.raises(InvalidInput, match=r"`share` is 0.95. Use at most 0.9"):
        check_added(kind, 0.95)
    check_added("random", 0.95)


def test_too_few_numeric_columns_to_make_so_many_from():
    X = pd.DataFrame({"x": np.arange(5.0), **{f"c{i}": list("abcde") for i in range(10)}})
    with pytest.raises(InvalidInput, match="33 corrupted columns are asked for, but 1 numeric"):
        with_added(X, "corrupted", 0.75, count_nominal=True)
