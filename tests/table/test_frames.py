"""Tables of every make behind one face."""

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.frames import as_table
from tests.table.makers import FRAMES, as_arrow, as_pandas, as_polars, mixed


@pytest.mark.parametrize("make", FRAMES)
def test_names_and_shape(make):
    table = as_table(make(mixed(n=9)))
    assert table.names == tuple(mixed())
    assert table.shape == (9, 8)


@pytest.mark.parametrize("columns", [None, ["a", 1]])
def test_names_that_are_not_strings(columns):
    table = as_table(pd.DataFrame([[1, 2]], columns=columns))
    assert table.names is None
    assert table.column(1).tolist() == [2]


@pytest.mark.parametrize("make", FRAMES)
def test_null_among_objects_is_none(make):
    table = as_table(make({"owner": [True, None], "town": [None, "Ulm"]}))
    assert table.column(0).tolist() == [True, None]
    assert table.column(1).tolist() == [None, "Ulm"]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"k": pd.Categorical(["b", None, "a"])}),
        pl.DataFrame({"k": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"k": pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"]))}),
        pa.table({"k": pa.array(["b", None, "a"]).dictionary_encode()}),
        pd.DataFrame({"k": pd.array(["b", None, "a"], dtype="string[pyarrow]")}),
    ],
    ids=lambda X: type(X).__module__,
)
def test_categorical_dtypes(X):
    assert as_table(X).column(0).tolist() == ["b", None, "a"]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"k": pd.Categorical([2, None, 1])}),
        pa.table({"k": pa.array([2, None, 1]).dictionary_encode()}),
    ],
    ids=lambda X: type(X).__module__,
)
def test_categories_that_are_numbers_are_read_as_text(X):
    assert as_table(X).column(0).tolist() == ["2", None, "1"]


def test_nullable_numbers():
    X = pd.DataFrame({"i": pd.array([1, None], "Int64"), "f": pd.array([1.5, None], "Float64")})
    np.testing.assert_array_equal(as_table(X).column(0), [1, np.nan])
    np.testing.assert_array_equal(as_table(X).column(1), [1.5, np.nan])


@pytest.mark.parametrize("make", FRAMES)
def test_zoned_times_are_read_off_the_wall_clock(make):
    noon = datetime(2024, 7, 1, 12)
    zoned = pl.DataFrame({"t": [noon]}).with_columns(
        pl.col("t").dt.replace_time_zone("Europe/Paris")
    )
    X = {as_pandas: zoned.to_pandas, as_polars: lambda: zoned, as_arrow: zoned.to_arrow}[make]()
    assert as_table(X).column(0).astype("M8[s]").tolist() == [noon]


def test_array_columns_are_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    assert np.shares_memory(as_table(X).column(1), X)


def test_numbers_of_a_mixed_list_stay_numbers():
    assert as_table([[1, "a"], [2.5, "b"]]).column(0).tolist() == [1, 2.5]


def test_anything_numpy_can_make_two_dimensional():
    class Lazy:
        def __array__(self, dtype=None, copy=None):
            return np.ones((2, 3), dtype=dtype)

    assert as_table(Lazy()).shape == (2, 3)
    readonly = np.ones((2, 3))
    readonly.setflags(write=False)
    assert as_table(readonly).column(0).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((0, 3)), r"^Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required."),
        (pd.DataFrame({"a": []}), r"^Found array with 0 sample\(s\) \(shape=\(0, 1\)\) while a"),
        (pl.DataFrame(), r"Found array with 0 sample\(s\) \(shape=\(0, 0\)\)"),
        (
            pd.DataFrame(index=range(3)),
            r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is",
        ),
        (np.zeros(3), "Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
        (pd.Series([1.0]), "2-dimensional"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        (np.zeros((2, 2), dtype=[("a", float)]), r"X has dtype \[\('a', '<f8'\)\]. Pass numbers"),
        ([[1, 2], [3]], "inhomogeneous"),
        (pl.LazyFrame({"a": [1]}), r"X is a lazy frame, and rows are needed here. Pass `X.collect"),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            "equal column names[^`]*'a' 2 times",
        ),
        (pa.table([[1], [2]], names=["b", "b"]), "equal column names[^`]*'b' 2 times"),
    ],
    ids=lambda value: type(value).__module__ if not isinstance(value, str) else value[:20],
)
def test_refused(X, message):
    with pytest.raises(InvalidInput, match=message):
        as_table(X)


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"nest": [{"a": 1}, {"a": 2}]}),
        pl.DataFrame({"nest": [[1], [2, 3]]}),
        pl.DataFrame({"nest": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int8, 2))}),
        pa.table({"nest": [{"a": 1}, {"a": 2}]}),
    ],
    ids=["struct", "list", "array", "arrow"],
)
def test_nested_columns_are_refused(X):
    with pytest.raises(TypeError, match=r"must be a string or a number, column `nest` holds"):
        as_table(X).column(0)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_is_refused(make):
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        as_table(make(np.eye(3)))
