"""Data sets of the benchmarks, from a local folder or scikit-learn's download.

Called by the benchmark scripts.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_california_housing
from sklearn.model_selection import train_test_split

from lassoflexnet.exceptions import InvalidInput


def california_housing(folder: Path | None) -> tuple[pd.DataFrame, np.ndarray]:
    """California Housing in scikit-learn's row order: 20,640 rows, 8 columns.

    Parameters
    ----------
    folder : Path or None
        Folder that holds ``california_housing.parquet`` with the target in column
        ``MedHouseVal``; None lets scikit-learn download the data, or take them from its cache.
    """
    if folder is None:
        bunch = fetch_california_housing(as_frame=True)
        return bunch.data, bunch.target.to_numpy()
    path = folder / "california_housing.parquet"
    if not path.exists():
        raise InvalidInput(f"`{path}` does not exist. Put the data there, or name another folder.")
    frame = pd.read_parquet(path)
    y = frame.pop("MedHouseVal").to_numpy()
    return frame, y


class Split(NamedTuple):
    """Rows of the feature-selection protocol: 65 % train, 15 % validate, 20 % test."""

    X_train: pd.DataFrame
    y_train: np.ndarray
    X_val: pd.DataFrame
    y_val: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray

    @classmethod
    def of(cls, X: pd.DataFrame, y: np.ndarray) -> "Split":
        """Split by seed 0."""
        X_rest, X_test, y_rest, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
        X_train, X_val, y_train, y_val = train_test_split(
            X_rest, y_rest, test_size=0.15 / 0.8, random_state=0
        )
        return cls(X_train, y_train, X_val, y_val, X_test, y_test)


def with_random_columns(X: pd.DataFrame, share: float) -> pd.DataFrame:
    """Append standard normal columns until they are ``share`` of all columns.

    As in the feature-selection benchmark (Cherepanova et al., 2023): drawn once for the
    whole table with numpy's legacy generator at seed 0, appended after the real columns.
    """
    n_added = int(X.shape[1] / (1 - share) * share)
    noise = np.random.RandomState(0).standard_normal((len(X), n_added))
    names = [f"noise_{i}" for i in range(n_added)]
    return pd.concat([X, pd.DataFrame(noise, columns=names, index=X.index)], axis=1)
