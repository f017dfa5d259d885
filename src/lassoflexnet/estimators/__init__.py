"""The scikit-learn face: regressors and classifiers."""

from lassoflexnet.estimators.classifier import LassoFlexNetClassifier
from lassoflexnet.estimators.presets import PRESETS
from lassoflexnet.estimators.recipe_estimators import RecipeClassifier, RecipeRegressor
from lassoflexnet.estimators.regressor import LassoFlexNetRegressor

__all__ = [
    "PRESETS",
    "LassoFlexNetClassifier",
    "LassoFlexNetRegressor",
    "RecipeClassifier",
    "RecipeRegressor",
]
