"""Kinds of cells, and reading cells as a kind."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.table.cells import (
    is_missing,
    kind_of,
    missing_cells,
    read_dates,
    read_nothing,
    read_numbers,
    read_text,
)
from lassoflexnet.table.columns import Column, Kind

NUMBER = Column("age", Kind.NUMERIC)
TEXT = Column("town", Kind.CATEGORICAL)
DATE = Column("born", Kind.DATE)
MISSING = [None, np.nan, np.float32("nan"), Decimal("NaN"), np.datetime64("NaT"), pd.NaT, pd.NA]


def objects(*cells: Any) -> np.ndarray:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


@pytest.mark.parametrize("cell", MISSING, ids=repr)
def test_missing(cell):
    assert is_missing(cell)
    assert missing_cells(objects("a", cell, 3)).tolist() == [False, True, False]


@pytest.mark.parametrize("cell", [0, 0.0, "", "nan", "None", False, [], date(2020, 1, 1)], ids=repr)
def test_not_missing(cell):
    assert not is_missing(cell)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1.0, np.nan]), [False, True]),
        (np.array([1, 2]), [False, False]),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), [False, True]),
        (objects("a", None), [False, True]),
    ],
)
def test_missing_by_dtype(values, expected):
    assert missing_cells(values).tolist() == expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([True, False]), Kind.BOOLEAN),
        (np.array([1, 2], np.uint8), Kind.NUMERIC),
        (np.array([1, 2], "m8[s]"), Kind.NUMERIC),
        (np.array(["2020"], "M8[Y]"), Kind.DATE),
        (np.array(["a", "b"]), Kind.CATEGORICAL),
        (objects(True, None, np.bool_(False)), Kind.BOOLEAN),
        (objects(True, 2), Kind.NUMERIC),
        (objects(1, None, 2.5, Decimal("3")), Kind.NUMERIC),
        (objects(1, "a"), Kind.CATEGORICAL),
        (objects(date(2020, 1, 1), pd.Timestamp("2021-01-01"), pd.NaT), Kind.DATE),
        (objects(date(2020, 1, 1), 3), Kind.CATEGORICAL),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
@pytest.mark.parametrize("digits_are_numbers", [True, False])
def test_kind(values, kind, digits_are_numbers):
    assert kind_of(values, "x", digits_are_numbers=digits_are_numbers) == kind


@pytest.mark.parametrize("values", [objects("1", "2.5", None), np.array(["1", "2.5"])])
def test_text_of_digits(values):
    assert kind_of(values, "x", digits_are_numbers=True) == Kind.NUMERIC
    assert kind_of(values, "x", digits_are_numbers=False) == Kind.CATEGORICAL


@pytest.mark.parametrize("cell", [{"a": 1}, [1], {1}, (1, 2), np.zeros(2)], ids=repr)
def test_containers_are_refused(cell):
    message = f"argument must be a string or a number, column `x` holds a {type(cell).__name__}"
    with pytest.raises(TypeError, match=message):
        kind_of(objects(1.0, cell), "x", digits_are_numbers=True)


@pytest.mark.parametrize("values", [np.array([1j]), objects(1.0, 2j)])
def test_complex_is_refused(values):
    with pytest.raises(InvalidInput, match="Complex data not supported: column `x`"):
        kind_of(values, "x", digits_are_numbers=True)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, 2], np.int8), [1, 2]),
        (np.array([True, False]), [1, 0]),
        (np.array([1.5, np.nan], np.float32), [1.5, np.nan]),
        (np.array([90, "NaT"], "m8[m]"), [5400, np.nan]),
        (objects(1, None, "2.5", True), [1, np.nan, 2.5, 1]),
        (objects(1, pd.NA, pd.NaT, Decimal("0.5")), [1, np.nan, np.nan, 0.5]),
        (np.array(["NaT", "NaT"], "M8[s]"), [np.nan, np.nan]),
    ],
)
def test_numbers(values, expected):
    numbers = read_numbers(values, NUMBER)
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, expected)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (objects(1, None, "old", "young"), r"holds text now \(first: 'old'\)"),
        (objects(1, {"a": 1}), r"holds dict now \(first: \{'a': 1\}\)"),
        (objects(1, np.zeros(2)), "holds ndarray now"),
        (np.array(["NaT", "2020-01-01"], "M8[D]"), r"holds date now \(first: datetime.date\(2020"),
    ],
)
def test_numbers_not_to_be_had(values, found):
    with pytest.raises(SchemaMismatch, match="column `age` was numeric when fitted and " + found):
        read_numbers(values, NUMBER)


@pytest.mark.parametrize("read", [read_numbers, read_text, read_nothing])
def test_infinity_is_refused(read):
    for values in (np.array([1.0, -np.inf]), np.array([np.inf, np.nan], np.float32)):
        with pytest.raises(InvalidInput, match="column `age` contains infinity"):
            read(values, NUMBER)


def test_infinity_among_objects_is_refused():
    with pytest.raises(InvalidInput, match="column `age` contains infinity"):
        read_numbers(objects(1, "inf"), NUMBER)


@pytest.mark.parametrize(
    "values",
    [
        objects(1, 2, None),
        objects(1.0, "2", np.nan),
        objects("1", Decimal("2.0"), pd.NA),
        np.array([1.0, 2.0, np.nan], np.float32),
        np.array([1.0, 2.0, np.nan]),
    ],
)
def test_equal_numbers_have_equal_text(values):
    assert read_text(values, TEXT).tolist() == ["1", "2", None]


def test_text_of_other_cells():
    assert read_text(np.array([True, False, True]), TEXT).tolist() == ["True", "False", "True"]
    assert read_text(objects(True, 1, "x"), TEXT).tolist() == ["True", "1", "x"]
    assert read_text(np.array([0.1, -2.0], np.float32), TEXT).tolist() == ["0.1", "-2"]
    assert read_text(np.array(["b", "a"]), TEXT).tolist() == ["b", "a"]
    assert read_text(objects(float("inf"), "x"), TEXT).tolist() == ["inf", "x"]


def test_dates():
    values = objects(
        date(2020, 2, 29),
        datetime(2020, 2, 29, 13, tzinfo=UTC),
        pd.Timestamp("2020-02-29 13:30"),
        np.datetime64("2020-02-29T14"),
        None,
        pd.NaT,
    )
    expected = ["2020-02-29T00", "2020-02-29T13", "2020-02-29T13:30", "2020-02-29T14", "NaT", "NaT"]
    dates = read_dates(values, DATE)
    assert dates.dtype == np.dtype("M8[us]")
    np.testing.assert_array_equal(dates, np.array(expected, "M8[us]"))
    np.testing.assert_array_equal(read_dates(dates.astype("M8[ns]"), DATE), dates)


def test_dates_of_an_empty_column():
    for values in (np.array([np.nan]), objects(None)):
        assert np.isnat(read_dates(values, DATE)).all()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (objects(None, "2020-01-01"), r"text now \(first: '2020-01-01'\)"),
        (np.array([3.0]), r"float now \(first: 3.0\)"),
    ],
)
def test_dates_not_to_be_had(values, found):
    with pytest.raises(SchemaMismatch, match="column `born` was date when fitted and holds "):
        read_dates(values, DATE)
    with pytest.raises(SchemaMismatch, match=found):
        read_dates(values, DATE)


def test_nothing_is_zeros():
    assert read_nothing(objects("a", {}), Column("x", Kind.EMPTY)).tolist() == [0, 0]
