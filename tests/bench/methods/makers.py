"""Small splits with every kind of column, and what a useful prediction is on them."""

import numpy as np
import pandas as pd

from lassoflexnet.bench.rows import Rows, Split, Task

TASKS: tuple[Task, ...] = ("regression", "binary", "multiclass")
N_CLASSES = {"regression": 0, "binary": 2, "multiclass": 3}
COLOURS = np.array(["red", "green", "blue", "grey"])
EFFECTS = np.array([-1.5, 0.0, 1.5, 0.0])


def mixed(task: Task, n: int = 400, seed: int = 0) -> Split:
    """Six columns, three of which count; a quarter of the rows each validate and test."""
    rng = np.random.default_rng(seed)
    size, age, noise = rng.normal(size=(3, n))
    flag, colour = rng.random(n) < 0.5, rng.integers(4, size=n)
    signal = 2 * size + EFFECTS[colour] + flag
    frame = pd.DataFrame(
        {
            "size [m<2]": np.where(rng.random(n) < 0.05, np.nan, size),
            "flag": flag,
            "colour": pd.Series(COLOURS[colour]).where(rng.random(n) > 0.05),
            "age": age,
            "kind": pd.Categorical(rng.integers(5, size=n)),
            "noise": noise,
        }
    )
    numeric = 100 + 20 * (signal + 0.1 * rng.normal(size=n))
    y = numeric if task == "regression" else classes(signal, N_CLASSES[task])
    return cut(frame, y, task)


def classes(signal: np.ndarray, n_classes: int) -> np.ndarray:
    edges = np.quantile(signal, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(edges, signal)


def cut(frame: pd.DataFrame, y: np.ndarray, task: Task, real: tuple[str, ...] = ()) -> Split:
    n = len(y)
    bounds = [(0, n // 2), (n // 2, 3 * n // 4), (3 * n // 4, n)]
    parts = [Rows(frame[a:b].reset_index(drop=True), y[a:b]) for a, b in bounds]
    return Split(*parts, task, N_CLASSES[task], real)


def odd(X: pd.DataFrame) -> pd.DataFrame:
    """The same rows with an unseen name, and with missing and infinite cells."""
    X = X.copy()
    X.loc[0, "colour"] = "violet"
    X.loc[1, "colour"] = None
    X.loc[2, "age"] = np.inf
    X.loc[3, "noise"] = np.nan
    return X


def without_class(split: Split, label: int) -> Split:
    """The same split with no training row of a class."""
    kept = np.flatnonzero(split.train.y != label)
    train = Rows(split.train.X.iloc[kept].reset_index(drop=True), split.train.y[kept])
    return split._replace(train=train)


def gain(split: Split, predictions: np.ndarray) -> float:
    """Share of the error of a constant that is gone: squared error, or one minus accuracy."""
    y = split.test.y
    if split.task == "regression":
        return float(1 - np.mean((predictions - y) ** 2) / np.mean((y - split.train.y.mean()) ** 2))
    wrong = np.mean(predictions.argmax(axis=1) != y)
    most_frequent = np.bincount(split.train.y).argmax()
    return float(1 - wrong / np.mean(y != most_frequent))


def check_fit(method, split: Split, least: float) -> None:
    """What holds for every method."""
    found = method.fit(split, 0)
    predictions = found.predict(split.test.X)
    n = len(split.test.y)
    assert predictions.shape == ((n,) if split.task == "regression" else (n, split.n_classes))
    assert gain(split, predictions) > least
    strange = found.predict(odd(split.test.X))
    assert np.isfinite(strange).all()
    np.testing.assert_allclose(strange[4:], predictions[4:], rtol=1e-4, atol=1e-4)
    if split.task != "regression":
        np.testing.assert_allclose(predictions.sum(axis=1), 1, rtol=1e-5)
        assert predictions.min() >= 0
    np.testing.assert_array_equal(method.fit(split, 0).predict(split.test.X), predictions)


def planted(task: Task, n: int = 480, seed: int = 0) -> Split:
    """Eight numeric columns, of which the second and the sixth count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    signal = 1.5 * X[:, 1] + X[:, 5] + 0.2 * rng.normal(size=n)
    y = signal * 3 if task == "regression" else classes(signal, N_CLASSES[task])
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    return cut(frame, y, task, real=("x1", "x5"))
