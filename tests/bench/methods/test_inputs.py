"""Frames as other packages want them: all that is learned comes from training rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from lassoflexnet.bench.methods import inputs
from lassoflexnet.bench.methods.inputs import Categories, Encoder
from lassoflexnet.exceptions import InvalidInput
from tests.bench.methods.makers import mixed, odd


@pytest.fixture
def train() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "colour": ["red", "red", None, "blue", "blue", "once", None, "red"],
            "n": [1.0, 2.0, np.nan, 3.0, np.inf, 4.0, 5.0, 6.0],
            "flag": [True, False] * 4,
            "whole": pd.array([1, None, 3, 4, 5, 6, 7, 8], dtype="Int64"),
            "kind": pd.Categorical([1, 2] * 4),
        }
    )


def test_numbers_and_names(train):
    assert [inputs.is_nominal(train[name]) for name in train] == [True, False, False, False, True]


def test_categories(train):
    frames = Categories.of(train)
    assert frames.levels == (("blue", "once", "red"), None, None, None, ("1", "2"))
    assert frames.nominal == [0, 4]
    later = train[:3].assign(colour=["blue", "violet", None])
    frame = frames.frame(later)
    assert list(frame) == ["c0", "c1", "c2", "c3", "c4"]
    assert frame["c0"].isna().tolist() == [False, True, True]
    assert frame["c0"].cat.categories.tolist() == ["blue", "once", "red"]
    assert frames.text(later)["c0"].tolist() == ["blue", "nan", "nan"]
    np.testing.assert_array_equal(frames.ordinal(later)[:, 0], [0, np.nan, np.nan])
    np.testing.assert_array_equal(frames.ordinal(later)[:, 3], [1, np.nan, 3])
    np.testing.assert_array_equal(frames.ordinal(train)[:, 1], [1, 2, np.nan, 3, np.nan, 4, 5, 6])


def test_matrix_is_standardised_numbers_then_one_hot_codes(train):
    encoder = Encoder(train, "standard")
    matrix = encoder.matrix(train)
    assert matrix.dtype == np.float32
    # n, flag, whole; colour: blue, missing, red ("once" is too rare); kind: 1, 2.
    assert encoder.owners.tolist() == [1, 2, 3, 0, 0, 0, 4, 4]
    mean = np.mean([1, 2, 3, 4, 5, 6])
    n = np.array([1, 2, mean, 3, mean, 4, 5, 6])
    np.testing.assert_allclose(matrix[:, 0], (n - n.mean()) / n.std(), rtol=1e-5)
    expected = [[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(matrix[:7, 3:6], expected)
    assert encoder.cardinalities == [4, 3]
    later = train[:2].assign(colour=["violet", "blue"], n=[np.nan, 1.0])
    assert encoder.codes(later).tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(encoder.matrix(later)[0, 0], (mean - n.mean()) / n.std(), atol=1e-6)


def test_quantiles_of_training_rows_become_normal():
    split = mixed("regression", n=4000)
    encoder = Encoder(split.train.X)
    age = encoder.numbers(split.train.X)[:, 2]
    ranks = np.argsort(np.argsort(split.train.X["age"].to_numpy()))
    expected = norm.ppf((ranks + 0.5) / len(ranks))
    middle = np.abs(expected) < 1.5
    np.testing.assert_allclose(age[middle], expected[middle], atol=0.1)
    assert np.isfinite(encoder.matrix(odd(split.test.X))).all()


def test_columns_without_any_number_or_name():
    names = pd.DataFrame({"a": ["x", "y"] * 10})
    assert Encoder(names).matrix(names).shape == (20, 2)
    empty = pd.DataFrame({"a": [np.nan] * 20, "b": [1.0] * 20})
    assert np.isfinite(Encoder(empty).matrix(empty)).all()


def test_too_many_levels_are_capped():
    levels = [f"l{j:03d}" for j in range(100)]
    frame = pd.DataFrame({"a": levels * 2 + levels[50:] * 2})
    encoder = Encoder(frame)
    assert encoder.cardinalities == [inputs.MAX_LEVELS + 1]
    # The more frequent half is all in.
    assert (encoder.codes(frame[-50:]) > 0).all()


def test_fold_is_the_length_of_each_column_s_part(train):
    encoder = Encoder(train, "standard")
    values = np.array([1.0, -2, 0, 3, 4, 0, 0, -1])
    np.testing.assert_allclose(encoder.fold(values), [5, 1, 2, 0, 1])


def test_unknown_scaling(train):
    with pytest.raises(InvalidInput, match=r"'quantil'.*quantile, standard"):
        Encoder(train, "quantil")
