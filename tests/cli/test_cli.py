"""The command line: what it prints, what it leaves, how it fails."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from lassoflexnet import __version__
from lassoflexnet.cli.app import app
from tests.bench.test_experiment import TEXT, write

SMALL = TEXT.replace('datasets = ["iris", "wine"]', 'datasets = ["iris"]').replace(
    "seeds = [0, 1]", "seeds = [0]"
)


def call(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_help_is_quick_and_lists_the_commands():
    # Not the terminal's way of drawing it: boxes depend on its width.
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "lassoflexnet.cli", "--help"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "bench" in found.stdout
    assert "tune" in found.stdout
    assert "optuna" not in found.stderr


def test_experiment_from_run_to_table(tmp_path: Path):
    file, results = write(tmp_path, SMALL), tmp_path / "results"
    first = call("bench", "run", file, "--results", results)
    assert first.exit_code == 0, first.output
    assert "iris max_train_rows=50 ridge seed 0: accuracy" in first.output
    assert first.output.startswith("4 runs, 0 are there, 4 to do by this process\n")
    assert "0 were there, 4 done, 0 failed" in first.output
    assert len(list((results / "small").glob("*.json"))) == 4
    second = call("bench", "run", file, "--results", results, "--jobs", 2)
    assert "4 were there, 0 done, 0 failed" in second.output
    table = call("bench", "table", file, "--results", results)
    assert "4 of 4 runs are done;" in table.output
    assert "| ridge |" in table.output


def test_files_that_are_no_results_are_told(tmp_path: Path):
    file, results = write(tmp_path, SMALL), tmp_path / "results"
    absent = call("bench", "table", file, "--results", results)
    assert absent.exit_code == 2
    assert f"the folder of results `{results}` does not exist" in absent.output
    call("bench", "run", file, "--results", results)
    files = {path: json.loads(path.read_text()) for path in (results / "small").glob("*.json")}
    (cut,) = [
        path
        for path, found in files.items()
        if (found["run"]["method"], found["run"]["case"]["max_train_rows"]) == ("ridge", 60)
    ]
    cut.write_text('{"key"')
    write(tmp_path, SMALL.replace("[50, 60]", "[50]"))
    table = call("bench", "table", file, "--results", results)
    assert f"{cut} cannot be read; counted as not done\n" in table.stderr
    assert "small: 1 result file belongs to other settings and is not shown\n" in table.stderr
    assert "2 of 2 runs are done" in table.stdout


def test_other_data_is_warned_of(tmp_path: Path, monkeypatch):
    file, results = write(tmp_path, SMALL), tmp_path / "results"
    call("bench", "run", file, "--results", results)
    for path in list((results / "small").glob("*ridge*.json")):
        path.unlink()
    assert "warning" not in call("bench", "run", file, "--results", results).output
    for path in list((results / "small").glob("*ridge*.json")):
        path.unlink()
    monkeypatch.setattr("lassoflexnet.bench.execution.data_sha", lambda table: "other")
    found = call("bench", "run", file, "--results", results)
    assert found.output.count("warning: `iris` is not the table that earlier results") == 1


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("methods", "catboost"), ("selectors", "deep_lasso"), ("recipes", "recipe:No EMA")),
        *(("datasets", "iris"), ("protocols", "hold_out"), ("figures", "scatter")),
    ],
)
def test_names_are_listed(kind: str, name: str):
    assert name in call("bench", "list", kind).stdout.splitlines()


def test_failed_runs_are_told_and_leave_with_one(tmp_path: Path):
    text = SMALL.replace('"ridge", "forest"', '"deepfm"').split("[methods.forest]")[0]
    found = call("bench", "run", write(tmp_path, text), "--results", tmp_path)
    assert found.exit_code == 1
    assert "FAILED iris" in found.output
    assert "2 failed" in found.output


def test_mistakes_are_one_line(tmp_path: Path):
    found = call("bench", "run", write(tmp_path, SMALL.replace("ridge", "rigde")))
    assert found.exit_code == 2
    assert found.output.startswith("error: small.toml, method `rigde`: method 'rigde' is not known")
    assert "Use one of: ridge, " in found.output
    assert "Traceback" not in found.output


def table_file(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    X.assign(y=X["a"] * 2).to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def test_tune_prints_and_writes_the_best(tmp_path: Path, monkeypatch):
    from lassoflexnet.tuning import spaces
    from lassoflexnet.tuning.ranges import Fixed, IntRange

    tiny = spaces.EVERYDAY.changed(
        **{name: Fixed(1) for name in ("max_epochs", "n_lambdas", "max_epochs_per_lambda")},
        d_hidden=IntRange(2, 4),
        refit=Fixed(False),
    )
    monkeypatch.setitem(spaces.SPACES, "everyday", tiny)
    out = tmp_path / "best.json"
    file = table_file(tmp_path)
    found = call(
        *("tune", file, "--target", "y", "--task", "regression", "--trials", 2),
        *("--out", out, "--storage", tmp_path / "journal"),
    )
    assert found.exit_code == 0, found.output
    assert "validation loss" in found.output
    assert json.loads(out.read_text())["d_hidden"] in {2, 3, 4}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none.csv", "--target", "y"), "none.csv` does not exist"),
        (("table.csv", "--target", "z"), "has no column `z`. It has a, b, c, y."),
        (("table.csv", "--target", "y", "--space", "papr"), "'papr' is not known. Use one of: pap"),
    ],
)
def test_tune_names_what_is_wrong(tmp_path: Path, words, message: str, monkeypatch):
    table_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = call("tune", *words, "--task", "regression")
    assert found.exit_code == 2
    assert message in found.output


def test_the_version_is_told():
    result = call("--version")
    assert (result.exit_code, result.stdout.strip()) == (0, __version__)
