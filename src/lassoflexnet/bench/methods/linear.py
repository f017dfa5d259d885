"""Linear models of scikit-learn, with the strength of their penalty chosen on validation rows.

Rows of the catalogue; the Lasso's coefficients are also a selector.
"""

import copy
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso as SklearnLasso
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.metrics import log_loss, mean_squared_error

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Encoder
from lassoflexnet.bench.methods.targets import Target, coded, fitted
from lassoflexnet.bench.rows import Split


class Candidates(NamedTuple):
    """A model, and the settings of it to choose among, from strong to weak penalty."""

    model: Any
    settings: list[dict[str, float]]


class Chosen(NamedTuple):
    """The best of some candidates."""

    model: Any
    encoder: Encoder
    target: Target
    settings: dict[str, float]

    @property
    def lengths(self) -> np.ndarray:
        """Length of the coefficients of each column of the frame, over classes and levels."""
        return self.encoder.fold(np.linalg.norm(np.atleast_2d(self.model.coef_), axis=0))


@dataclass(frozen=True)
class Lasso:
    """Lasso, or logistic regression with an l1 penalty.

    Attributes
    ----------
    alpha : float or None
        `alpha` of scikit-learn's Lasso, or `C` of its LogisticRegression; None chooses.
    n_values : int
        Number of values to choose from.
    scaling : str
        "quantile" or "standard".
    """

    alpha: float | None = None
    n_values: int = 12
    scaling: str | None = None

    def choose(self, split: Split, seed: int) -> Chosen:
        """Fit with every value, and keep the best of the validation rows."""
        candidates = _lassos if split.task == "regression" else _l1_logistics
        return choose(
            split, self.scaling or split.scaling, lambda X, y: candidates(self, X, y, seed=seed)
        )

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit; the columns with a coefficient are the selected ones."""
        best = self.choose(split, seed)
        selected = tuple(str(name) for name in split.train.X.columns[best.lengths > 0])
        return _fitted(best)._replace(selected=selected)


@dataclass(frozen=True)
class Ridge:
    """Ridge regression, or logistic regression with an l2 penalty; settings as the Lasso's."""

    alpha: float | None = None
    n_values: int = 12
    scaling: str | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit with every value, and keep the best of the validation rows."""
        candidates = _ridges if split.task == "regression" else _l2_logistics
        return _fitted(
            choose(
                split, self.scaling or split.scaling, lambda X, y: candidates(self, X, y, seed=seed)
            )
        )


def choose(split: Split, scaling: str, candidates: Any) -> Chosen:
    """Fit a model with each of its settings, warm from the last; keep the best."""
    target, encoder = coded(split), Encoder(split.train.X, scaling)
    X, X_val = (encoder.matrix(frame) for frame in (split.train.X, target.validation.X))
    model, settings = candidates(X, target.train)
    best, lowest = Chosen(None, encoder, target, {}), np.inf
    for setting in settings:
        with warnings.catch_warnings():
            # A path that is cut short is still a path, and judged on the validation rows.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.set_params(**setting).fit(X, target.train)
        loss = _loss(model, X_val, target)
        if loss < lowest:
            best, lowest = best._replace(model=copy.deepcopy(model), settings=setting), loss
    return best


def _fitted(best: Chosen) -> Fitted:
    facts = {name: float(value) for name, value in best.settings.items()}
    return fitted(best.model, best.encoder.matrix, best.target, facts)


def _loss(model: Any, X: np.ndarray, target: Target) -> float:
    y = target.validation.y
    if target.is_regression:
        return float(mean_squared_error(y, model.predict(X)))
    return float(log_loss(y, model.predict_proba(X), labels=model.classes_))


def _values(name: str, given: float | None, values: Iterable[float]) -> list[dict[str, float]]:
    return [{name: float(value)} for value in (values if given is None else [given])]


def _lassos(part: Lasso, X: np.ndarray, y: np.ndarray, seed: int) -> Candidates:
    highest = np.abs(X.T @ (y - y.mean())).max() / len(y)
    values = max(highest, 1e-6) * np.geomspace(1, 1e-3, part.n_values)
    model = SklearnLasso(max_iter=2000, tol=1e-3, warm_start=True, random_state=seed)
    return Candidates(model, _values("alpha", part.alpha, values))


def _l1_logistics(part: Lasso, X: np.ndarray, y: np.ndarray, seed: int) -> Candidates:
    # Below this C every coefficient is zero.
    residual = (y[:, None] == np.unique(y)) - np.bincount(y) / len(y)
    lowest = 1 / max(np.abs(X.T @ residual).max(), 1e-6)
    values = lowest * np.geomspace(1.5, 1e3, part.n_values)
    # scikit-learn 1.8 replaced the name of the penalty by its share of l1.
    new = LogisticRegression().penalty == "deprecated"
    l1: dict[str, Any] = {"l1_ratio": 1.0} if new else {"penalty": "l1"}
    model = LogisticRegression(
        **l1, solver="saga", max_iter=200, tol=1e-3, warm_start=True, random_state=seed
    )
    return Candidates(model, _values("C", part.alpha, values))


def _ridges(part: Ridge, _: np.ndarray, y: np.ndarray, seed: int) -> Candidates:
    values = len(y) * np.geomspace(10, 1e-5, part.n_values)
    # Other solvers than this one have trouble with columns that say the same twice.
    model = SklearnRidge(solver="svd", random_state=seed)
    return Candidates(model, _values("alpha", part.alpha, values))


def _l2_logistics(part: Ridge, *_: np.ndarray, seed: int) -> Candidates:
    values = np.geomspace(1e-4, 1e3, part.n_values)
    model = LogisticRegression(max_iter=500, warm_start=True, random_state=seed)
    return Candidates(model, _values("C", part.alpha, values))
