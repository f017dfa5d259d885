"""Experiment files: what they say, and what is said about mistakes in them."""

from pathlib import Path

import pytest

from lassoflexnet.bench.experiment import check_datasets, read_experiment
from lassoflexnet.exceptions import InvalidInput

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
        ("[methods.forest]", "[methods.forst]", r"method 'forest' is not known"),
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
    with pytest.raises(InvalidInput, match=r"method of the groups named 'ridg' .*of: ridge"):
        read_experiment(write(tmp_path, text))


def test_fields_of_the_table_are_checked(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"'colums' is not known. Use one of: columns"):
        read_experiment(write(tmp_path, TEXT + '[table]\ncolums = ["seed"]\n'))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*_*.toml")), ids=lambda file: file.stem)
def test_committed_experiments_can_be_read(file: Path):
    runs = read_experiment(file).runs
    assert runs
    names = [run.file_name for run in runs]
    assert len(set(names)) == len(names)
    assert not any("/" in name for name in names)


def test_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"none.toml` does not exist"):
        read_experiment(tmp_path / "none.toml")


def test_settings_of_an_unknown_field_are_an_error(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"'depth' is not known"):
        read_experiment(write(tmp_path, TEXT + "depth = 3\n"))
