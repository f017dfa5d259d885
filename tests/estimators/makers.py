"""Small tables, targets and estimators that fit in a fraction of a second.

Used by the tests of the estimators and by the contract tests.
"""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor

SMALL: dict[str, Any] = {
    "n_bins": 8,
    "d_embedding": 4,
    "n_embedding_layers": 1,
    "d_embedding_layer": 8,
    "n_blocks": 1,
    "d_hidden": 16,
    "batch_size": 32,
    "learning_rate": 0.03,
    "max_epochs": 4,
    "max_epochs_per_lambda": 1,
    "n_lambdas": 3,
    "random_state": 0,
}
"""Arguments of a network that learns something within a tenth of a second."""

QUICK: dict[str, Any] = {
    "max_epochs": 2,
    "n_lambdas": 1,
    "lambda_end": 1.0,
    "refit": False,
    "selection": "best",
}
"""What to change where the path does not matter."""

TASKS = ("regression", "binary", "multiclass")


def regressor(**arguments: Any) -> LassoFlexNetRegressor:
    return LassoFlexNetRegressor(**{**SMALL, **arguments})


def classifier(**arguments: Any) -> LassoFlexNetClassifier:
    return LassoFlexNetClassifier(**{**SMALL, **arguments})


def estimator_for(task: str, **arguments: Any) -> LassoFlexNetRegressor | LassoFlexNetClassifier:
    return regressor(**arguments) if task == "regression" else classifier(**arguments)


def numbers(n: int = 120, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of which the first two matter, and a numeric target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 2 * X[:, 0] + np.abs(X[:, 1]) + 0.1 * rng.normal(size=n)


def labelled(n: int = 120, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The same columns, and labels of two classes."""
    X, y = numbers(n, d, seed)
    return X, np.where(y > np.median(y), "high", "low")


def mixed(n: int = 160, seed: int = 0) -> pd.DataFrame:
    """A column of each kind that matters and one that is noise; each with a gap."""
    rng = np.random.default_rng(seed)

    def days() -> list[date | None]:
        return [date(2020, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 900, n)]

    frame = pd.DataFrame(
        {
            "same": np.ones(n),
            "size": rng.normal(size=n),
            "size_noise": rng.normal(size=n),
            "flag": rng.random(n) < 0.5,
            "flag_noise": rng.random(n) < 0.5,
            "town": rng.choice(["Ulm", "Bonn", "Kiel"], n),
            "town_noise": pd.Categorical(rng.choice(["a", "b", "c"], n)),
            "day": pd.to_datetime(days()),
            "day_noise": pd.to_datetime(days()),
        }
    )
    frame.loc[0, ["size", "size_noise", "town", "town_noise", "day", "day_noise"]] = None
    return frame


def mixed_target(frame: pd.DataFrame, task: str) -> np.ndarray:
    """A target of the columns that matter."""
    value = (
        2 * frame["size"].fillna(0).to_numpy()
        + 2 * frame["flag"].to_numpy()
        + 2 * (frame["town"] == "Ulm").to_numpy()
        + (frame["day"] > "2021-06-01").to_numpy()
    )
    if task == "regression":
        return value
    cuts = np.quantile(value, [0.5] if task == "binary" else [0.33, 0.67])
    return np.array(["low", "middle", "high"])[np.digitize(value, cuts)]


def outputs(model: Any, X: Any) -> np.ndarray:
    """What the model says, with all its digits."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
