"""Result files: whole or not at all, found again by key."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runs import Run, digest

RUN = Run("suite", "iris", "lasso", "hold_out", seed=1, settings={"a": 1}, case={"b": [2]})
DONE = {"status": "done", "scores": {"rmse": 0.5}}


@pytest.mark.parametrize(
    "change",
    [
        {"suite": "other"},
        {"dataset": "wine"},
        {"method": "ridge"},
        {"protocol": "tabzilla"},
        {"seed": 2},
        {"settings": {"a": 2}},
        {"case": {"b": [3]}},
        {"recipe": "abc"},
    ],
    ids=str,
)
def test_everything_but_the_label_changes_the_key(change: dict):
    assert replace(RUN, **change).key != RUN.key
    assert replace(RUN, label="x").key == RUN.key


def test_key_is_the_same_tomorrow():
    assert RUN.key == digest(json.loads(json.dumps(RUN.identity())))[:16]
    assert Run("s", "d", "m", "p").key == "90856b3e8a3ffa85"


def test_what_was_written_is_read(tmp_path: Path):
    folder = ResultFolder(tmp_path / "new")
    assert folder.read(RUN) is None
    folder.write(RUN, DONE)
    assert folder.read(RUN) == {"key": RUN.key, **DONE}
    assert folder.read(replace(RUN, seed=5)) is None
    assert [path.name for path in folder.path.iterdir()] == [RUN.file_name]


@pytest.mark.parametrize("n_bytes", [0, 1, 20, 60])
def test_file_cut_short_is_no_result(tmp_path: Path, n_bytes: int):
    folder = ResultFolder(tmp_path)
    folder.write(RUN, DONE)
    path = tmp_path / RUN.file_name
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert folder.read(RUN) is None
    assert folder.missing([RUN]) == [RUN]
    folder.write(RUN, DONE)
    assert folder.missing([RUN]) == []


def test_what_else_lies_in_the_folder_is_told_apart(tmp_path: Path):
    folder, other, cut = ResultFolder(tmp_path), replace(RUN, seed=2), replace(RUN, seed=3)
    for run in (RUN, other, cut):
        folder.write(run, DONE)
    (tmp_path / cut.file_name).write_text("{}")
    (tmp_path / "studies.journal").touch()
    damaged, others = folder.strays([RUN, cut])
    assert [path.name for path in damaged] == [cut.file_name]
    assert [path.name for path in others] == [other.file_name]
    assert ResultFolder(tmp_path / "none").strays([RUN]) == ((), ())


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"status": "done"}', '{"key": "x", "status": "done"}']
)
def test_json_of_something_else_is_no_result(tmp_path: Path, text: str):
    (tmp_path / RUN.file_name).write_text(text)
    assert ResultFolder(tmp_path).read(RUN) is None


WRITER = """
import json, os, signal, sys
from pathlib import Path
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runs import Run
run = Run("suite", "iris", "lasso", "hold_out")
os.fsync = lambda number: os.kill(os.getpid(), signal.SIGKILL)
ResultFolder(Path(sys.argv[1])).write(run, {"status": "done"})
"""


def test_killed_writer_leaves_no_result(tmp_path: Path):
    run = Run("suite", "iris", "lasso", "hold_out")
    found = subprocess.run([sys.executable, "-c", WRITER, tmp_path], check=False)
    assert found.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    assert ResultFolder(tmp_path).missing([run]) == [run]


def test_failed_runs_are_missing_only_when_tried_again(tmp_path: Path):
    folder, other = ResultFolder(tmp_path), replace(RUN, seed=2)
    folder.write(RUN, {"status": "failed", "error": "x"})
    folder.write(other, DONE)
    assert folder.missing([RUN, other]) == []
    assert folder.missing([RUN, other], retry=True) == [RUN]
    assert [run for run, _ in folder.finished([RUN, other])] == [other]


def test_names_have_no_separators():
    run = replace(RUN, label="a w/ b: c (d)")
    assert os.sep not in run.file_name
    assert run.file_name.startswith("iris.a_w_b_c_d_.")


def test_another_label_finds_the_same_result(tmp_path: Path):
    folder = ResultFolder(tmp_path)
    folder.write(RUN, DONE)
    assert folder.read(replace(RUN, label="new name"))["status"] == "done"
    folder.forget([replace(RUN, label="new name")])
    assert folder.read(RUN) is None
