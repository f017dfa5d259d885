"""Targets: reading what the user calls y, coding it, and coming back."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

from lassoflexnet.estimators.targets import ClassTarget, Labels, Numbers, NumericTarget
from lassoflexnet.exceptions import InvalidInput

VALUES = [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "y",
    [
        VALUES,
        tuple(VALUES),
        np.array(VALUES, dtype=np.float32),
        np.array([3, 1, 2]),
        np.array([3, 1, 2], dtype=object),
        [Decimal(3), Decimal(1), Decimal(2)],
        pd.Series(VALUES, index=[7, 8, 9]),
        pd.Series([3, 1, 2], dtype="Int64"),
        pl.Series(VALUES),
        pa.chunked_array([[3.0], [1.0, 2.0]]),
    ],
    ids=lambda y: type(y).__module__ + "." + type(y).__name__,
)
def test_numbers_of_any_make(y):
    read = Numbers().read(y)
    assert read.dtype == np.float64
    assert read.tolist() == VALUES


def test_booleans_are_numbers():
    assert Numbers().read([True, False]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("reader", [Numbers(), Labels()])
def test_a_table_of_one_column_is_taken_with_a_warning(reader):
    with pytest.warns(DataConversionWarning):
        assert reader.read([[1], [2], [1]]).tolist() == [1, 2, 1]


@pytest.mark.parametrize("reader", [Numbers(), Labels()])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 1.0], "contains NaN: 1 of 3 .* row 1"),
        ([1, None, 1], "contains NaN: 1 of 3"),
        (pd.Series([1, 1, pd.NA], dtype="Int64"), "contains NaN: 1 of 3 .* row 2"),
        (pd.Series(["a", "b", None]), "contains NaN: 1 of 3"),
        ([1.0, 2.0, np.inf], "contains infinity .* row 2"),
        (np.ones((3, 2)), "y is not a column"),
        ([[1, 2], [3]], "y is not a column"),
        ([1j, 2j], "Complex data not supported$"),
        ([], "0 sample"),
        (None, "requires y"),
    ],
)
def test_neither_reader_takes(reader, y, message):
    with pytest.raises(InvalidInput, match=message):
        reader.read(y)


@pytest.mark.parametrize(
    ("y", "first"),
    [
        (["low", "high"], "'low'"),
        ([1, "high"], "'1'"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "datetime.date"),
        (np.array([1, 2], dtype="m8[s]"), "datetime.timedelta"),
        ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], "datetime.date"),
    ],
)
def test_a_regressor_refuses_what_is_not_a_number(y, first):
    with pytest.raises(InvalidInput, match=rf"y is not numeric \(first value {first}.*Convert it"):
        Numbers().read(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(["a", 1, "b"], dtype=object), "mixes text and other"),
        ([0.1, 0.2, 0.3], "does not hold class labels.*continuous"),
    ],
)
def test_a_classifier_refuses(y, message):
    with pytest.raises(InvalidInput, match=message):
        Labels().read(y)


def test_numbers_are_standardised_and_come_back():
    y, weight = np.array([1.0, 3.0, 5.0]), np.array([1.0, 1.0, 2.0])
    target = NumericTarget.fit(y, weight)
    assert target.mean == pytest.approx(3.5)
    assert target.scale == pytest.approx(np.sqrt((2.5**2 + 0.5**2 + 2 * 1.5**2) / 4))
    back = target.decode(target.encode(y).double()[:, None])
    np.testing.assert_allclose(back, y, rtol=1e-6)


def test_a_constant_comes_back_exactly_whatever_the_network_says():
    target = NumericTarget.fit(np.full(7, 0.1), np.ones(7))
    assert target.encode(np.full(2, 0.1)).tolist() == [0.0, 0.0]
    assert target.decode(torch.tensor([[3.0], [-1.0]], dtype=torch.float64)).tolist() == [0.1, 0.1]


def test_huge_numbers_do_not_overflow():
    y = np.array([1e300, -1e300, 3e300])
    target = NumericTarget.fit(y, np.ones(3))
    assert np.isfinite(target.encode(y).numpy()).all()


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "c", "a"],
        [2, 1, 3, 1],
        [2.0, 1.0, 3.0, 1.0],
        np.array(list("baca"), dtype=object),
    ],
)
def test_labels_are_numbered_in_order(y):
    y = Labels().read(y)
    target = Labels().fit(y, np.ones(4))
    assert target.classes.tolist() == sorted(set(y.tolist()))
    assert target.encode(y).tolist() == [1, 0, 2, 0]


def test_two_booleans_are_two_classes():
    target = Labels().fit(Labels().read([True, False, True]), np.ones(3))
    assert target.classes.tolist() == [False, True]
    assert target.encode(np.array([True, False])).tolist() == [1, 0]


def test_one_class_is_refused_and_named():
    with pytest.raises(InvalidInput, match="only one class, 'a'"):
        ClassTarget.fit(np.array(["a", "a"]), None)


@pytest.mark.parametrize("label", ["z", "aa", 1])
def test_a_class_never_seen_is_refused_and_named(label):
    target = ClassTarget.fit(np.array(["a", "b"]), None)
    with pytest.raises(InvalidInput, match=f"class {label!r}, which the training rows do not"):
        target.encode(np.array([label]))


def test_outputs_count_the_classes():
    two = ClassTarget.fit(np.array([0, 1]), None)
    three = ClassTarget.fit(np.array([0, 1, 2]), None)
    assert (two.task.n_outputs, three.task.n_outputs) == (1, 3)
    assert two.probabilities(torch.tensor([[0.0]])).tolist() == [[0.5, 0.5]]
    np.testing.assert_allclose(three.probabilities(torch.zeros(1, 3)), [[1 / 3] * 3])


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0}, {"a": 2.0, "b": 0.5}])
def test_class_weights_are_those_of_scikit_learn(class_weight):
    y = np.array(["a", "b", "b", "b"])
    target = ClassTarget.fit(y, class_weight)
    expected = compute_sample_weight(class_weight, y)
    np.testing.assert_allclose(target.row_weight(target.encode(y)), expected)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"a": -1.0}, "class 'a' the weight -1"),
        ({"a": 0.0}, "class 'a' the weight 0"),
        ({"a": np.inf}, "class 'a' the weight inf"),
        ({"A": 2.0}, "does not fit the classes of y"),
        ({"a": "much"}, "does not fit the classes of y"),
    ],
)
def test_class_weights_that_cannot_be_used(class_weight, message):
    with pytest.raises(InvalidInput, match=f"`class_weight`.*{message}"):
        ClassTarget.fit(np.array(["a", "b"]), class_weight)
