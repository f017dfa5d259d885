"""Dropout that draws few random numbers.

Used in place of ``nn.Dropout`` by embeddings and backbones: with the latter, drawing
random numbers alone took a fifth of a training step on a CPU.
"""

import torch
from torch import Tensor, nn


def in_256(p: float) -> int:
    """Probability as a number of 256ths, fewer than all."""
    return min(round(256 * p), 255)


def dropped(x: Tensor, n_dropped: int) -> Tensor:
    """Which entries of x to drop, with probability ``n_dropped`` / 256: 0 or 1, uint8."""
    return below_(_bytes(x), n_dropped)


def _bytes(x: Tensor) -> Tensor:
    """A random byte for each entry of x; one 64-bit random number gives eight of them."""
    words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
    return words.random_(-(2**63), None).view(torch.uint8)[: x.numel()].view(x.shape)


def below_(draws: Tensor, n: int) -> Tensor:
    """Which bytes are below n, in 1 to 255, in place: 0 or 1.

    Not ``draws < n``, which it equals: comparisons of bytes are not vectorised, clamping is.
    """
    return draws.clamp_(n - 1, n).neg_().add_(n)


def from_(draws: Tensor, n: int) -> Tensor:
    """Which bytes are n, in 1 to 255, or above, in place: 0 or 1."""
    return draws.clamp_(n - 1, n).sub_(n - 1)


class Dropout(nn.Module):
    """Zero entries with probability p (in steps of 1/256) and scale the rest."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self.n_dropped = in_256(p)

    @property
    def now(self) -> int:
        """Entries in 256 to drop: none outside training."""
        return self.n_dropped if self.training else 0

    def forward(self, x: Tensor) -> Tensor:
        """Drop in training; hand through otherwise."""
        return x if self.now == 0 else x * self._factors(x)

    def added(self, total: Tensor, x: Tensor) -> Tensor:
        """``total + self(x)``, in a pass less."""
        return total + x if self.now == 0 else torch.addcmul(total, x, self._factors(x))

    def _factors(self, x: Tensor) -> Tensor:
        """What each entry is multiplied by: 0, or the scale of those that stay."""
        kept = from_(_bytes(x), self.n_dropped).to(x.dtype)
        return kept.mul_(256 / (256 - self.n_dropped))
