"""Errors of single test rows: kept beside the results of runs that are asked to."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lassoflexnet.bench.execution import execute
from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.experiment import Experiment, read_experiment
from lassoflexnet.bench.protocols.scores import row_errors
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runner import Tally, run_all
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput
from tests.bench.test_experiment import write

TEXT = """
title = "Small"
suite = "demo"
protocol = "hold_out"
keep_errors = ["ridge"]

[[runs]]
datasets = ["iris", "diabetes"]
methods = ["ridge", "lasso"]
"""

RUN = Run("suite", "iris", "ridge", "hold_out", keep_errors=True)
DONE = {"status": "done", "scores": {"log_loss": 0.5}, "row_errors": np.array([0.25, 0.75])}


def small(folder: Path, text: str = TEXT) -> Experiment:
    return read_experiment(write(folder, text))


def check_kept(experiment: Experiment, folder: ResultFolder) -> None:
    """Errors of the ridge alone, whose mean is its score."""
    for run, result in folder.finished(experiment.runs):
        errors = folder.read_errors(run)
        assert "row_errors" not in result
        if run.label == "lasso":
            assert errors is None
        else:
            assert errors.dtype == np.float32
            assert len(errors) == result["n_rows"][2]
            mean = result["scores"].get("log_loss") or result["scores"]["rmse"] ** 2
            assert errors.mean() == pytest.approx(mean, rel=1e-5)
    names = {path.stem for path in folder.path.glob("*.ridge.*.json")}
    assert {path.stem for path in (folder.path / "errors").iterdir()} == names
    assert len(names) == 2


def test_errors_are_kept_for_the_methods_that_are_named(tmp_path: Path):
    # That every executor brings them is shown in test_runner.py.
    experiment, folder = small(tmp_path), ResultFolder(tmp_path / "small")
    assert run_all(experiment.runs, folder, Serial()) == Tally(0, 4, 0)
    check_kept(experiment, folder)


def test_errors_are_those_of_the_rows():
    y, p = np.array([1, 0, 1]), np.array([[0.2, 0.6], [1.0, 0.0], [1.0, 0.0]])
    expected = [-np.log(0.75), 0.0, -np.log(1e-7)]
    np.testing.assert_allclose(row_errors(y, p, "binary", 2), expected, atol=1e-12)
    numbers = row_errors(np.array([1.0, 2.0]), np.array([0.5, 4.0]), "regression", 0)
    assert numbers.tolist() == [0.25, 4.0]
    with pytest.raises(InvalidInput, match="NaN or infinity"):
        row_errors(y, p * np.nan, "binary", 2)


def test_keeping_is_no_part_of_the_key_and_asked_for():
    other = replace(RUN, keep_errors=False)
    assert other.key == RUN.key
    assert "row_errors" not in execute(other)
    assert execute(RUN)["row_errors"].shape == (30,)


def test_result_without_its_errors_is_missing(tmp_path: Path):
    folder, other = ResultFolder(tmp_path), replace(RUN, keep_errors=False)
    folder.write(other, {name: DONE[name] for name in ("status", "scores")})
    assert folder.missing([other]) == []
    assert folder.missing([RUN]) == [RUN]
    folder.write(RUN, DONE)
    assert folder.missing([RUN, other]) == []
    assert folder.read_errors(RUN).tolist() == [0.25, 0.75]
    assert folder.strays([RUN]) == ((), ())
    file = next((tmp_path / "errors").iterdir())
    file.write_bytes(file.read_bytes()[:-3])
    assert folder.missing([RUN]) == [RUN]
    folder.write(RUN, DONE)
    folder.forget([RUN])
    assert [*tmp_path.iterdir(), *(tmp_path / "errors").iterdir()] == [tmp_path / "errors"]


def test_failed_run_is_not_missing_for_its_errors(tmp_path: Path):
    folder = ResultFolder(tmp_path)
    folder.write(RUN, {"status": "failed", "error": "x"})
    assert folder.missing([RUN]) == []
    assert folder.missing([RUN], retry=True) == [RUN]


def test_errors_are_on_disk_before_the_result(tmp_path: Path, monkeypatch):
    folder, seen, rename = ResultFolder(tmp_path), [], Path.replace

    def replaced(self: Path, target: Path) -> Path:
        seen.append((target.suffix, self.stat().st_size > 0))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    folder.write(RUN, DONE)
    assert seen == [(".npy", True), (".json", True)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["ridge"]', '["rigde"]', r"method in `keep_errors` 'rigde' is not known.* ridge, lasso"),
        ('["ridge"]', '"ridge"', r"`keep_errors` is 'ridge'. Use a list of methods"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str):
    with pytest.raises(InvalidInput, match=message):
        small(tmp_path, TEXT.replace(old, new))


def test_analyses_have_none(tmp_path: Path):
    text = TEXT.replace("hold_out", "analysis").replace('"ridge", "lasso"', '"loss_curves"')
    with pytest.raises(InvalidInput, match="analyses have no errors of rows"):
        small(tmp_path, text.replace('["ridge"]', '["loss_curves"]'))
