"""Data sets by name: sources in their order, and errors that say what to do."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from lassoflexnet.bench.data.registry import known_names, load
from lassoflexnet.exceptions import InvalidInput
from tests.bench.data.makers import write_set, write_tabred

pytest.importorskip("pyarrow", reason="Parquet files need it")

FRAME = pd.DataFrame(
    {
        "id": range(6),
        "size": pd.array([3, None, 1, 2, 5, 4], dtype="Int64"),
        "colour": ["red", "blue", None, "red", "blue", "red"],
        "label": ["10", "9", "b", None, "10", "9"],
        "price": [1.5, np.nan, 2.5, 3.5, 4.5, 5.5],
        "day": ["2/1/12", "1/31/12", "12/1/11", "1/1/12", "3/1/12", "1/2/12"],
    }
)


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("LASSOFLEXNET_DATA", raising=False)


@pytest.fixture
def folder(tmp_path):
    write_set(
        tmp_path,
        FRAME,
        name="toys",
        target="label",
        task="multiclass",
        drop=["id", "price"],
        suites=["feature_selection:TY"],
        time_order="day",
    )
    write_set(tmp_path, FRAME, name="prices", target="price", task="regression", drop=["id"])
    return tmp_path


def test_classes_are_numbered_in_the_order_of_their_text(folder):
    table = load("toys", folder)
    assert table.y.tolist() == [0, 1, 2, 0, 1]  # "10" < "9" < "b"
    assert (table.name, table.task, table.n_classes) == ("toys", "multiclass", 3)


def test_rows_without_target_are_dropped_with_their_time(folder):
    table = load("toys", folder)
    days = ["2012-02-01", "2012-01-31", "2011-12-01", "2012-03-01", "2012-01-02"]
    assert table.time.tolist() == [pd.Timestamp(day).timestamp() for day in days]
    assert table.X["colour"].isna().tolist() == [False, False, True, False, False]


def test_methods_see_neither_dropped_columns_nor_the_date_of_the_order(folder):
    assert list(load("toys", folder).X) == ["size", "colour"]
    assert list(load("prices", folder).X) == ["size", "colour", "label", "day"]


def test_whole_numbers_with_gaps_become_floats(folder):
    column = load("prices", folder).X["size"]
    assert column.dtype == np.float64
    np.testing.assert_array_equal(column, [3, 1, 2, 5, 4])
    assert np.isnan(load("toys", folder).X["size"][1])


def test_a_numeric_target_is_float64(folder):
    table = load("prices", folder)
    assert table.y.dtype == np.float64
    assert table.y.tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert table.time is None


def test_a_short_name_is_the_same_data_set(folder):
    assert load("TY", folder).X.equals(load("toys", folder).X)
    assert load("TY", folder).name == "toys"


def test_the_environment_names_a_folder_and_the_argument_wins(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    write_set(other, FRAME[:3], name="prices", target="price", task="regression", drop=["id"])
    monkeypatch.setenv("LASSOFLEXNET_DATA", str(other))
    assert len(load("prices").y) == 2
    assert len(load("prices", folder).y) == 5


def test_the_folder_comes_before_scikit_learn(folder):
    assert load("iris", folder).X.shape == (150, 4)
    write_set(folder, FRAME, name="iris", target="price", task="regression")
    assert load("iris", folder).task == "regression"


def test_another_file_than_the_card_says_is_refused(folder):
    (folder / "toys.parquet").write_bytes((folder / "toys.parquet").read_bytes() + b" ")
    with pytest.raises(InvalidInput, match=r"toys\.parquet` has SHA-256 \w{64}, its card says"):
        load("toys", folder)


def test_a_missing_file_is_named(folder):
    (folder / "toys.parquet").unlink()
    told = re.escape(f"`{folder / 'toys.parquet'}` does not exist")
    with pytest.raises(InvalidInput, match=told + ".*Put the file of `toys` there"):
        load("toys", folder)


def test_a_card_that_names_no_column_is_refused(folder):
    write_set(folder, FRAME, name="odd", target="price", task="regression", drop=["sise"])
    with pytest.raises(InvalidInput, match="`odd` has no column `sise`"):
        load("odd", folder)


def test_unknown_names_get_the_nearest_first(folder):
    with pytest.raises(InvalidInput, match=r"'price' is not known. Use one of: prices, "):
        load("price", folder)
    with pytest.raises(InvalidInput, match="Use one of: breast_cancer, "):
        load("breastcancer")


def test_known_names_are_those_that_load(folder):
    names = known_names(folder)
    assert {"toys", "TY", "prices", "iris", "CH", "HI", "guillermo", "weather"} <= set(names)
    assert len(names) == len(set(names))
    assert "toys" not in known_names()


@pytest.mark.parametrize(
    ("name", "told"),
    [("OT", r"`otto_group_products\.parquet`.*LASSOFLEXNET_DATA"), ("weather", "Y.npy, splits")],
)
def test_what_cannot_be_downloaded_says_what_to_put_where(name, told):
    with pytest.raises(InvalidInput, match=f"`{name}` cannot be downloaded. Put .*{told}"):
        load(name)


def test_folders_without_data_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"neither `cards.jsonl` nor folders of TabReD"):
        load("iris", tmp_path)
    with pytest.raises(InvalidInput, match="is no folder"):
        load("iris", tmp_path / "absent")


def test_cards_and_tabred_may_share_a_folder(folder):
    write_tabred(folder / "weather")
    assert load("weather", folder).X.shape == (60, 6)
    assert load("toys", folder).X.shape == (5, 2)


def test_bundled_sets_are_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    table = load("diabetes")
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)
    table = load("breast_cancer")
    np.testing.assert_array_equal(table.y, load_breast_cancer().target)
    assert (table.task, table.n_classes) == ("binary", 2)
    assert [load(name).n_classes for name in ("iris", "wine", "digits")] == [3, 3, 10]
