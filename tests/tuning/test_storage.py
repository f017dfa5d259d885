"""Storages that cannot be opened say why."""

import sys

import pytest

from lassoflexnet.exceptions import InvalidInput, MissingDependency
from lassoflexnet.tuning.storage import opened

pytest.importorskip("optuna", reason="tuning needs Optuna")


def test_folder_missing(tmp_path):
    with pytest.raises(InvalidInput, match=r"journal.log'.*does not exist. Create the folder"):
        opened(tmp_path / "nowhere" / "journal.log").__enter__()


def test_path_is_a_folder(tmp_path):
    with pytest.raises(InvalidInput, match=r"a folder. Name a file in it"):
        opened(tmp_path).__enter__()


@pytest.mark.parametrize("content", ["a,b\n1,2", "[1]", "7\n", '{"half'])
def test_file_of_another_kind_is_left_alone(content, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=r"no journal of Optuna. Name another file"):
        opened(str(path)).__enter__()
    assert path.read_text() == content


@pytest.mark.parametrize("url", ["nodatabase://host/name", "sqlite:////nowhere/at/all.db"])
def test_url_that_cannot_be_opened(url):
    with pytest.raises(InvalidInput, match=r"cannot be opened: .*Use the path of a journal"):
        opened(url).__enter__()


def test_driver_missing_and_password_kept(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDependency, match=r"its driver.*psycopg\[binary\]") as caught:
        opened("postgresql+psycopg://me:secret@localhost/none").__enter__()
    assert "secret" not in str(caught.value)
    assert "me@localhost" in str(caught.value)
