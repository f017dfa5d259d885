"""Random configurations: inside the space, the same for the same seed, a run each."""

from pathlib import Path

import pytest

from lassoflexnet.bench.analyses.sampling import draws
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.tuning.spaces import PAPER
from tests.bench.test_experiment import write

TEXT = """
title = "Draws"
suite = "demo"
protocol = "hold_out"

[[runs]]
datasets = ["iris", "wine"]
sample = { space = "paper", n = 4, seed = 1, choices = { d_hidden = [32, 48] } }
settings = { n_blocks = 1, max_epochs = 2 }
"""


def test_draws_are_inside_the_space():
    found = draws({"space": "paper", "n": 50})
    assert len(found) == 50
    for settings in found:
        assert set(settings) == set(PAPER.ranges)
        assert 0.01 <= settings["tau"] <= 2.0
        assert settings["d_hidden"] in (64, 128, 256, 512)
        assert settings["n_bins"] in range(4, 33, 2)
        assert 1e-4 <= settings["learning_rate"] <= 1e-3
        assert settings["backbone"] == "mixer"
    assert len({settings["tau"] for settings in found}) == 50


def test_draws_follow_the_seed():
    same = {"space": "paper", "n": 5}
    assert draws(same) == draws({**same, "seed": 0})
    assert draws(same) != draws({**same, "seed": 1})
    assert draws({**same, "n": 3}) == draws(same)[:3]


def test_each_draw_is_a_run(tmp_path: Path):
    runs = read_experiment(write(tmp_path, TEXT)).runs
    assert len(runs) == 2 * 4
    assert {(run.method, run.label) for run in runs} == {("lassoflexnet", "lassoflexnet")}
    assert len({run.key for run in runs}) == 8
    expected = draws({"space": "paper", "n": 4, "seed": 1, "choices": {"d_hidden": [32, 48]}})
    for dataset, half in (("iris", runs[:4]), ("wine", runs[4:])):
        assert {run.dataset for run in half} == {dataset}
        for run, draw in zip(half, expected, strict=True):
            assert run.settings == {**draw, "n_blocks": 1, "max_epochs": 2}
            assert run.settings["d_hidden"] in (32, 48)


def test_same_file_same_keys(tmp_path: Path):
    path = write(tmp_path, TEXT)
    keys = [[run.key for run in read_experiment(path).runs] for _ in range(2)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"paper"', '"papper"', r"space 'papper' is not known. Use one of: paper,"),
        ("seed =", "sed =", r"field of `sample` 'sed' is not known. Use one of: seed,"),
        ("n = 4", "n = 0", r"`n` of `sample` is 0"),
        ("d_hidden", "d_hiden", r"'d_hiden' is not known. Use one of: d_hidden,"),
        ("max_epochs", "max_epoch", r"'max_epoch' is not known. Use one of: max_epochs,"),
        ("settings", 'methods = ["ridge"]\nsettings', r"has `methods` and `sample`"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str):
    assert old in TEXT
    with pytest.raises(InvalidInput, match=message):
        read_experiment(write(tmp_path, TEXT.replace(old, new, 1)))
