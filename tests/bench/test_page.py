"""The results page: every experiment, what is done, the paper's numbers beside ours."""

from pathlib import Path

import pandas as pd

from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.bench.page import protocol, write_page
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runner import run_all
from lassoflexnet.bench.telling import averaged, tell
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
    assert "beside the paper's numbers" in text
    waiting = f"- Other (`{other}`; runs to do: 8). *The paper:* Yes. *Here:* No."
    assert text.partition("## Not run yet")[2].strip() == waiting
    assert "## Other" not in text
    # No claim in the file, no diagram of ours.
    assert text.count("*The paper:*") == 1
    assert "mermaid" not in text


def test_no_ranks_before_all_runs_are_done(tmp_path: Path):
    experiment = small(tmp_path)
    ridge = [run for run in experiment.runs if run.label == "ridge"]
    folder = ResultFolder(tmp_path / "results" / "small")
    run_all(ridge, folder, Serial())
    text = tell(experiment, folder)
    assert (
        "4 of 8 runs are missing, so there are no ranks. Not a single one is done of: lasso."
        in text
    )
    assert "average rank" not in text
    run_all(experiment.runs, folder, Serial())
    text = tell(experiment, folder)
    assert "missing" not in text
    assert "Ranks by test log loss and test RMSE (1 is best) over the 4 comparisons" in text
    # Two methods: each is among the best three.
    assert "| method | average rank |\n" in text
    assert (
        "Test log loss, lower is better, for iris; test RMSE, lower is better, for diabetes; "
        "mean over seeds, number of runs in brackets:"
    ) in text


def test_preface_and_note(tmp_path: Path):
    (tmp_path / "preface.md").write_text("# Ours\n")
    (tmp_path / "paper.csv").write_text("method,score\n")
    file = tmp_path / "small.toml"
    file.write_text(TEXT.replace('"Small"', '"Small"\nnote = "Mind the gap."'))
    experiment = read_experiment(file)
    folder = ResultFolder(tmp_path / "results" / "small")
    run_all(experiment.runs[:1], folder, Serial())
    write_page([experiment], tmp_path / "results", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert text.startswith("# Ours\n\n## Small\n")
    assert "of one thread.\n\nMind the gap.\n\n" in text


def test_many_cases_are_rows(tmp_path: Path):
    (tmp_path / "paper.csv").write_text("method,score\n")
    for n_cases, head in ((9, "| method | seed 0 | seed 1 |"), (10, "| seed | ridge |")):
        file = tmp_path / f"cases{n_cases}.toml"
        text = TEXT.replace('"iris", ', "").replace("[0, 1]", str(list(range(n_cases))))
        file.write_text(text + '[table]\ncolumns = ["seed"]\n')
        experiment = read_experiment(file)
        folder = ResultFolder(tmp_path / "results" / experiment.name)
        run_all([run for run in experiment.runs if run.label == "ridge"], folder, Serial())
        assert head in tell(experiment, folder)


def test_figure_only_of_all_runs(tmp_path: Path):
    (tmp_path / "paper.csv").write_text("method,score\n")
    file = tmp_path / "small.toml"
    drawn = '[figure]\nkind = "differences"\nscore = "rmse"\nbaseline = "ridge"\n'
    file.write_text(f"{TEXT}\n{drawn}")
    experiment = read_experiment(file)
    folder = ResultFolder(tmp_path / "results" / "small")
    out = tmp_path / "docs" / "results.md"
    for n_runs, n_figures in ((1, 0), (len(experiment.runs), 1)):
        run_all(experiment.runs[:n_runs], folder, Serial())
        write_page([experiment], tmp_path / "results", out)
        assert out.read_text().count("![Small](figures/small.svg)") == n_figures
        assert (tmp_path / "docs" / "figures" / "small.svg").exists() == bool(n_figures)


def test_protocol_in_a_sentence(tmp_path: Path):
    text = TEXT + "case = { max_train_rows = [50, 60] }\n"
    (tmp_path / "paper.csv").write_text("method,score\n")
    file = tmp_path / "small.toml"
    file.write_text(text)
    assert protocol(read_experiment(file)) == (
        f"`{file}`. Protocol `hold_out`; max_train_rows 50, 60; seeds 0, 1."
    )


def test_what_a_cell_is_the_mean_of():
    table = pd.DataFrame({"method": "ours", "dataset": ["a", "a", "b", "b"], "seed": 0})
    brackets = ", number of runs in brackets"
    assert averaged(table, ["dataset"]) == f"mean over configurations{brackets}"
    assert averaged(table.iloc[::2], ["dataset"]) == f"one run each{brackets}"
    assert averaged(table.assign(seed=[0, 1, 0, 1]), ["dataset"]) == f"mean over seeds{brackets}"
