"""``RecipeRegressor`` and ``RecipeClassifier``: the door for any parts.

They take a recipe ready; what ``fit`` does is in ``_base``.
"""

from typing import Any, ClassVar

from lassoflexnet.estimators._base import (
    CLASSIFIER_CONSTRAINTS,
    SHARED_CONSTRAINTS,
    TabularEstimator,
)
from lassoflexnet.estimators.documentation import (
    CLASS_WEIGHT_ARGUMENT,
    CLASSIFICATION_METRICS,
    FITTED_ATTRIBUTES,
    REGRESSION_METRICS,
    SHARED_ARGUMENTS,
    documented,
)
from lassoflexnet.estimators.faces import ClassificationFace, RegressionFace
from lassoflexnet.recipe import Recipe


@documented(shared=SHARED_ARGUMENTS, fitted=FITTED_ATTRIBUTES, metrics=REGRESSION_METRICS)
class RecipeRegressor(RegressionFace, TabularEstimator):
    """Regressor that fits a given recipe.

    Parameters
    ----------
    recipe : Recipe or None, default=None
        Which parts with which numbers; None is ``Recipe()``, whose sizes are those for
        10,000 rows or more and follow no table. See ``lassoflexnet.variants`` for the paper's.
    {shared}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from lassoflexnet import RecipeRegressor
    >>> from lassoflexnet.variants import ABLATIONS, short
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RecipeRegressor(short(ABLATIONS["No EMA"]), random_state=0).fit(X, y)
    >>> model.predict(X).shape
    (442,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "recipe": [Recipe, None],
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        recipe: Recipe | None = None,
        *,
        validation_fraction: float = 0.15,
        eval_metric: str | None = None,
        categorical_features: Any = "auto",
        random_state: Any = None,
        device: str = "auto",
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.recipe = recipe
        self.validation_fraction = validation_fraction
        self.eval_metric = eval_metric
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.device = device
        self.n_threads = n_threads
        self.verbose = verbose

    def _recipe(self, n_rows: int) -> Recipe:  # noqa: ARG002
        return self.recipe or Recipe()


@documented(
    shared=SHARED_ARGUMENTS,
    class_weight=CLASS_WEIGHT_ARGUMENT,
    fitted=FITTED_ATTRIBUTES,
    metrics=CLASSIFICATION_METRICS,
)
class RecipeClassifier(ClassificationFace, TabularEstimator):
    """Classifier that fits a given recipe.

    Parameters
    ----------
    recipe : Recipe or None, default=None
        Which parts with which numbers; None is ``Recipe()``, whose sizes are those for
        10,000 rows or more and follow no table. See ``lassoflexnet.variants`` for the paper's.
    {shared}
    {class_weight}

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    {fitted}
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "recipe": [Recipe, None],
        **CLASSIFIER_CONSTRAINTS,
    }

    def __init__(
        self,
        recipe: Recipe | None = None,
        *,
        validation_fraction: float = 0.15,
        eval_metric: str | None = None,
        categorical_features: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        device: str = "auto",
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.recipe = recipe
        self.validation_fraction = validation_fraction
        self.eval_metric = eval_metric
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.device = device
        self.n_threads = n_threads
        self.verbose = verbose

    def _recipe(self, n_rows: int) -> Recipe:  # noqa: ARG002
        return self.recipe or Recipe()
