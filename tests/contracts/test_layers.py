"""The layer rule of pyproject.toml holds, and would not hold if it were broken."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "pyproject.toml"
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")
PACKAGE = "lassoflexnet"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the package found in this folder, or else the installed one."""
    command = [LINT_IMPORTS, "--no-logo", "--no-cache", "--config", CONFIG]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def skeleton(folder: Path) -> Path:
    """Make a package of empty modules, one for each name in the layer contract."""
    contracts = tomllib.loads(CONFIG.read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    package = folder / PACKAGE
    package.mkdir()
    (package / "__init__.py").touch()
    for name in re.findall(r"\w+", " ".join(layers)):
        (package / f"{name}.py").touch()
    return package


def test_package_keeps_the_contracts(tmp_path):
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_empty_skeleton_keeps_the_contracts(tmp_path):
    skeleton(tmp_path)
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("optim", "prox"),
        ("training", "optim"),
        ("training", "nn"),
        ("recipe", "table"),
        ("assembly", "recipe"),
        ("estimators", "sklearn"),
        ("codes", "exceptions"),
    ],
)
def test_imports_downwards_are_allowed(importer, imported, tmp_path):
    name = "sklearn" if imported == "sklearn" else f"{PACKAGE}.{imported}"
    (skeleton(tmp_path) / f"{importer}.py").write_text(f"import {name}\n")
    done = lint(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("exceptions", f"{PACKAGE}.nn"),
        ("gate", f"{PACKAGE}.prox"),
        ("nn", f"{PACKAGE}.prox"),
        ("prox", f"{PACKAGE}.nn"),
        ("table", f"{PACKAGE}.nn"),
        ("optim", f"{PACKAGE}.nn"),
        ("optim", f"{PACKAGE}.table"),
        ("training", f"{PACKAGE}.table"),
        ("training", f"{PACKAGE}.recipe"),
        ("recipe", f"{PACKAGE}.assembly"),
        ("variants", f"{PACKAGE}.assembly"),
        ("assembly", f"{PACKAGE}.estimators"),
        ("estimators", f"{PACKAGE}.plots"),
        ("training", "sklearn"),
        ("nn", "pandas"),
    ],
)
def test_other_imports_break_a_contract(importer, imported, tmp_path):
    (skeleton(tmp_path) / f"{importer}.py").write_text(f"def late():\n    import {imported}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert f"{PACKAGE}.{importer} -> {imported}" in done.stdout


def test_a_module_without_a_place_breaks_the_contract(tmp_path):
    (skeleton(tmp_path) / "misc.py").touch()
    done = lint(tmp_path)
    assert done.returncode == 1
    assert f"{PACKAGE}.misc" in done.stdout
