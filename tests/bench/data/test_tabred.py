"""TabReD's layout, as its preprocessing writes it."""

import numpy as np
import pytest

from lassoflexnet.bench.data.registry import load
from lassoflexnet.exceptions import InvalidInput
from tests.bench.data.makers import write_split, write_tabred

PARTS = ([4, 2, 0], [1], [3, 5])


def test_arrays_become_columns(tmp_path):
    arrays = write_tabred(tmp_path / "cooking-time")
    table = load("cooking-time", tmp_path)
    assert list(table.X) == ["num_0", "num_1", "num_2", "bin_0", "cat_0", "cat_1"]
    np.testing.assert_array_equal(table.X["num_2"], arrays["X_num"][:, 2])
    assert table.X["cat_1"].astype(int).tolist() == arrays["X_cat"][:, 1].tolist()
    assert table.X["cat_1"].dtype == "category"
    np.testing.assert_array_equal(table.y, arrays["Y"])
    assert (table.task, table.y.dtype) == ("regression", np.float64)
    assert (np.diff(table.time) > 0).all()


def test_one_data_sets_own_folder_will_do(tmp_path):
    arrays = write_tabred(tmp_path / "mine", task="binclass")
    table = load("mine", tmp_path / "mine")
    assert (table.task, table.n_classes) == ("binary", 2)
    assert table.y.tolist() == arrays["Y"].tolist()


@pytest.mark.parametrize("form", ["splits/{}", "split-{}"])
def test_splits_come_along(tmp_path, form):
    write_tabred(tmp_path / "weather")
    for name in ("default", "random-1"):
        write_split(tmp_path / "weather" / form.format(name), PARTS)
    splits = load("weather", tmp_path).splits
    assert set(splits) == {"default", "random-1"}
    assert [rows.tolist() for rows in splits["random-1"]] == list(PARTS)


def test_half_a_split_is_refused(tmp_path):
    write_tabred(tmp_path / "weather")
    write_split(tmp_path / "weather" / "splits" / "default", PARTS)
    (tmp_path / "weather" / "splits" / "default" / "val_idx.npy").unlink()
    with pytest.raises(InvalidInput, match=r"val_idx\.npy` does not exist"):
        load("weather", tmp_path)


def test_the_task_is_known_or_must_be_said(tmp_path):
    write_tabred(tmp_path / "weather", task=None)
    assert load("weather", tmp_path).task == "regression"
    write_tabred(tmp_path / "mine", task=None)
    with pytest.raises(InvalidInput, match=r"Put an `info.json` there with `task_type`"):
        load("mine", tmp_path)


def test_rows_must_agree(tmp_path):
    write_tabred(tmp_path / "weather")
    np.save(tmp_path / "weather" / "Y.npy", np.zeros(59))
    with pytest.raises(InvalidInput, match="columns have 60 rows, the target 59"):
        load("weather", tmp_path)
