"""LassoFlexNet: neural networks for tables that select columns exactly."""

from lassoflexnet.estimators import (
    LassoFlexNetClassifier,
    LassoFlexNetRegressor,
    RecipeClassifier,
    RecipeRegressor,
)
from lassoflexnet.recipe import Recipe

__version__ = "0.1.0"

__all__ = [
    "LassoFlexNetClassifier",
    "LassoFlexNetRegressor",
    "Recipe",
    "RecipeClassifier",
    "RecipeRegressor",
]
