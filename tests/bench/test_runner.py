"""Running an experiment: each run once, failures kept, the same results everywhere."""

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.execution import execute
from lassoflexnet.bench.executors import Dask, Processes, Serial
from lassoflexnet.bench.experiment import Experiment, read_experiment
from lassoflexnet.bench.provenance import data_sha
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runner import Tally, run_all
from lassoflexnet.bench.runs import Run
from lassoflexnet.bench.tables import (
    against_paper,
    counted,
    markdown,
    pivot,
    ranks,
    records,
    top_three,
)
from lassoflexnet.bench.telling import tell
from tests.bench.test_experiment import write

TEXT = """
title = "Small"
suite = "demo"
protocol = "hold_out"
paper = "paper.csv"
keep_errors = ["ridge"]

[[runs]]
datasets = ["iris", "diabetes"]
methods = ["ridge", "lasso"]
seeds = [0, 1]
"""
PAPER = "method,dataset,score\nridge,iris,0.25\nlasso,diabetes,0.5\nother,iris,1\n"


def small(folder: Path) -> Experiment:
    (folder / "paper.csv").write_text(PAPER)
    return read_experiment(write(folder, TEXT))


def scores(folder: ResultFolder, experiment: Experiment) -> dict[str, dict]:
    return {run.key: result["scores"] for run, result in folder.finished(experiment.runs)}


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> tuple[Experiment, ResultFolder]:
    place = tmp_path_factory.mktemp("serial")
    experiment, folder = small(place), ResultFolder(place / "results")
    assert run_all(experiment.runs, folder, Serial()) == Tally(0, 8, 0)
    return experiment, folder


def test_results_say_everything(reference):
    experiment, folder = reference
    run = experiment.runs[0]
    result = folder.read(run)
    assert result["run"] == run.identity()
    assert set(result["scores"]) == {"accuracy", "log_loss", "roc_auc_ovo"}
    assert result["n_columns"] == 4
    assert result["n_rows"] == [97, 23, 30]
    assert result["seconds"]["fit"] > 0
    assert result["peak_mb"] > 10
    assert result["versions"]["lassoflexnet"]
    assert result["versions"]["python"] == platform.python_version()
    assert result["machine"]["cores"] == os.cpu_count()
    assert result["data_sha"] == data_sha(load("iris"))


def test_second_time_nothing_is_run(reference):
    experiment, folder = reference
    before = {path: path.stat().st_mtime_ns for path in folder.path.iterdir()}
    assert run_all(experiment.runs, folder, Serial()) == Tally(8, 0, 0)
    assert before == {path: path.stat().st_mtime_ns for path in folder.path.iterdir()}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("executor", [Processes(2), Dask(n_workers=2)], ids=str)
def test_executors_agree(reference, tmp_path: Path, executor):
    experiment, folder = reference
    other = ResultFolder(tmp_path)
    told = []
    run_all(experiment.runs, other, executor, told=lambda run, result: told.append(run.key))
    assert scores(other, experiment) == scores(folder, experiment)
    assert sorted(told) == sorted(run.key for run in experiment.runs)
    names = [sorted(path.name for path in place.path.rglob("*")) for place in (other, folder)]
    assert names[0] == names[1]
    for run in experiment.runs:
        found, expected = (place.read_errors(run) for place in (other, folder))
        np.testing.assert_array_equal(found, expected)
        assert (found is not None) == (run.label == "ridge")


def test_failing_run_is_recorded_and_the_rest_goes_on(tmp_path: Path):
    bad = Run("demo", "diabetes", "deepfm_", "hold_out")
    good = Run("demo", "diabetes", "ridge", "hold_out")
    folder = ResultFolder(tmp_path)
    assert run_all([bad, good], folder, Serial()) == Tally(0, 1, 1)
    result = folder.read(bad)
    assert "deepfm_" in result["error"]
    assert "Traceback" in result["traceback"]
    assert run_all([bad, good], folder, Serial()) == Tally(2, 0, 0)
    assert run_all([bad, good], folder, Serial(), retry=True) == Tally(1, 0, 1)


KILLED = """
import sys, time
from pathlib import Path
from lassoflexnet.bench import runner
from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.bench.provenance import data_sha
from lassoflexnet.bench.results import ResultFolder
experiment = read_experiment(Path(sys.argv[1]))
def slow(run, result):
    print("one", flush=True)
    time.sleep(0.2)
runner.run_all(experiment.runs, ResultFolder(Path(sys.argv[2])), Serial(), told=slow)
"""


def test_killed_run_goes_on_where_it_was(reference, tmp_path: Path):
    experiment, folder = reference
    small(tmp_path)
    results = tmp_path / "results"
    command = [sys.executable, "-c", KILLED, str(tmp_path / "small.toml"), str(results)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    for _ in range(3):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    other = ResultFolder(results)
    n_kept = len(scores(other, experiment))
    assert 3 <= n_kept < 8
    assert run_all(experiment.runs, other, Serial()) == Tally(n_kept, 8 - n_kept, 0)
    assert scores(other, experiment) == scores(folder, experiment)
    assert len(list(results.glob("*.json"))) == 8


def test_same_seed_same_scores():
    run = Run("demo", "wine", "random_forest", "hold_out", seed=3)
    first, second = execute(run), execute(run)
    assert first["scores"] == second["scores"]
    assert json.dumps(first)


def test_tables_hold_the_numbers_of_the_files(reference):
    experiment, folder = reference
    table = records(experiment, folder)
    iris = [
        result["scores"]["log_loss"]
        for run, result in folder.finished(experiment.runs)
        if (run.dataset, run.label) == ("iris", "ridge")
    ]
    means = pivot(table, ["dataset"])
    assert means.loc["ridge", "iris"] == pytest.approx(sum(iris) / 2)
    found = ranks(table, ["dataset", "seed"])
    assert found.shape == (4, 2)
    assert (found.sum(axis=1) == 3).all()
    assert top_three(table, ["dataset", "seed"]).tolist() == [4, 4]
    beside = against_paper(table, experiment.paper)
    assert beside.loc[("ridge", "iris"), "difference"] == pytest.approx(sum(iris) / 2 - 0.25)
    assert len(beside) == 2
    assert beside["runs"].tolist() == [2, 2]


def test_markdown_shows_what_is_missing(reference):
    experiment, folder = reference
    text = tell(experiment, folder)
    assert "8 of 8 runs are done;" in text
    assert "| ridge, iris | " in text
    assert "| method | seed 0 | seed 1 |" in markdown(pivot(records(experiment, folder), ["seed"]))
    counts = counted(records(experiment, folder), ["dataset"], "score", 2)
    assert counts.loc["ridge", "iris"].endswith(" [2]")
    means = pivot(records(experiment, folder), ["dataset"])
    means.loc["ridge", "iris"] = float("nan")
    assert "| ridge | - |" in markdown(means)


def test_no_results_no_table(tmp_path: Path):
    experiment = small(tmp_path)
    assert tell(experiment, ResultFolder(tmp_path / "none")).endswith("0 of 8 runs are done.")
