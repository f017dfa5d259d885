"""Downloads: asked for rightly, compared with the first time, clear without a network."""

from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from lassoflexnet.bench.data.downloads import Downloads, fingerprint
from lassoflexnet.bench.data.openml import REMOTES
from lassoflexnet.exceptions import InvalidInput

PROFB = pd.DataFrame(
    {
        "x": np.arange(672.0),
        "w": pd.Categorical(["a", "b"] * 336),
        "won": pd.Categorical(["no", "yes", "no"] * 224),
    }
)


@pytest.fixture
def openml(monkeypatch):
    """A stand-in for OpenML that has one frame, and remembers what it was asked."""
    state = SimpleNamespace(frame=PROFB, target="won", asked=[])

    def fetch_openml(**query):
        state.asked.append(query)
        return SimpleNamespace(frame=state.frame, target_names=[state.target])

    monkeypatch.setattr(datasets, "fetch_openml", fetch_openml)
    return state


def test_a_table_by_name_and_version(openml, tmp_path):
    table = Downloads(tmp_path).load("profb")
    (asked,) = openml.asked
    assert asked == {"name": "profb", "version": 1, "as_frame": True, "data_home": str(tmp_path)}
    assert list(table.X) == ["x", "w"]
    assert table.y[:4].tolist() == [0, 1, 0, 0]


def test_a_table_by_number_without_rows_that_have_gaps(openml, tmp_path):
    y = np.arange(98_050) % 2
    openml.frame = pd.DataFrame({"x": np.where(np.arange(len(y)) == 7, np.nan, 1.0), "won": y})
    table = Downloads(tmp_path).load("HI")
    assert openml.asked[0]["data_id"] == 23512
    assert (table.name, len(table.y)) == ("higgs", 98_049)


def test_another_data_set_is_noticed(openml, tmp_path):
    openml.frame = PROFB[:100]
    with pytest.raises(InvalidInput, match=r"gave 100 rows .* not 672 rows"):
        Downloads(tmp_path).load("profb")


def test_a_changed_table_is_noticed_until_the_record_is_deleted(openml, tmp_path):
    source = Downloads(tmp_path)
    source.load("profb")
    record = tmp_path / "lassoflexnet" / "profb.sha256"
    assert record.read_text() == fingerprint(PROFB)
    source.load("profb")
    openml.frame = PROFB.assign(x=PROFB["x"].replace(3.0, 3.5))
    with pytest.raises(InvalidInput, match=r"at its first download it had .*profb\.sha256"):
        source.load("profb")
    record.unlink()
    source.load("profb")


def test_fingerprints_are_of_cells_and_names():
    same = PROFB.assign(w=pd.Categorical(PROFB["w"], categories=["b", "a", "c"]))
    assert fingerprint(same) == fingerprint(PROFB.copy())
    assert fingerprint(PROFB.rename(columns={"x": "z"})) != fingerprint(PROFB)
    assert fingerprint(PROFB[::-1]) != fingerprint(PROFB)


def test_without_a_network_the_error_says_what_to_put_where(monkeypatch, tmp_path):
    def fetch(**_):
        raise URLError("no route to host")

    monkeypatch.setattr(datasets, "fetch_california_housing", fetch)
    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    for name in ("CH", "audiology"):
        with pytest.raises(InvalidInput, match="no route to host") as told:
            Downloads(tmp_path).load(name)
        assert f"`{name}.parquet`" in str(told.value)
        assert str(tmp_path) in str(told.value)
        assert "LASSOFLEXNET_DATA" in str(told.value)


def test_scikit_learns_own_downloads(monkeypatch, tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "Cover_Type": [7, 2]})

    def fetch_covtype(data_home, as_frame):
        assert (data_home, as_frame) == (str(tmp_path), True)
        return SimpleNamespace(frame=frame)

    monkeypatch.setattr(datasets, "fetch_covtype", fetch_covtype)
    table = Downloads(tmp_path).load("CO")
    assert (table.name, table.task, table.y.tolist()) == ("covertype", "multiclass", [1, 0])


def test_the_36_hard_tasks_and_the_suite_codes_are_there():
    codes = {remote.code for remote in REMOTES} - {""}
    assert codes == {"GE", "HI", "EY", "HO", "JA", "HE", "AL"}
    others = {"eye_movements", "house_16H", "jannis", "helena", "aloi"}
    assert len({remote.name for remote in REMOTES} - others) == 36
    ids = [remote.data_id for remote in REMOTES if remote.data_id]
    assert len(ids) == len(set(ids))
