"""The package's own names: there when asked for, and not before."""

import subprocess
import sys

import pytest

import lassoflexnet


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_torch_waits_until_a_name_is_asked_for():
    found = "'torch' in sys.modules"
    code = (
        f"import sys, lassoflexnet, lassoflexnet.cli.app; print({found}); "
        f"lassoflexnet.LassoFlexNetRegressor; print({found})"
    )
    assert run(code).split() == ["False", "True"]


def test_every_public_name_has_a_home_and_is_listed():
    for name in lassoflexnet.__all__:
        value = getattr(lassoflexnet, name)
        assert value is lassoflexnet.PRESETS if name == "PRESETS" else value.__name__ == name
    assert {*lassoflexnet.__all__, "__version__"} <= {*dir(lassoflexnet)}


def test_other_names_are_missed_as_usual():
    with pytest.raises(AttributeError, match="'lassoflexnet' has no attribute 'Lasso'"):
        lassoflexnet.Lasso  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Lasso'"):
        from lassoflexnet import Lasso  # noqa: F401
