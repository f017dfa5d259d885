"""The wheel works with its declared core dependencies and nothing else."""

import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.contracts.environment import closure, venv_with

ROOT = Path(__file__).resolve().parents[2]
CORE = {"torch", "numpy", "scikit-learn", "narwhals", "safetensors"}

pytestmark = pytest.mark.slow


def run(*command, **options) -> str:
    """Run a command, return what it prints; if it fails, show that."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from the source archive, so that nothing may be missing there either."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def requirements(wheel) -> list[str]:
    """What the wheel itself says it needs, extras left out."""
    (dist,) = distributions(path=[str(wheel)])
    needs_extra = [text for text in dist.requires or () if "extra ==" in text]
    return sorted({*(dist.requires or ())} - {*needs_extra})


@pytest.fixture(scope="module")
def core_python(wheel, requirements, tmp_path_factory) -> Path:
    """Python of an environment with the wheel and its core dependencies."""
    python = venv_with(closure(requirements), tmp_path_factory.mktemp("core") / "venv")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    run(*pip, "check")
    return python


def test_core_dependencies_are_these_five(requirements):
    assert {Requirement(text).name for text in requirements} == CORE


def test_types_and_licence_travel_along(wheel):
    (dist,) = distributions(path=[str(wheel)])
    names = {str(file) for file in dist.files or ()}
    assert "lassoflexnet/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_optional_libraries_are_out_of_reach(core_python):
    for name in ("matplotlib", "pandas", "polars", "pyarrow", "pytest"):
        code = f"from importlib.util import find_spec; assert find_spec({name!r}) is None"
        run(core_python, "-I", "-c", code)


def test_core_dependencies_suffice(core_python, tmp_path):
    script = Path(__file__).with_name("first_steps.py")
    run(core_python, "-I", script, cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1"})
