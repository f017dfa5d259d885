"""Schema inference, and the check of later tables."""

import copy
import pickle
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.table.schema import Column, Kind, Schema, infer_schema
from tests.table.makers import FRAMES, MAKES, as_lists, as_objects, mixed

KINDS = {
    "age": Kind.NUMERIC,
    "income": Kind.NUMERIC,
    "owner": Kind.BOOLEAN,
    "town": Kind.CATEGORICAL,
    "born": Kind.DATE,
    "seen": Kind.DATE,
    "same": Kind.CONSTANT,
    "none": Kind.EMPTY,
}


def kinds(X, categorical_features="auto"):
    return [column.kind for column in infer_schema(X, categorical_features).columns]


@pytest.mark.parametrize("make", MAKES)
def test_kinds(make):
    schema = infer_schema(make(mixed()))
    assert [column.kind for column in schema.columns] == list(KINDS.values())
    assert schema.alive.tolist() == [True] * 6 + [False] * 2


@pytest.mark.parametrize("make", FRAMES)
def test_names_of_a_frame(make):
    schema = infer_schema(make(mixed()))
    assert schema.named
    assert schema.names == tuple(KINDS)


def test_names_of_an_array():
    for X in (np.eye(3), pd.DataFrame(np.eye(3))):
        schema = infer_schema(X)
        assert not schema.named
        assert schema.names == ("x0", "x1", "x2")


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_kinds_of_a_plain_array(dtype):
    expected = Kind.BOOLEAN if dtype is bool else Kind.NUMERIC
    assert kinds(np.eye(3).astype(dtype)) == [expected] * 3


def test_digits_are_numbers_in_arrays_and_text_in_frames():
    cells = {"zip": ["01", "02"], "town": ["a", "b"]}
    assert kinds(as_objects(cells)) == [Kind.NUMERIC, Kind.CATEGORICAL]
    assert kinds(pd.DataFrame(cells)) == [Kind.CATEGORICAL, Kind.CATEGORICAL]
    assert kinds(pd.DataFrame(cells, dtype=object)) == [Kind.CATEGORICAL, Kind.CATEGORICAL]


def test_objects_of_a_frame():
    X = pd.DataFrame({"n": [1, None, 2.5], "t": ["a", 1, None]}, dtype=object)
    assert kinds(X) == [Kind.NUMERIC, Kind.CATEGORICAL]


@pytest.mark.parametrize("values", [[5.0, 5.0, None], ["a", "a", None], [True, True, None]])
def test_one_value_and_gaps_is_not_constant(values):
    assert kinds(pl.DataFrame({"x": values}))[0] not in (Kind.CONSTANT, Kind.EMPTY)


@pytest.mark.parametrize("values", [[5, 5], ["a", "a"], [True, True], [np.datetime64("2020")] * 2])
def test_constant_of_every_kind(values):
    assert kinds(pd.DataFrame({"x": values})) == [Kind.CONSTANT]


@pytest.mark.parametrize("dtype", [pl.Float64, pl.String, pl.Date, pl.Boolean, pl.Null, pl.Int8])
def test_empty_of_every_dtype(dtype):
    assert kinds(pl.DataFrame({"x": pl.Series([None, None], dtype=dtype)})) == [Kind.EMPTY]


@pytest.mark.parametrize("given", [["zip"], [1], [False, True]])
def test_declared_categorical(given):
    X = pd.DataFrame({"age": [1, 2, 3], "zip": [10115, 89073, 10115]})
    assert kinds(X) == [Kind.NUMERIC, Kind.NUMERIC]
    assert kinds(X, given) == [Kind.NUMERIC, Kind.CATEGORICAL]


def test_declared_is_on_top_of_dtypes_and_constant_stays_constant():
    X = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [1, 1]})
    assert kinds(X, ["a", "c"]) == [Kind.CATEGORICAL, Kind.CATEGORICAL, Kind.CONSTANT]


def test_infinity_names_the_column():
    X = pd.DataFrame({"ok": [1.0, 2.0], "bad": [1.0, np.inf]})
    for given in ("auto", ["bad"]):
        with pytest.raises(InvalidInput, match="column `bad` contains infinity"):
            infer_schema(X, given)
    with pytest.raises(InvalidInput, match="column `x1` contains infinity"):
        infer_schema(X.to_numpy())


def test_dict_cell():
    X = np.ones((3, 2), dtype=object)
    X[0, 1] = {"foo": "bar"}
    for given in ("auto", [1]):
        with pytest.raises(
            TypeError, match=r"argument must be .* string.* number.* `x1` holds a dict"
        ):
            infer_schema(X, given)


