"""A frame as other packages want it: categories for trees, numbers for linear models and networks.

Used by every adapter and selector; all of it is learned from training rows alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from lassoflexnet.names import unknown

MISSING = "nan"
"""Text of a missing nominal cell, where it counts as a level."""

# A level in fewer rows, or beyond so many levels, is coded as an unseen one is.
MIN_ROWS, MAX_LEVELS = 2, 64


def is_nominal(column: pd.Series) -> bool:
    """Whether a column holds names; numbers and booleans are numbers."""
    return not pd.api.types.is_numeric_dtype(column.dtype)


def texts(column: pd.Series) -> pd.Series:
    """Cells of a nominal column as text, missing ones left missing."""
    return column.astype(object).map(str, na_action="ignore")


def numbers(column: pd.Series) -> np.ndarray:
    """Cells of a numeric column, NaN where they are missing or infinite."""
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)


class Categories(NamedTuple):
    """Frames for trees.

    Columns are called c0, c1, ..., since some packages refuse names with special characters.

    Attributes
    ----------
    levels : tuple
        Per column its training levels, or None for a numeric one.
    """

    levels: tuple[tuple[str, ...] | None, ...]

    @classmethod
    def of(cls, train: pd.DataFrame) -> "Categories":
        """Learn the levels."""
        return cls(tuple(_levels(train[name]) for name in train))

    @property
    def nominal(self) -> list[int]:
        """Positions of the nominal columns."""
        return [j for j, levels in enumerate(self.levels) if levels is not None]

    def frame(self, X: pd.DataFrame) -> pd.DataFrame:
        """Nominal columns as pandas categories; an unseen level is missing."""
        return self._built(X, lambda text, levels: pd.Categorical(text, categories=levels))

    def text(self, X: pd.DataFrame) -> pd.DataFrame:
        """Nominal columns as text, missing cells as a level of their own."""
        return self._built(X, lambda text, _: text.fillna(MISSING).to_numpy(dtype=object))

    def ordinal(self, X: pd.DataFrame) -> np.ndarray:
        """Nominal columns as numbers of their levels; unseen and missing are NaN."""

        def codes(text: pd.Series, levels: tuple[str, ...]) -> np.ndarray:
            found = pd.Categorical(text, categories=levels).codes
            return np.where(found < 0, np.nan, found)

        return self._built(X, codes).to_numpy(dtype=np.float64)

    def _built(self, X: pd.DataFrame, nominal: Callable[[pd.Series, Any], Any]) -> pd.DataFrame:
        columns = {
            f"c{j}": numbers(X[name])
            if levels is None
            else nominal(_known(X[name], levels), levels)
            for j, (name, levels) in enumerate(zip(X, self.levels, strict=True))
        }
        return pd.DataFrame(columns)


def _levels(column: pd.Series) -> tuple[str, ...] | None:
    return tuple(sorted(texts(column).dropna().unique())) if is_nominal(column) else None


def _known(column: pd.Series, levels: tuple[str, ...]) -> pd.Series:
    text = texts(column).reset_index(drop=True)
    return text.where(text.isin(levels))


def quantile_scaler(values: np.ndarray) -> QuantileTransformer:
    """Map to normal quantiles, as the feature-selection benchmark does.

    Noise keeps ties apart; it is part of fitting alone.
    """
    n = len(values)
    n_quantiles = min(max(min(n // 30, 1000), 10), n)
    std = 1e-3 / np.maximum(values.std(axis=0), 1e-3)
    noise = std * np.random.default_rng(0).standard_normal(values.shape)
    scaler = QuantileTransformer(
        n_quantiles=n_quantiles, output_distribution="normal", subsample=None, random_state=0
    )
    return scaler.fit(values + noise)


def standard_scaler(values: np.ndarray) -> StandardScaler:
    """Mean 0 and variance 1."""
    return StandardScaler().fit(values)


SCALINGS: dict[str, Callable[[np.ndarray], Any]] = {
    "quantile": quantile_scaler,
    "standard": standard_scaler,
}
"""How numbers are scaled, by name."""


class Encoder:
    """Numbers from a frame: scaled numeric columns, and codes of the nominal ones.

    A missing number is the training mean; a missing name is a level of its own if training
    rows have it. Code 0 stands for unseen and rare levels.

    Attributes
    ----------
    owners : ndarray
        Column of the frame that each column of ``matrix`` comes from.
    tokens : ndarray
        Column of the frame of each numeric and then of each nominal column.
    cardinalities : list of int
        Number of codes of each nominal column.
    """

    def __init__(self, train: pd.DataFrame, scaling: str = "quantile") -> None:
        if scaling not in SCALINGS:
            raise unknown("`scaling`", scaling, SCALINGS)
        nominal = np.array([is_nominal(train[name]) for name in train], dtype=bool)
        self.numeric = list(train.columns[~nominal])
        self.levels = {name: _common(train[name]) for name in train.columns[nominal]}
        self.n_columns = train.shape[1]
        self.tokens = np.concatenate([np.flatnonzero(~nominal), np.flatnonzero(nominal)])
        self.cardinalities = [len(levels) + 1 for levels in self.levels.values()]
        widths = [1] * len(self.numeric) + [len(levels) for levels in self.levels.values()]
        self.owners = np.repeat(self.tokens, widths)
        raw = self._raw(train)
        counts = np.maximum(np.isfinite(raw).sum(axis=0), 1)
        self.means = np.nansum(raw, axis=0) / counts
        self.scaler = SCALINGS[scaling](self._filled(raw)) if self.numeric else None

    def numbers(self, X: pd.DataFrame) -> np.ndarray:
        """Numeric columns, filled and scaled: (rows, numeric columns)."""
        raw = self._raw(X)
        if self.scaler is None:
            return raw.astype(np.float32)
        return np.asarray(self.scaler.transform(self._filled(raw)), dtype=np.float32)

    def codes(self, X: pd.DataFrame) -> np.ndarray:
        """Nominal columns as codes from 1; 0 is unseen or rare: (rows, nominal columns)."""
        found = np.zeros((len(X), len(self.levels)), dtype=np.int64)
        for j, (name, levels) in enumerate(self.levels.items()):
            text = texts(X[name]).fillna(MISSING)
            found[:, j] = pd.Categorical(text.where(text.isin(levels)), categories=levels).codes
        return found + 1

    def matrix(self, X: pd.DataFrame) -> np.ndarray:
        """Numbers, then one-hot codes; code 0 is all zeros: (rows, len(owners))."""
        codes = self.codes(X)
        hot = [
            codes[:, [j]] == np.arange(1, cardinality)
            for j, cardinality in enumerate(self.cardinalities)
        ]
        return np.hstack([self.numbers(X), *hot]).astype(np.float32)

    def fold(self, values: np.ndarray) -> np.ndarray:
        """Length of the part of a vector (len(owners),) that belongs to each column."""
        return np.sqrt(np.bincount(self.owners, np.square(values), minlength=self.n_columns))

    def _raw(self, X: pd.DataFrame) -> np.ndarray:
        columns = [numbers(X[name]) for name in self.numeric]
        return np.stack(columns, axis=1) if columns else np.empty((len(X), 0))

    def _filled(self, raw: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(raw), self.means, raw)


def _common(column: pd.Series) -> tuple[str, ...]:
    counts = texts(column).fillna(MISSING).value_counts()
    kept = counts[counts >= MIN_ROWS].sort_index().sort_values(ascending=False, kind="stable")
    return tuple(sorted(kept.index[:MAX_LEVELS]))
