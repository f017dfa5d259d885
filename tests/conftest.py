"""What holds for every test: one thread, no windows, the same random examples each time."""

import os
import sys

import pytest
from hypothesis import settings

# Before torch is imported; `make test` sets the first one as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Let tests, and scikit-learn's checks among them, fit tables of a few rows in peace.

    Of such rows often no column is kept. That `fit` warns of both is tested in
    tests/estimators/test_reading.py and test_base.py.
    """
    config.addinivalue_line("filterwarnings", "ignore:fit has .* training row:UserWarning")
    config.addinivalue_line("filterwarnings", "ignore:no column is kept:UserWarning")


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what a test has drawn; matplotlib warns about too many open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
