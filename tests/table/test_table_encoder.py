"""Whole tables to codes."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from lassoflexnet.codes import CodeLayout, dense_codes
from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.table import schema as schema_module
from lassoflexnet.table.bins import QuantileBins, TreeBins
from lassoflexnet.table.dates import FittedCalendar, FittedEpoch
from lassoflexnet.table.encodings import OneHot, PiecewiseLinear, Standardized
from lassoflexnet.table.fitted import FittedConstant, FittedOneHot, FittedPiecewise
from lassoflexnet.table.schema import infer_schema
from lassoflexnet.table.table_encoder import TableEncoder
from tests.table.makers import FRAMES, MAKES, as_pandas, fit_table, mixed


def assert_same(one, other):
    torch.testing.assert_close(one.slot, other.slot, rtol=0, atol=0)
    torch.testing.assert_close(one.fraction, other.fraction, rtol=0, atol=0)


def numbers(n: int = 200, d: int = 5) -> np.ndarray:
    X = np.random.default_rng(0).normal(size=(n, d))
    X[::7, 1] = np.nan
    X[:, 2] = X[:, 2] > 0
    X[:, 3] = 4.0
    return X


def test_pieces_by_kind():
    columns = fit_table(as_pandas(mixed())).columns
    assert [[type(piece) for piece in pieces] for pieces in columns] == [
        [FittedPiecewise],
        [FittedPiecewise],
        [FittedPiecewise],
        [FittedOneHot],
        [FittedEpoch] + [FittedCalendar] * 3,
        [FittedEpoch] + [FittedCalendar] * 4,
        [FittedConstant],
        [FittedConstant],
    ]
    assert columns[2][0] == FittedPiecewise((0.0, 1.0))


def test_layout():
    X = {"a": [1.0, 2.0, 3.0], "k": ["u", "v", "u"], "t": ["2020-01-01", "2020-05-02", None]}
    frame = pd.DataFrame(X).assign(t=lambda X: pd.to_datetime(X.t))
    table = fit_table(frame, encoder=TableEncoder(numeric=Standardized()))
    assert table.layout == CodeLayout(
        feature=(0, 1, 2, 2, 2, 2),
        offset=(0, 0, 0, 2, 15, 23),
        n_ordered=(1, 0, 1, 0, 0, 0),
        n_slots=(2, 4, 55),
    )
    assert table.encode(frame).slot[:, 1].tolist() == [0, 1, 0, 2 + 4, 15 + 5, 23 + 1]
    assert table.encode(frame).slot[:, 2].tolist() == [0, 0, 1, 14, 22, 54]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("make_later", MAKES)
def test_every_make_gives_the_same_codes(make, make_later):
    cells, later = mixed(), mixed(seed=1)
    reference = fit_table(as_pandas(cells))
    table = fit_table(make(cells))
    assert table.columns == reference.columns
    assert_same(table.encode(make_later(later)), reference.encode(as_pandas(later)))


def test_codes_are_compact_and_contiguous():
    table = fit_table(numbers())
    for n in (1, 50, 5000):
        codes = table.encode(numbers(n))
        assert codes.slot.dtype == torch.uint8
        assert codes.fraction.dtype == torch.float32
        assert codes.slot.shape == codes.fraction.shape == (5, n)
        assert codes.slot.is_contiguous()
        assert codes.fraction.is_contiguous()


def test_wide_codes_need_more_bits():
    words = np.array([f"w{k}" for k in range(33_000)], dtype=object)[:, None]
    encoder = TableEncoder(categorical=OneHot(max_categories=40_000, min_count=1))
    table = fit_table(words, encoder=encoder)
    codes = table.encode(words)
    assert codes.slot.dtype == torch.int32
    assert codes.slot.unique().numel() == 33_000


def test_dense_codes_are_vectors_of_the_training_rows():
    X = pd.DataFrame({"x": [0.0, 1.0, 3.0, None], "k": ["a", None, "b", "a"]})
    table = fit_table(X, encoder=TableEncoder(numeric=PiecewiseLinear(2, QuantileBins())))
    dense = dense_codes(table.encode(X), table.layout)
    assert dense[0, :, :3].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]]
    assert dense[1].tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0]]


def test_missing_slots_are_there_even_if_training_had_none():
    X = pd.DataFrame({"x": [1.0, 2.0], "b": [True, False], "k": ["u", "v"]})
    table = fit_table(X)
    nothing = pd.DataFrame({"x": [None], "b": [None], "k": [None]})
    assert table.encode(nothing).slot[:, 0].tolist() == [
        table.layout.n_slots[0] - 1,
        table.layout.n_slots[1] - 1,
        table.layout.n_slots[2] - 1,
    ]
    assert table.encode(nothing).fraction.tolist() == [[1], [1], [1]]


def test_unseen_categories_share_the_slot_other():
    table = fit_table(pd.DataFrame({"k": ["u", "v", "u"]}))
    slots = table.encode(pd.DataFrame({"k": ["v", "new", "newer", None]})).slot[0]
    assert slots.tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize("zips", [[10115, 89073], [10115.0, 89073.0], ["10115", "89073"]])
def test_whole_numbers_as_categories(zips):
    X = pd.DataFrame({"zip": [89073, 89073, 10115], "x": [1.0, 2.0, 3.0]})
    table = fit_table(X, categorical_features=["zip"])
    assert table.columns[0] == (FittedOneHot(("89073", "10115"), 0),)
    codes = table.encode(pd.DataFrame({"zip": zips, "x": [0.0, 0.0]}))
    assert codes.slot[0].tolist() == [1, 0]


def test_array_with_declared_categories():
    X = np.array([[3.0, 0.1], [4.0, 0.2], [3.0, np.nan]])
    table = fit_table(X, categorical_features=[0])
    assert table.encode(X[:1]).slot[0].tolist() == [0]
    assert table.encode([[5, 0.1], [4, 0.1]]).slot[0].tolist() == [2, 1]


def test_high_cardinality_is_folded_and_told():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": rng.integers(0, 300, 3000).astype(str), "town": ["u", "v"] * 1500})
    table = fit_table(X)
    assert table.folded == {"id": X["id"].nunique() - 64}
    assert table.layout.n_slots == (66, 4)


def test_alive():
    assert fit_table(as_pandas(mixed())).alive.tolist() == [True] * 6 + [False] * 2


def test_dead_columns_are_zero_whatever_they_hold():
    table = fit_table(as_pandas(mixed()))
    later = as_pandas(mixed()).assign(same="text", none=3.5)
    codes = table.encode(later)
    assert codes.slot[-2:].unique().tolist() == [0]
    assert codes.fraction[-2:].unique().tolist() == [0]


@pytest.mark.parametrize("make", FRAMES)
def test_order_and_further_columns_do_not_matter(make):
    cells = mixed()
    table = fit_table(make(cells))
    turned = {"extra": [0] * 60, **dict(reversed(cells.items()))}
    assert_same(table.encode(make(turned)), table.encode(make(cells)))


@pytest.mark.parametrize("features", [[0], [1, 3], [2, 4, 5], [6], []], ids=str)
@pytest.mark.parametrize("make", [as_pandas, MAKES[3]])
def test_some_features(make, features):
    X = make(mixed())
    table = fit_table(X)
    index = np.array(features, dtype=int)
    codes = table.encode(X, index)
    assert_same(codes, table.encode(X).pieces(table.layout.pieces_of(index)))
    assert codes.slot.shape == (table.layout.keep(index).n_pieces, 60)


@pytest.mark.parametrize("features", [[0], [1, 3, 4], []], ids=str)
@pytest.mark.parametrize("n", [1, 5000])
def test_some_features_of_numbers(features, n):
    table, X = fit_table(numbers()), numbers(n)
    index = np.array(features, dtype=int)
    assert_same(table.encode(X, index), table.encode(X).pieces(index))


@pytest.mark.parametrize("X", [numbers(), pd.DataFrame(numbers())], ids=["array", "frame"])
def test_features_left_out_are_checked_all_the_same(X):
    table = fit_table(X)
    only = np.array([0])
    bad = pd.DataFrame(numbers(2))
    bad.iloc[0, 4] = np.inf
    with pytest.raises(InvalidInput, match="column `x4` contains infinity"):
        table.encode(bad.to_numpy() if isinstance(X, np.ndarray) else bad, only)
    with pytest.raises(SchemaMismatch, match="X has 4 features, but LassoFlexNet is expecting 5"):
        table.encode(bad.iloc[:, :4].to_numpy(), only)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("numeric", [PiecewiseLinear(), Standardized()], ids=str)
def test_few_rows_are_coded_as_many(dtype, order, numeric):
    table = fit_table(numbers(), encoder=TableEncoder(numeric=numeric))
    X = np.asarray(np.nan_to_num(3 * numbers(4000)).astype(dtype), order=order)
    many = table.encode(X)
    for rows in (slice(0, 1), slice(3, 40)):
        assert_same(table.encode(X[rows]), many.rows(rows))


def test_few_rows_of_an_array_do_not_go_through_a_table(monkeypatch: pytest.MonkeyPatch):
    table = fit_table(numbers())
    mixed_table = fit_table(as_pandas(mixed()))

    def never(X: Any) -> None:
        raise AssertionError("slow path")

    monkeypatch.setattr(schema_module, "as_table", never)
    assert table.encode(numbers(1)).n_rows == 1
    with pytest.raises(AssertionError, match="slow path"):
        mixed_table.encode(as_pandas(mixed()))


def test_input_is_left_alone_and_may_be_read_only():
    X = numbers()
    X.setflags(write=False)
    before = X.copy()
    fit_table(X).encode(X)
    np.testing.assert_array_equal(X, before)
    frame = as_pandas(mixed())
    fit_table(frame).encode(frame)
    pd.testing.assert_frame_equal(frame, as_pandas(mixed()))


def test_weights_change_the_bins_and_rows_without_weight_are_left_out():
    X, rng = numbers(), np.random.default_rng(5)
    y = np.sin(3 * X[:, 0]) + X[:, 4]
    weight = rng.integers(0, 4, len(X)).astype(float)
    encoder = TableEncoder(numeric=PiecewiseLinear(6))
    schema = infer_schema(X)

    def columns(rows, weight):
        rng = np.random.default_rng(0)
        return encoder.fit(
            X[rows], schema, y[rows], is_classification=False, sample_weight=weight, rng=rng
        ).columns

    weighted = columns(slice(None), weight)
    assert weighted == columns(weight > 0, weight[weight > 0])
    assert weighted != columns(slice(None), None)
    assert columns(slice(None), np.ones(len(X))) == columns(slice(None), None)


def test_classes_and_numbers_give_different_bins():
    X = numbers()
    code = np.digitize(X[:, 0] ** 2, [0.1, 0.5, 2])
    encoder = TableEncoder(numeric=PiecewiseLinear(6))
    by_class = fit_table(X, code, encoder, is_classification=True)
    by_number = fit_table(X, code, encoder, is_classification=False)
    assert by_class.columns != by_number.columns


def test_random_numbers_come_from_the_generator():
    X = numbers(500)
    encoder = TableEncoder(numeric=PiecewiseLinear(bins=TreeBins(max_rows=100)))

    def columns(seed):
        return fit_table(X, X[:, 0], encoder, rng=np.random.default_rng(seed)).columns

    assert columns(0) == columns(0)
    assert columns(0) != columns(1)


def test_pickle_and_copy():
    X = as_pandas(mixed())
    for table, later in ((fit_table(X), X), (fit_table(numbers()), numbers(3))):
        expected = table.encode(later)
        for again in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
            assert again == table
            assert_same(again.encode(later), expected)
            assert again.layout == table.layout


def test_encoders_compare_and_hash():
    assert TableEncoder() == TableEncoder(PiecewiseLinear(), OneHot())
    assert hash(TableEncoder()) == hash(TableEncoder())
    assert TableEncoder() != TableEncoder(numeric=Standardized())


def test_huge_numbers_stay_finite():
    X = np.array([[-1.7e308, 1e-320], [1.7e308, 2e-320], [0.0, 0.0]])
    for numeric in (PiecewiseLinear(), Standardized()):
        table = fit_table(X, encoder=TableEncoder(numeric=numeric))
        for rows in (X, X.repeat(20_000, axis=0), pl.DataFrame(X)):
            assert table.encode(rows).fraction.isfinite().all()


@pytest.mark.parametrize(
    ("n_bins", "dtype"), [(48, torch.uint8), (254, torch.uint8), (400, torch.int16)]
)
def test_slots_have_the_smallest_type_that_holds_them(n_bins, dtype):
    X = np.random.default_rng(0).normal(size=(2000, 1))
    encoder = TableEncoder(numeric=PiecewiseLinear(n_bins=n_bins, bins=QuantileBins()))
    rng = np.random.default_rng(0)
    table = encoder.fit(X, infer_schema(X), X[:, 0], is_classification=False, rng=rng)
    codes = table.encode(X)
    assert table.layout.max_slots == n_bins + 1
    assert codes.slot.dtype == dtype
    assert codes.slot.long().max() == n_bins - 1
