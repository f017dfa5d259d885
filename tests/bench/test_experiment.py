"""Experiment files: what they say, and what is said about mistakes in them."""

from functools import cache
from pathlib import Path

import pytest

from lassoflexnet.bench.experiment import Experiment, check_datasets, read_experiment
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.tuning.spaces import PAPER_TRAINING, SPACES

FOLDER = Path(__file__).parents[2] / "experiments"

TEXT = """
title = "Small"
suite = "demo"
protocol = "hold_out"

[[runs]]
datasets = ["iris", "wine"]
methods = ["ridge", "forest"]
seeds = [0, 1]
case = { max_train_rows = [50, 60] }

[methods.forest]
method = "random_forest"
"""

PLAIN = TEXT.replace(', "forest"', "").partition("[methods")[0]


def write(folder: Path, text: str = TEXT) -> Path:
    path = folder / "small.toml"
    path.write_text(text)
    return path


def test_runs_are_the_product_of_what_is_listed(tmp_path: Path):
    experiment = read_experiment(write(tmp_path))
    assert (experiment.name, experiment.title, experiment.suite) == ("small", "Small", "demo")
    assert len(experiment.runs) == 2 * 2 * 2 * 2
    assert len({run.key for run in experiment.runs}) == 16
    last = experiment.runs[-1]
    assert (last.dataset, last.method, last.label, last.seed) == (
        *("wine", "random_forest", "forest"),
        1,
    )
    assert last.case == {"max_train_rows": 60}


def test_same_run_twice_counts_once(tmp_path: Path):
    again = TEXT + '\n[[runs]]\ndatasets = ["iris"]\nmethods = ["ridge"]\nseeds = [0, 7]\n'
    again += "case = { max_train_rows = 50 }\n"
    assert len(read_experiment(write(tmp_path, again)).runs) == 16 + 1


def test_settings_of_a_group_hold_for_its_methods(tmp_path: Path):
    text = PLAIN.replace("seeds", "settings = { n_lambdas = 3 }\nseeds").replace(
        '"ridge"', '"recipe:tau = 1"'
    )
    run = read_experiment(write(tmp_path, text)).runs[0]
    assert run.settings == {"n_lambdas": 3}
    assert (run.method, run.label) == ("recipe:tau = 1", "tau = 1")
    other = text.replace("n_lambdas = 3", "n_lambdas = 4")
    assert read_experiment(write(tmp_path, other)).runs[0].recipe != run.recipe


def test_our_own_method_is_named_by_what_default_means(tmp_path: Path, monkeypatch):
    from lassoflexnet.estimators import sizes

    text = PLAIN.replace('"ridge"', '"ridge", "lassoflexnet"')
    path = write(tmp_path, text)
    before = [run.key for run in read_experiment(path).runs]
    monkeypatch.setitem(sizes.RULES, "n_bins", lambda n_rows: 7)
    after = [run.key for run in read_experiment(path).runs]
    assert [a == b for a, b in zip(before, after, strict=True)] == [
        run.method == "ridge" for run in read_experiment(path).runs
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ridge"', '"rigde"', r"method 'rigde' is not known. Use one of: ridge,"),
        ("seeds", "seed", r"small.toml: runs: field 'seed' is not known. Use one of: seeds,"),
        ("title", "titel", r"small.toml: field 'titel' is not known. Use one of: title,"),
        ('"hold_out"', '"holdout"', r"protocol 'holdout' is not known. Use one of: hold_out,"),
        ("max_train_rows", "max_rows", r"'max_rows' is not known. Use one of: max_train_rows"),
        ('"random_forest"', '"forrest"', r"method 'forrest' is not known."),
        ('suite = "demo"', "", r"small.toml has no `suite`"),
        ("[[runs]]", "[[runs", r"small.toml` is not TOML"),
        ("seeds = [0, 1]", "seeds = 3", r"`seeds` of a group is 3. Use a list, such as \[0, 1\]"),
        ('datasets = ["iris", "wine"]', "", r"`datasets` of a group is None. Use a list"),
        (
            "[methods.forest]",
            "[methods.forst]",
            r"'forest' is not known.* own methods include forst",
        ),
        ("seeds = [0, 1]", "seeds = [0, -1]", r"small.toml: a seed is -1. Use whole numbers"),
        ("seeds = [0, 1]", "seeds = [true]", r"small.toml: a seed is True"),
        (
            'method = "random_forest"',
            'method = "random_forest"\nn_estimators = "many"',
            r"small.toml, method `forest`: `RandomForest.n_estimators` is 'many'. Use int",
        ),
    ],
)
def test_mistakes_are_named_before_anything_runs(tmp_path: Path, old: str, new: str, message: str):
    assert old in TEXT
    with pytest.raises(InvalidInput, match=message):
        read_experiment(write(tmp_path, TEXT.replace(old, new, 1)))