def test_pickle_and_copy():
    schema = infer_schema(pl.DataFrame(mixed()))
    assert pickle.loads(pickle.dumps(schema)) == schema == copy.deepcopy(schema)
    assert hash(schema) == hash(infer_schema(pl.DataFrame(mixed())))


SCHEMA = Schema(
    (
        Column("age", Kind.NUMERIC),
        Column("town", Kind.CATEGORICAL),
        Column("owner", Kind.BOOLEAN),
        Column("born", Kind.DATE),
        Column("same", Kind.CONSTANT),
        Column("none", Kind.EMPTY),
    ),
    named=True,
)
ROWS: dict[str, list[Any]] = {
    "age": [30, 40],
    "town": ["Ulm", "Kiel"],
    "owner": [True, False],
    "born": [datetime(1990, 1, 1), datetime(1980, 1, 1)],
    "same": [7.0, 7.0],
    "none": [None, None],
}


def read(X):
    return [column.tolist() for column in SCHEMA.read(X)[1]]


def test_order_and_further_columns_do_not_matter():
    names = ["born", "extra", *list(ROWS)[::-1]]
    X = pd.DataFrame({**ROWS, "extra": [{}, {}]})[list(dict.fromkeys(names))]
    assert read(X) == read(pd.DataFrame(ROWS))
    SCHEMA.check(X)


def test_missing_columns_are_named():
    X = pd.DataFrame(ROWS).drop(columns=["age", "born"])
    with pytest.raises(SchemaMismatch, match="lacks 2 of the 6 columns seen by fit: `age`, `born`"):
        SCHEMA.check(X)


def test_array_for_a_named_schema_is_taken_by_position():
    assert read(as_objects(ROWS)) == read(pd.DataFrame(ROWS))


def test_frame_for_a_nameless_schema_is_taken_by_position():
    schema = infer_schema(np.arange(6.0).reshape(2, 3))
    X = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["c", "b", "a"])
    assert [column.tolist() for column in schema.read(X)[1]] == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("X", [np.eye(1), pd.DataFrame([[1.0]]), [[1]]])
def test_number_of_columns(X):
    schema = infer_schema(np.arange(6.0).reshape(2, 3))
    message = "X has 1 features, but LassoFlexNet is expecting 3 features as input"
    with pytest.raises(SchemaMismatch, match=message):
        schema.check(X)


def test_frame_with_too_many_columns_for_a_nameless_schema():
    with pytest.raises(SchemaMismatch, match="X has 4 features, but LassoFlexNet is expecting 3"):
        infer_schema(np.eye(3)).check(pd.DataFrame(np.eye(4), columns=list("abcd")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"age": [None, "old"]},
            r"`age` was numeric .* holds text now \(first: 'old'",
        ),
        ({"owner": ["yes", "no"]}, r"`owner` was boolean .* holds text now \(first: 'yes'\)"),
        ({"born": [3.5, 4]}, r"`born` was date .* holds float now \(first: 3.5\)"),
        ({"age": ROWS["born"]}, "`age` was numeric .* holds datetime now"),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, as_lists])
def test_cells_of_another_kind(make, change, message):
    with pytest.raises(SchemaMismatch, match=message):
        SCHEMA.check(make({**ROWS, **change}))


@pytest.mark.parametrize("name", ["age", "owner", "same", "none"])
def test_infinity_at_predict(name):
    with pytest.raises(InvalidInput, match=f"column `{name}` contains infinity"):
        SCHEMA.check(pd.DataFrame({**ROWS, name: [0.5, np.inf]}))


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        ({"age": [30.5, np.nan]}, 0, [30.5, np.nan]),
        ({"age": [True, False]}, 0, [1, 0]),
        ({"age": ["30", "40.5"]}, 0, [30, 40.5]),
        ({"owner": [1, 0]}, 2, [1, 0]),
        ({"owner": [1.0, np.nan]}, 2, [1, np.nan]),
        ({"same": ["now", "text"]}, 4, [0, 0]),
        ({"none": ROWS["born"]}, 5, [0, 0]),
    ],
)
def test_kinds_that_stand_in_for_each_other(change, column, expected):
    np.testing.assert_array_equal(read(pd.DataFrame({**ROWS, **change}))[column], expected)


@pytest.mark.parametrize("cells", [[1, 2], [1.0, 2.0], ["1", "2"]])
def test_categories_are_compared_as_text(cells):
    assert read(pd.DataFrame({**ROWS, "town": cells}))[1] == ["1", "2"]


@pytest.mark.parametrize("dtype", [pl.Float64, pl.String, pl.Date, pl.Boolean, pl.Null])
@pytest.mark.parametrize("name", list(ROWS))
def test_column_without_a_value_fits_any_kind(name, dtype):
    X = pl.DataFrame(ROWS).with_columns(pl.Series(name, [None, None], dtype=dtype))
    SCHEMA.check(X)
