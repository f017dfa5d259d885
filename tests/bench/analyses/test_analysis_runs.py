"""Analyses through the harness: read, run, kept, and shown like every other run."""

from pathlib import Path

import pytest

from lassoflexnet.bench.analyses.base import rounded
from lassoflexnet.bench.analyses.catalogue import ANALYSES, analysis_fingerprint, make_analysis
from lassoflexnet.bench.execution import execute
from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.experiment import check_datasets, read_experiment
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.rows import Table
from lassoflexnet.bench.runner import Tally, run_all
from lassoflexnet.bench.tables import records
from lassoflexnet.bench.telling import tell
from lassoflexnet.exceptions import InvalidInput
from tests.bench.test_experiment import write

FOLDER = Path(__file__).parents[3] / "experiments"
TEXT = """
title = "Small"
suite = "analysis"
protocol = "analysis"

[[runs]]
datasets = ["none"]
seeds = [0, 1]
methods = ["targeted", "quick"]
settings = { n_columns = 12, n_true = 3, n_rows = 60, max_epochs = 2 }

[methods.quick]
method = "targeted"
max_epochs = 1
"""


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_is_made_by_its_name(name: str):
    made = make_analysis(name, {})
    assert made == ANALYSES[name]()
    assert analysis_fingerprint(name, {}) == analysis_fingerprint(name, {})


def test_data_set_of_the_run_reaches_the_analysis():
    assert make_analysis("prox_evolution", {}, "HO").dataset == "HO"
    with pytest.raises(InvalidInput, match=r"setting of `targeted` 'dataset' is not known"):
        make_analysis("targeted", {}, "HO")


def test_fingerprint_follows_settings():
    same = analysis_fingerprint("targeted", {"tau": 1.0})
    assert same == analysis_fingerprint("targeted", {})
    assert same != analysis_fingerprint("targeted", {"tau": 0.5})


def test_runs_are_carried_out_and_shown(tmp_path: Path):
    experiment = read_experiment(write(tmp_path, TEXT))
    folder = ResultFolder(tmp_path / "results")
    assert run_all(experiment.runs, folder, Serial()) == Tally(0, 4, 0)
    assert run_all(experiment.runs, folder, Serial()) == Tally(4, 0, 0)
    table = records(experiment, folder)
    assert (table["score"] == table["auc"]).all()
    assert set(table["score_name"]) == {"auc"}
    assert table["higher"].all()
    assert (table["fit_s"] > 0).all()
    quick = next(run for run in experiment.runs if run.label == "quick")
    result = folder.read(quick)
    assert len(result["facts"]["train_loss"]) == 1
    assert result["versions"]["lassoflexnet"]
    text = tell(experiment, folder)
    assert "Mean over seeds, 2 of them:\n\n|  | targeted | quick |\n" in text
    assert "| mean size of skip weight, true columns | " in text


def test_failure_is_a_result():
    experiment_run = next(iter(read_experiment(FOLDER / "rotation.toml").runs))
    bad = type(experiment_run)("s", "iris", "rotation", "analysis", settings={"learner": "x"})
    result = execute(bad)
    assert result["status"] == "failed"
    assert "method 'x' is not known" in result["error"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"targeted", "quick"', '"tageted"', r"analysis 'tageted' is not known. Use one of: ta"),
        ("n_columns", "n_colums", r"'n_colums' is not known. Use one of: n_columns,"),
        ("n_true = 3", "n_true = 99", r"`n_true` is 99 of 12 columns"),
        ("n_true = 3", "n_true = 3.5", r"n_true` is 3.5. Use int"),
    ],
)
def test_mistakes_are_named_before_anything_runs(tmp_path: Path, old: str, new: str, message: str):
    assert old in TEXT
    with pytest.raises(InvalidInput, match=message):
        read_experiment(write(tmp_path, TEXT.replace(old, new, 1)))


def test_no_data_is_for_analyses_alone(tmp_path: Path):
    text = TEXT.replace('"analysis"', '"hold_out"').replace('"targeted", "quick"', '"ridge"')
    text = text.replace("settings", "# settings").partition("[methods")[0]
    with pytest.raises(InvalidInput, match=r"data set 'none' is not known"):
        check_datasets(read_experiment(write(tmp_path, text)), None)
    check_datasets(read_experiment(write(tmp_path, TEXT)), None)


def test_protocol_splits_nothing():
    import numpy as np
    import pandas as pd

    table = Table("t", pd.DataFrame({"a": [1.0]}), np.zeros(1), "regression")
    with pytest.raises(InvalidInput, match=r"`analysis` cannot split `t`"):
        make_protocol("analysis").split(table, 0)


def test_less_of_a_loss_is_better():
    headline = make_protocol("analysis").headline
    assert headline({"auc": 1.0, "a_loss": 0.0}) == ("auc", True)
    assert headline({"rotated_loss": 1.0}) == ("rotated_loss", False)


@pytest.mark.parametrize(
    ("name", "n_runs"),
    [("targeted", 30), ("prox_evolution", 3), ("rotation", 12), ("loss_curves", 1)],
)
def test_committed_files_can_be_read(name: str, n_runs: int):
    experiment = read_experiment(FOLDER / f"{name}.toml")
    assert len(experiment.runs) == n_runs
    assert experiment.figure["kind"] == name


def test_series_are_plain_and_short():
    assert rounded([1 / 3, float("inf")]) == [0.33333, None]
