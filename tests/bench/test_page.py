"""The results page: every experiment, what is done, the paper's numbers beside ours."""

from pathlib import Path

from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.bench.page import protocol, write_page
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runner import run_all
from tests.bench.test_runner import TEXT, small


def test_page_holds_every_experiment(tmp_path: Path):
    experiment = small(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text(TEXT.replace('"Small"', '"Other"\nclaim = "Yes."\nverdict = "No."'))
    run_all(experiment.runs[:6], ResultFolder(tmp_path / "results" / "small"), Serial())
    out = tmp_path / "docs" / "results.md"
    write_page([experiment, read_experiment(other)], tmp_path / "results", out)
    text = out.read_text()
    assert "## Small" in text
    assert "6 of 8 runs are done" in text
    assert "| ridge | " in text
    assert "*The paper:* Yes.\n\n*Here:* No." in text
    assert "0 of 8 runs are done." in text
    assert "Beside the paper" in text


def test_protocol_in_a_sentence(tmp_path: Path):
    text = TEXT + "case = { max_train_rows = [50, 60] }\n"
    (tmp_path / "paper.csv").write_text("method,score\n")
    file = tmp_path / "small.toml"
    file.write_text(text)
    assert protocol(read_experiment(file)) == (
        "`experiments/small.toml`. Protocol `hold_out`; max_train_rows 50, 60; seeds 0, 1."
    )
