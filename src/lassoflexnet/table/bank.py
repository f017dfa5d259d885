"""All numeric columns of a small table coded at once, by a few numpy calls in all.

Called by the fitted table for few rows, where a loop over columns costs more than its work.
"""

from dataclasses import dataclass

import numpy as np

from lassoflexnet.table.fitted import Segments


@dataclass(frozen=True, eq=False)
class Bank:
    """Bins of d columns side by side, short ones padded with bins that start at infinity.

    Attributes
    ----------
    start, width : ndarray of shape (d, k)
        Start and width of each bin.
    low, high, missing_slot, missing_fraction : ndarray of shape (d, 1)
        The rest of each column's ``Segments``.
    """

    start: np.ndarray
    width: np.ndarray
    low: np.ndarray
    high: np.ndarray
    missing_slot: np.ndarray
    missing_fraction: np.ndarray

    @classmethod
    def of(cls, columns: list[Segments]) -> "Bank":
        """Put columns side by side."""
        n_bins = max(len(column.start) for column in columns)
        return cls(
            start=np.stack([_padded(column.start, n_bins, np.inf) for column in columns]),
            width=np.stack([_padded(column.width, n_bins, 1.0) for column in columns]),
            low=np.array([[column.low] for column in columns]),
            high=np.array([[column.high] for column in columns]),
            missing_slot=np.array([[column.missing[0]] for column in columns]),
            missing_fraction=np.array([[column.missing[1]] for column in columns]),
        )

    def columns(self, index: np.ndarray) -> "Bank":
        """Bank of some columns."""
        return Bank(*(part[index] for part in vars(self).values()))

    def code(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (d, n) and fraction (d, n) of numbers (d, n); see ``Segments.code``."""
        slot = (x[:, :, None] >= self.start[:, None, 1:]).sum(axis=2)
        column = np.arange(len(x))[:, None]
        with np.errstate(over="ignore"):
            share = (x - self.start[column, slot]) / self.width[column, slot]
        fraction = np.minimum(np.maximum(share, self.low), self.high)
        is_missing = np.isnan(x)
        return (
            np.where(is_missing, self.missing_slot, slot),
            np.where(is_missing, self.missing_fraction, fraction),
        )


def _padded(bins: np.ndarray, n_bins: int, filler: float) -> np.ndarray:
    return np.pad(bins, (0, n_bins - len(bins)), constant_values=filler)