def test_unknown_data_sets_are_named(tmp_path: Path):
    experiment = read_experiment(write(tmp_path, TEXT.replace('"iris"', '"irsi"')))
    with pytest.raises(InvalidInput, match=r"data set 'irsi' is not known. Use one of: iris,"):
        check_datasets(experiment, None)


def test_settings_that_nobody_uses_are_named(tmp_path: Path):
    text = TEXT + "[methods.ridg]\nalpha = 2.0\n"
    with pytest.raises(InvalidInput, match=r"`\[methods.ridg\]` is used by no run. .*: ridge"):
        read_experiment(write(tmp_path, text))


def test_fields_of_the_table_are_checked(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"'colums' is not known. Use one of: columns"):
        read_experiment(write(tmp_path, TEXT + '[table]\ncolums = ["seed"]\n'))


@cache
def committed(name: str) -> Experiment:
    # Hundreds of drawn configurations take seconds to read.
    return read_experiment(FOLDER / f"{name}.toml")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*_*.toml")), ids=lambda file: file.stem)
def test_committed_experiments_can_be_read(file: Path):
    runs = committed(file.stem).runs
    assert runs
    names = [run.file_name for run in runs]
    assert len(set(names)) == len(names)
    assert not any("/" in name for name in names)


@pytest.mark.parametrize(
    ("name", "n_tasks", "n_draws"), [("scatter_full", 3, 300), ("sensitivity_full", 39, 100)]
)
def test_full_experiments_have_the_size_of_the_paper(name: str, n_tasks: int, n_draws: int):
    experiment = committed(name)
    check_datasets(experiment, None)
    tasks = {(run.dataset, *run.case.items()) for run in experiment.runs}
    assert (len(tasks), len(experiment.runs)) == (n_tasks, n_tasks * n_draws)
    settings = experiment.runs[0].settings
    assert PAPER_TRAINING.items() <= settings.items()
    assert set(SPACES["paper"].ranges) <= set(settings)


def test_numbers_of_the_paper_have_their_runs():
    experiment = committed("tabred_full")
    assert experiment.paper is not None
    paper = experiment.paper.set_index(["method", "dataset"])
    assert len(paper) == paper.index.nunique() == 6 * 8
    assert set(paper.index) <= {(run.label, run.dataset) for run in experiment.runs}
    # As the text counts them: the best of five data sets, and by 0.0005 not of a sixth.
    best = paper["score"].unstack("method")
    best.loc[["ecom-offers", "homecredit-default", "homesite-insurance"]] *= -1
    assert (best.idxmin(axis=1) == "lassoflexnet").sum() == 5
    row = best.loc["delivery-eta"]
    assert row["lassoflexnet"] - row["catboost"] == pytest.approx(0.0005)


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"none.toml` does not exist"):
        read_experiment(tmp_path / "none.toml")


def test_settings_of_an_unknown_field_are_an_error(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"'depth' is not known"):
        read_experiment(write(tmp_path, TEXT + "depth = 3\n"))
