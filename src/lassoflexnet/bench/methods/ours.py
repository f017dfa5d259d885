"""LassoFlexNet itself: the estimators' default constructors, and any recipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lassoflexnet import PRESETS, LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.bench.methods.base import Fitted, spread
from lassoflexnet.bench.rows import Split
from lassoflexnet.estimators import RecipeClassifier, RecipeRegressor
from lassoflexnet.recipe import Recipe
from lassoflexnet.variants import ABLATIONS, with_budget


class Form(NamedTuple):
    """A preset, or the defaults, and whether the validation rows are learnt from in the end."""

    preset: str | None = None
    all_rows: bool = False

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What differs from the defaults."""
        return {} if self.preset is None else PRESETS[self.preset].arguments


@dataclass(frozen=True)
class LassoFlexNet:
    """The default constructor, with these arguments changed.

    Validation rows are its ``eval_set``, as other methods use them; or, with ``all_rows``,
    rows like the others, of which it holds out some itself and learns from them in the end.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    all_rows: bool = False

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit a regressor or a classifier."""
        kind = LassoFlexNetRegressor if split.task == "regression" else LassoFlexNetClassifier
        model = kind(random_state=seed, n_threads=1, **self.arguments)
        return fitted(model, split, all_rows=self.all_rows)


@dataclass(frozen=True)
class FromRecipe:
    """A row of the paper's ablation table, within a budget.

    Attributes
    ----------
    row : str
        Its name in ``variants.ABLATIONS``.
    dense_epochs, n_lambdas, epochs_per_lambda, batch_size : int or None
        At most so much training, and batches of this size; None is the paper's.
    """

    row: str
    dense_epochs: int | None = None
    n_lambdas: int | None = None
    epochs_per_lambda: int | None = None
    batch_size: int | None = None

    @property
    def recipe(self) -> Recipe:
        """The row's recipe within the budget."""
        full = ABLATIONS[self.row]
        return with_budget(
            full,
            dense_epochs=_given(self.dense_epochs, full.plan.dense.max_epochs),
            n_lambdas=_given(self.n_lambdas, full.plan.path.n_lambdas),
            epochs_per_lambda=_given(self.epochs_per_lambda, full.plan.path.budget.max_epochs),
            batch_size=self.batch_size,
        )

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit a regressor or a classifier."""
        kind = RecipeRegressor if split.task == "regression" else RecipeClassifier
        return fitted(kind(recipe=self.recipe, random_state=seed, n_threads=1), split)


def _given(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def fitted(model: Any, split: Split, *, all_rows: bool = False) -> Fitted:
    """Fit one of our estimators, and say what it kept."""
    if all_rows:
        model.fit(*split.train.joined(split.validation))
    else:
        model.fit(*split.train, eval_set=tuple(split.validation))

    def predict(X: Any) -> np.ndarray:
        if split.task == "regression":
            return np.asarray(model.predict(X))
        return spread(model.predict_proba(X), model.classes_, split.n_classes)

    selected = tuple(str(name) for name in model.selected_features_)
    return Fitted(predict, selected, _facts(model), learnt_validation=all_rows)


def _facts(model: Any) -> dict[str, Any]:
    """Losses on the rows that it was validated on, and where on the path it is."""
    points = model.path_.points
    return {
        "dense_validation_loss": float(points[0].validation_loss),
        "path_validation_loss": float(min(p.validation_loss for p in points[1:] or points)),
        "validation_loss": float(model.validation_loss_),
        "alive_at_end": int(points[-1].n_features),
        "lambda": float(model.lambda_),
    }
