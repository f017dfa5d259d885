"""The files around the package say what is true."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lassoflexnet
from tests.contracts.environment import closure

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "dist"}
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:home|root|Users|work|opt|mnt|srv|tmp)/\w")
HOST_OPTION = re.compile(r"--(?:extra-)?index-url|--find-links|--trusted-host")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def project_files() -> list[Path]:
    """Files that git tracks or would track; without git, all but what tools leave behind."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        files = [ROOT / line for line in done.stdout.splitlines()]
    except FileNotFoundError:
        files = []
    if not files:
        files = [file for file in ROOT.rglob("*") if not NOT_OURS & {*file.relative_to(ROOT).parts}]
    return [file for file in files if file.is_file() and "__pycache__" not in file.parts]


def pins() -> dict[str, str]:
    lines = [line for line in text_of("constraints.txt").splitlines() if not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def makefile_commands() -> list[str]:
    return text_of("Makefile").replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_readme_names_the_two_commands(command):
    assert command in text_of("README.md")


@pytest.mark.parametrize("pattern", [MACHINE_PATH, HOST_OPTION], ids=["path", "host"])
def test_no_machine_is_named(pattern):
    here = Path(__file__)
    hits = []
    for file in project_files():
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        hits += [f"{file}: {line}" for line in lines if pattern.search(line) and file != here]
    assert hits == []


def test_version_is_the_same_in_citation():
    (version,) = re.findall(r"^version: (.+)$", text_of("CITATION.cff"), flags=re.MULTILINE)
    assert version == lassoflexnet.__version__


def test_changelog_knows_the_work_in_progress_or_the_version():
    headings = re.findall(r"^## \[(.+?)\]", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert headings[0] in {"Unreleased", lassoflexnet.__version__}


def test_there_are_public_names():
    assert {"LassoFlexNetClassifier", "LassoFlexNetRegressor"} <= {*lassoflexnet.__all__}


@pytest.mark.parametrize("name", sorted({*lassoflexnet.__all__} - {"PRESETS"}))
def test_public_class_is_there_and_documented(name):
    assert inspect.getdoc(getattr(lassoflexnet, name))


def test_import_takes_no_optional_library_along():
    # scikit-learn itself imports pandas where it is installed; test_wheel.py does without.
    optional = {"matplotlib", "polars", "catboost", "lassonet", "lightgbm", "xgboost"}
    left = f"sys.exit(', '.join({optional!r} & {{*sys.modules}}))"
    code = f"import sys; from lassoflexnet import *; {left}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_constraints_are_exact_and_portable():
    assert pins()["torch"] == "2.13.0"
    for name, version in pins().items():
        assert re.fullmatch(r"[a-z0-9-]+", name), name
        assert re.fullmatch(r"[0-9.]+", version), f"{name}=={version}"


def test_constraints_cover_all_that_tests_install():
    installed = closure(["lassoflexnet[dev]"])
    del installed["lassoflexnet"]
    versions = {name: dist.version.split("+")[0] for name, dist in installed.items()}
    assert versions == {name: pins().get(name) for name in versions}


def test_every_install_uses_the_constraints():
    installs = [line for line in makefile_commands() if re.search(r"\bpip\b.*\binstall\b", line)]
    assert installs
    assert [line for line in installs if "-c constraints.txt" not in line] == []


@pytest.mark.parametrize(
    "target",
    [
        *("demo", "test", "check", "format", "clean", "results-page"),
        *("bench-california", "bench-lite", "bench-defaults", "bench-speed", "bench-tabm"),
    ],
)
def test_make_target_exists(target):
    assert any(line.startswith(f"{target}:") for line in makefile_commands())


def test_ci_runs_make_test():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert text_of(".ci/run").splitlines()[-1] == "make test"
