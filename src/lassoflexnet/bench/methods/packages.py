"""Optional packages, imported where they are needed.

Called by every adapter, so that a missing package is reported in one way.
"""

import warnings
from importlib import import_module
from typing import Any

from lassoflexnet.exceptions import MissingDependency

BENCH = 'pip install "lassoflexnet[bench]"'


def package(module: str, install: str = BENCH) -> Any:
    """Import a module, or raise an error with the command that installs it."""
    try:
        with warnings.catch_warnings():
            # What a package imports that is deprecated is its own affair.
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise MissingDependency(
            f"`{module}` is needed here and cannot be imported ({error}). Run `{install}`."
        ) from error
