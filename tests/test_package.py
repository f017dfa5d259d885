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


def test_a_default_fit_does_not_load_the_compiler():
    """Torch's own optimisers do, at their first use, for more than a second."""
    code = (
        "import sys, numpy as np, lassoflexnet as lfn; "
        "X = np.random.default_rng(0).normal(size=(120, 3)); "
        "lfn.LassoFlexNetRegressor(n_threads=1, max_epochs=2).fit(X, X[:, 0]).predict(X); "
        "lfn.LassoFlexNetClassifier(n_threads=1, max_epochs=2).fit(X, np.arange(120) % 3); "
        "print([name for name in ('torch._dynamo', 'torch._inductor') if name in sys.modules])"
    )
    assert run(code) == "[]"


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
