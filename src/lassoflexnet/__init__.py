"""LassoFlexNet: neural networks for tables that select columns exactly.

The names below are imported when first asked for: torch takes seconds, and ``--help``
should not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lassoflexnet.estimators import (
        PRESETS,
        LassoFlexNetClassifier,
        LassoFlexNetRegressor,
        RecipeClassifier,
        RecipeRegressor,
    )
    from lassoflexnet.recipe import Recipe

__version__ = "0.1.0"

__all__ = [
    "PRESETS",
    "LassoFlexNetClassifier",
    "LassoFlexNetRegressor",
    "Recipe",
    "RecipeClassifier",
    "RecipeRegressor",
]

_HOMES = {
    "PRESETS": "lassoflexnet.estimators",
    "LassoFlexNetClassifier": "lassoflexnet.estimators",
    "LassoFlexNetRegressor": "lassoflexnet.estimators",
    "Recipe": "lassoflexnet.recipe",
    "RecipeClassifier": "lassoflexnet.estimators",
    "RecipeRegressor": "lassoflexnet.estimators",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lassoflexnet' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
