"""``lassoflexnet tune --method``: any method of the benchmark, by its own space."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.bench.data.cards import Card
from lassoflexnet.bench.data.coding import to_table
from lassoflexnet.bench.methods.catalogue import make_method
from lassoflexnet.bench.protocols import HoldOut
from lassoflexnet.cli.errors import missing_named, told_plainly
from lassoflexnet.exceptions import MissingDependency
from tests.cli.test_cli import call, table_file

FOREST = ("--method", "random_forest", "--trials", 3)


def classes_file(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 2)), columns=list("ab"))
    X["kind"] = rng.choice(["red", "blue"], 120)
    X["y"] = np.where(X["a"] + X["b"] > 0, "yes", "no")
    X.loc[0, "y"] = None
    X.to_csv(folder / "classes.csv", index=False)
    return folder / "classes.csv"


def test_best_settings_are_those_of_the_lowest_validation_loss(tmp_path: Path):
    file, out = classes_file(tmp_path), tmp_path / "best.json"
    words = ("tune", file, "--target", "y", "--task", "classification", *FOREST)
    found = call(*words, "--out", out, "--seed", 3)
    assert found.exit_code == 0, found.output
    best = json.loads(out.read_text())
    assert set(best) == {"max_depth", "n_estimators"}
    split = HoldOut().split(to_table(pd.read_csv(file), Card("y", "", "y", "binary")), 3)
    fitted = make_method("random_forest", best).fit(split, 3)
    losses = [
        -np.log(np.clip(fitted.predict(rows.X)[np.arange(len(rows.y)), rows.y], 1e-7, 1)).mean()
        for rows in (split.validation, split.test)
    ]
    assert f"validation log_loss {losses[0]:.5f}, test log_loss {losses[1]:.5f}" in found.output


def test_the_same_storage_goes_on(tmp_path: Path):
    words = ("tune", table_file(tmp_path), "--target", "y", "--task", "regression", *FOREST)
    words = (*words, "--storage", tmp_path / "journal")
    first, again = call(*words), call(*words)
    assert first.exit_code == again.exit_code == 0, again.output
    # Seconds and all: no trial was run again.
    assert again.stdout == first.stdout
    assert "trial 2: complete, " in first.stderr
    values = [float(v) for v in re.findall(r"complete, ([\d.]+);", first.stderr)]
    best = [float(v) for v in re.findall(r"best so far ([\d.]+) ", first.stderr)]
    assert best == [min(values[: i + 1]) for i in range(3)]
    more = call(*words, "--trials", 5)
    assert more.stdout.count(" complete ") == 5
    other = call(*words[:-4], "--method", "xgboost", *words[-2:], "--trials", 1)
    assert other.exit_code == 0, other.output


def test_settings_of_two_stages_are_levels(tmp_path: Path, monkeypatch):
    from lassoflexnet.bench.methods import spaces
    from lassoflexnet.tuning import Fixed, FloatRange, Space

    tiny = {"selector.strength": FloatRange(0.1, 0.2), "selector.network.max_epochs": Fixed(1)}
    tiny["downstream.max_epochs"] = Fixed(1)
    monkeypatch.setitem(spaces.ALL_SPACES, "deep_lasso+mlp", Space(tiny))
    out = tmp_path / "best.json"
    words = ("tune", table_file(tmp_path), "--target", "y", "--task", "regression")
    found = call(*words, "--method", "deep_lasso+mlp", "--trials", 1, "--out", out)
    assert found.exit_code == 0, found.output
    best = json.loads(out.read_text())
    assert best["selector"].pop("strength") > 0.1
    assert best == {"selector": {"network": {"max_epochs": 1}}, "downstream": {"max_epochs": 1}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "xgbost"), "'xgbost' is not known. Use one of: xgboost, xgboost+mlp, "),
        (("--method", "ridge"), "method with a search space 'ridge' is not known"),
        ((*FOREST, "--space", "paper"), "`random_forest` has one space, its own. Leave it out."),
        ((*FOREST, "--target", "kind"), "column `kind` holds"),
        ((*FOREST, "--target", "one", "--task", "classification"), "holds 1 class."),
        ((*FOREST, "--task", "classification"), "no classes. Use `--task regression`"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, words, message: str):
    file = table_file(tmp_path)
    pd.read_csv(file).assign(kind="red", one=1).to_csv(file, index=False)
    found = call("tune", file, "--target", "y", "--task", "regression", *words)
    assert found.exit_code == 2
    assert message in found.output
    assert "Traceback" not in found.output


@pytest.mark.parametrize("method", ["lassoflexnet", "random_forest"])
@pytest.mark.parametrize(("package", "extra"), [("pandas", "pandas"), ("optuna", "tuning")])
def test_missing_packages_are_named_with_their_extra(
    tmp_path: Path, monkeypatch, method: str, package: str, extra: str
):
    file = table_file(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    words = ("--target", "y", "--task", "regression", "--method", method)
    found = call("tune", file, *words)
    assert found.exit_code == 2, found.output
    assert f'pip install "lassoflexnet[{extra}]"' in found.output
    assert "Traceback" not in found.output


def test_parquet_without_its_reader(tmp_path: Path, monkeypatch):
    def absent(_):
        raise ImportError("Unable to find a usable engine")

    monkeypatch.setattr(pd, "read_parquet", absent)
    (tmp_path / "table.parquet").touch()
    found = call("tune", tmp_path / "table.parquet", "--target", "y", "--task", "regression")
    assert found.exit_code == 2
    assert 'needs pyarrow to be read. Run `pip install "lassoflexnet[bench]"`' in found.output


def test_missing_packages_without_an_extra_are_not_explained_away(monkeypatch):
    with pytest.raises(ModuleNotFoundError, match="no_such"), told_plainly():
        import_module("no_such")
    monkeypatch.setitem(sys.modules, "optuna.pruners", None)
    with (
        pytest.raises(MissingDependency, match=r"`optuna` .*lassoflexnet\[tuning\]"),
        missing_named(),
    ):
        import_module("optuna.pruners")
