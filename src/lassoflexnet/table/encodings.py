"""Encodings: how a column of each kind is to be coded, before any row is seen.

Parts of the table encoder, which calls ``fit`` once per column.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lassoflexnet.table.bins import Bins, Target, TreeBins, mean_and_std, require_at_least
from lassoflexnet.table.fitted import (
    FittedConstant,
    FittedEncoding,
    FittedOneHot,
    FittedPiecewise,
    FittedStandardized,
)

_FEW_ROWS = 200


class Encoding(Protocol):
    """A way to code a column."""

    def fit(self, x: np.ndarray, target: Target, rng: np.random.Generator) -> FittedEncoding:
        """Learn the code of a column from its training cells (n,)."""


@dataclass(frozen=True)
class PiecewiseLinear:
    """Piecewise linear encoding of numbers (paper, equation "ple").

    A number x becomes the vector with components clip((x - b_{t-1}) / (b_t - b_{t-1}), 0, 1),
    one for each bin t with edges b_{t-1} and b_t: bins below x are 1, bins above are 0. A
    further component flags a missing value, all others then being 0.

    Parameters
    ----------
    n_bins : int
        Largest number of bins; the tree may find fewer.
    bins : Bins
        How to place the edges.
    """

    n_bins: int = 48
    bins: Bins = field(default_factory=TreeBins)

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_at_least(1, n_bins=self.n_bins)

    def fit(self, x: np.ndarray, target: Target, rng: np.random.Generator) -> FittedPiecewise:
        """Place the bin edges by the numbers (n,) that are not missing."""
        present = ~np.isnan(x)
        if not present.any():
            return FittedPiecewise(edges=(0.0,))
        seen = target if present.all() else target.rows(present)
        edges = self.bins.edges(x[present], seen, n_bins=self.n_bins, rng=rng)
        return FittedPiecewise(edges=tuple(edges.tolist()))


@dataclass(frozen=True)
class Standardized:
    """The number itself, centred and scaled: the variant without piecewise encoding.

    A missing value is the mean (0), with a further component that flags it.
    """

    def fit(
        self,
        x: np.ndarray,
        target: Target,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> FittedStandardized:
        """Take mean and deviation of the numbers (n,) that are not missing."""
        present = ~np.isnan(x)
        if not present.any():
            return FittedStandardized(mean=0.0, std=1.0)
        mean, std = mean_and_std(x[present], target.rows(present).weight)
        return FittedStandardized(mean=mean, std=std)


@dataclass(frozen=True)
class OneHot:
    """One component per category.

    Categories are compared as text. Those beyond the most frequent ones, those too rare
    and those never seen share one component, "other"; a missing value has its own.

    Parameters
    ----------
    max_categories : int
        Largest number of categories with a component of their own. How many did not get
        one is kept as ``n_folded`` of the fitted encoding.
    min_count : int or None
        Training rows a category needs for a component of its own; None means 1 in a table
        of fewer than 200 rows and 3 in a larger one.
    """

    max_categories: int = 64
    min_count: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_at_least(1, max_categories=self.max_categories, min_count=self.min_count)

    def fit(
        self,
        x: np.ndarray,
        target: Target,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> FittedOneHot:
        """Count the categories among the strings (n,), None being missing."""
        counts = Counter(x.tolist())
        del counts[None]
        needed = self.min_count or (1 if len(x) < _FEW_ROWS else 3)
        by_frequency = sorted(counts, key=lambda name: (-counts[name], name))
        frequent = [name for name in by_frequency if counts[name] >= needed]
        kept = tuple(frequent[: self.max_categories])
        return FittedOneHot(categories=kept, n_folded=len(counts) - len(kept))


@dataclass(frozen=True)
class ZeroOne:
    """Booleans: one bin from False (0) to True (1)."""

    def fit(self, *_: object) -> FittedPiecewise:
        """Nothing is learned from the rows."""
        return FittedPiecewise(edges=(0.0, 1.0))


@dataclass(frozen=True)
class Constant:
    """Columns that carry nothing: one component, always 0."""

    def fit(self, *_: object) -> FittedConstant:
        """Nothing is learned from the rows."""
        return FittedConstant()
