"""Warnings about tables that can be used all the same."""

import warnings

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.table import TableEncoder, infer_schema

TRAINING = pd.DataFrame(
    {"size": np.arange(60.0), "town": ["Ulm", "Bonn", "Kiel"] * 20, "kind": ["a", "b"] * 30}
)


@pytest.fixture(scope="module")
def fitted():
    schema = infer_schema(TRAINING)
    y = np.arange(60.0)
    return TableEncoder().fit(
        TRAINING, schema, y, is_classification=False, rng=np.random.default_rng(0)
    )


def told(fitted, table, features=None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(fitted.blocks(table, features))
    return [str(warning.message) for warning in caught]


def test_a_table_like_the_first_raises_no_doubt(fitted):
    assert told(fitted, TRAINING) == []
    assert told(fitted, TRAINING[["town", "kind", "size"]]) == []
    assert told(fitted, TRAINING.to_numpy(dtype=object)) == []


def test_unknown_columns_are_counted_and_named(fitted):
    extra = {f"extra {i}": 0 for i in range(7)}
    (said,) = told(fitted, TRAINING.assign(**extra))
    assert "7 columns that fit did not see and predict ignores: `extra 0`" in said
    assert "`extra 4` and 2 more. Leave out" in said


def test_a_column_of_unseen_values_is_named_with_numbers(fitted):
    table = TRAINING.assign(town=[*(["ULM", "BONN"] * 29), None, None])
    (said,) = told(fitted, table)
    assert "every value of 1 categorical column is unknown" in said
    assert "`town` (58 values, none of the 3 categories known from fit)" in said
    assert "`kind`" not in said


def test_arrays_of_objects_are_looked_at_too(fitted):
    table = TRAINING.assign(kind="c").to_numpy(dtype=object)
    (said,) = told(fitted, table)
    assert "`kind` (60 values, none of the 2" in said


@pytest.mark.parametrize("town", [["Ulm", *["?"] * 59], [None] * 60])
def test_one_known_value_or_no_value_at_all_is_no_doubt(fitted, town):
    assert told(fitted, TRAINING.assign(town=pd.Series(town, dtype=object))) == []


def test_a_few_rows_with_a_new_category_are_no_doubt(fitted):
    new = TRAINING.assign(town="Köln")
    assert told(fitted, new.head(9)) == []
    assert len(told(fitted, new.head(10))) == 1


def test_a_removed_column_may_hold_anything(fitted):
    assert told(fitted, TRAINING.assign(town="?"), np.array([0, 2])) == []
    (said,) = told(fitted, TRAINING.assign(town="?"), np.array([1]))
    assert "`town`" in said


def test_a_known_value_in_any_block_will_do(fitted, monkeypatch):
    monkeypatch.setattr("lassoflexnet.table.table_encoder.BLOCK_ROWS", 7)
    assert told(fitted, TRAINING.assign(town=["?"] * 59 + ["Ulm"])) == []
    (said,) = told(fitted, TRAINING.assign(town="?"))
    assert "(60 values" in said


def test_where_every_category_is_rare_there_is_nothing_to_know():
    table = pd.DataFrame({"name": [f"n{i}" for i in range(250)], "size": np.arange(250.0)})
    rng = np.random.default_rng(0)
    fitted = TableEncoder().fit(
        table, infer_schema(table), np.arange(250.0), is_classification=False, rng=rng
    )
    assert told(fitted, table) == []


def test_the_warning_points_at_the_caller(fitted):
    with pytest.warns(UserWarning, match="did not see") as caught:
        list(fitted.blocks(TRAINING.assign(extra=0)))
    assert caught[0].filename == __file__
