"""Codes: what the table hands to the network, in its compact form.

A feature (column) is coded by one or more pieces; a row touches exactly one
slot of each piece. Slots of a piece come in two sorts. The first ``n_ordered``
fill up one after another, which is piecewise linear encoding: with the row at
slot t, slots before t are 1, slot t holds the fraction, later ones are 0. The
rest are one-hot (a category, "missing", "other"): only slot t holds the
fraction, which is then 1. So a code is a slot number and a fraction, and its
size does not grow with the number of bins.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class CodeLayout:
    """How slots are laid out: everything the network must know of the table.

    Attributes
    ----------
    feature : tuple of int
        Feature that each piece belongs to, ascending, length p.
    offset : tuple of int
        First slot of each piece, counted within its feature, length p.
    n_ordered : tuple of int
        Number of slots at the start of each piece that fill up in order, length p.
    n_slots : tuple of int
        Number of slots of each feature, length d.
    padded : int
        Width that dense codes are padded to at least; cutting features out keeps it.
    """

    feature: tuple[int, ...]
    offset: tuple[int, ...]
    n_ordered: tuple[int, ...]
    n_slots: tuple[int, ...]
    padded: int = 0

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return len(self.n_slots)

    @property
    def n_pieces(self) -> int:
        """Number of pieces, p >= d."""
        return len(self.feature)

    @property
    def max_slots(self) -> int:
        """Slots that every feature is padded to, k."""
        return max(self.padded, *self.n_slots, 0)

    def pieces_of(self, features: np.ndarray) -> np.ndarray:
        """Numbers of the pieces that code these features (ascending)."""
        return np.flatnonzero(np.isin(self.feature, features))

    def keep(self, features: np.ndarray) -> "CodeLayout":
        """Layout of these features alone (ascending), renumbered from 0."""
        new_number = {int(old): new for new, old in enumerate(features)}
        pieces = self.pieces_of(features)
        return CodeLayout(
            feature=tuple(new_number[self.feature[p]] for p in pieces),
            offset=tuple(self.offset[p] for p in pieces),
            n_ordered=tuple(self.n_ordered[p] for p in pieces),
            n_slots=tuple(self.n_slots[f] for f in features),
            padded=self.max_slots,
        )


class Codes(NamedTuple):
    """Coded rows, piece-major: slot numbers (p, n) and fractions (p, n)."""

    slot: Tensor
    fraction: Tensor

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return self.slot.shape[1]

    def rows(self, index: Tensor | slice) -> "Codes":
        """Codes of some rows."""
        return Codes(self.slot[:, index], self.fraction[:, index])

    def pieces(self, index: np.ndarray) -> "Codes":
        """Codes of some pieces."""
        at = torch.as_tensor(index, device=self.slot.device)
        return Codes(self.slot[at], self.fraction[at])

    def to(self, device: torch.device) -> "Codes":
        """Codes on another device."""
        return Codes(self.slot.to(device), self.fraction.to(device))


def dense_codes(codes: Codes, layout: CodeLayout) -> Tensor:
    """Expand codes to the vectors they stand for: (d, n, k), zero-padded.

    This is equation "ple" written out. The network works on the compact form;
    this one is the reference it is tested against, and feeds the embedding-free
    variant.

    >>> layout = CodeLayout(feature=(0,), offset=(0,), n_ordered=(3,), n_slots=(4,))
    >>> codes = Codes(torch.tensor([[1, 3]]), torch.tensor([[0.5, 1.0]]))
    >>> dense_codes(codes, layout)[0].tolist()
    [[1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    dense = codes.fraction.new_zeros(layout.n_features, codes.n_rows, layout.max_slots)
    for piece, feature in enumerate(layout.feature):
        slot = codes.slot[piece].long()
        start, end = layout.offset[piece], layout.offset[piece] + layout.n_ordered[piece]
        ordered = torch.arange(start, end, device=slot.device)
        filled = (ordered < slot[:, None]) & (slot < end)[:, None]
        dense[feature, :, start:end] = filled.to(dense.dtype)
        dense[feature].scatter_(1, slot[:, None], codes.fraction[piece][:, None])
    return dense
