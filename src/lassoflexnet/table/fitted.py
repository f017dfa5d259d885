"""Fitted encodings: one column in, its slots and fractions out.

Made by the encodings, called by the fitted table. Fields are plain numbers, strings and
tuples, so that a fitted encoding compares, pickles and goes to JSON.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

_MANY_DEVIATIONS = 1e6


class Segments(NamedTuple):
    """Bins of a numeric column: fraction = clip((x - start) / width, low, high).

    ``start`` and ``width`` have shape (k,); ``missing`` is the slot and the fraction of a
    missing value.
    """

    start: np.ndarray
    width: np.ndarray
    low: float
    high: float
    missing: tuple[int, float]

    def code(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,) of each number."""
        slot = np.searchsorted(self.start[1:], x, side="right").astype(np.int32)
        with np.errstate(over="ignore"):
            share = (x - self.start[slot]) / self.width[slot]
        fraction = np.clip(share, self.low, self.high).astype(np.float32)
        is_missing = np.isnan(x)
        if is_missing.any():
            slot[is_missing], fraction[is_missing] = self.missing
        return slot, fraction


class FittedEncoding(Protocol):
    """One piece of a column's code; see ``lassoflexnet.codes`` for slots and fractions."""

    @property
    def n_ordered(self) -> int:
        """Number of slots, at the start, that fill up in order."""

    @property
    def n_slots(self) -> int:
        """Number of slots."""

    @property
    def n_folded(self) -> int:
        """Number of training categories that share the slot "other"."""

    @property
    def unseen(self) -> int | None:
        """Slot of categories never seen; None for numbers, and where no category has a slot."""

    @property
    def segments(self) -> Segments | None:
        """Its bins, if cells are plain numbers and these are all there is to it."""

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,), int32, and fraction (n,), float32, of each cell."""


@dataclass(frozen=True)
class FittedPiecewise:
    """Piecewise-linear code: one ordered slot per bin, then the slot "missing".

    Values outside the edges saturate. With a single edge there is one slot, always 0.
    """

    edges: tuple[float, ...]
    n_folded: ClassVar[int] = 0
    unseen: ClassVar[None] = None

    @property
    def n_ordered(self) -> int:
        """Number of bins."""
        return max(1, len(self.edges) - 1)

    @property
    def n_slots(self) -> int:
        """Number of bins and the slot "missing"."""
        return self.n_ordered + 1

    @cached_property
    def segments(self) -> Segments:
        """The bins."""
        edges, missing = np.array(self.edges), (self.n_ordered, 1.0)
        if len(edges) == 1:
            return Segments(edges, np.ones(1), 0.0, 0.0, missing)
        return Segments(edges[:-1], np.diff(edges), 0.0, 1.0, missing)

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,) of each number."""
        return self.segments.code(x)


@dataclass(frozen=True)
class FittedStandardized:
    """The number itself, centred and scaled, in one slot; then the slot "missing".

    It stops at a million deviations, so that no number leaves float32.
    """

    mean: float
    std: float
    n_ordered: ClassVar[int] = 1
    n_slots: ClassVar[int] = 2
    n_folded: ClassVar[int] = 0
    unseen: ClassVar[None] = None

    @cached_property
    def segments(self) -> Segments:
        """The one bin, from mean to mean plus deviation, not clipped at its ends."""
        mean, std = np.array([self.mean]), np.array([self.std])
        return Segments(mean, std, -_MANY_DEVIATIONS, _MANY_DEVIATIONS, (1, 1.0))

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,) of each number."""
        return self.segments.code(x)


@dataclass(frozen=True)
class FittedConstant:
    """One slot, always 0, whatever the cell."""

    n_ordered: ClassVar[int] = 1
    n_slots: ClassVar[int] = 1
    n_folded: ClassVar[int] = 0
    unseen: ClassVar[None] = None

    @cached_property
    def segments(self) -> Segments:
        """One bin of no height."""
        return Segments(np.zeros(1), np.ones(1), 0.0, 0.0, (0, 0.0))

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,), all 0."""
        return np.zeros(len(x), dtype=np.int32), np.zeros(len(x), dtype=np.float32)


@dataclass(frozen=True)
class FittedOneHot:
    """One slot per category, then "other", for rare and unseen ones, then "missing".

    Attributes
    ----------
    categories : tuple of str
        Categories with a slot of their own, most frequent first.
    n_folded : int
        Number of training categories that share the slot "other".
    """

    categories: tuple[str, ...]
    n_folded: int
    n_ordered: ClassVar[int] = 0
    segments: ClassVar[None] = None

    @property
    def n_slots(self) -> int:
        """Number of categories and the slots "other" and "missing"."""
        return len(self.categories) + 2

    @property
    def unseen(self) -> int | None:
        """The slot "other"; None if every category ends there."""
        return len(self.categories) or None

    @cached_property
    def _slot_of(self) -> dict[str | None, int]:
        slots: dict[str | None, int] = {name: slot for slot, name in enumerate(self.categories)}
        return {**slots, None: len(self.categories) + 1}

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,), all 1, of each string or None."""
        slot_of, other = self._slot_of, len(self.categories)
        slot = np.array([slot_of.get(cell, other) for cell in x.tolist()], dtype=np.int32)
        return slot, np.ones(len(x), dtype=np.float32)
