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
    """Which entries of x to drop, with probability ``n_dropped`` / 256: 0 or 1, uint8.

    One 64-bit random number decides on eight entries.
    """
    words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
    draws = words.random_(-(2**63), None).view(torch.uint8)[: x.numel()].view(x.shape)
    return below_(draws, n_dropped)


def below_(draws: Tensor, n: int) -> Tensor:
    """Which bytes are below n, in 1 to 255, in place: 0 or 1.

    Not ``draws < n``, which it equals: comparisons of bytes are not vectorised, clamping is.
    """
    return draws.clamp_(n - 1, n).neg_().add_(n)


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
        if self.now == 0:
            return x
        scale = 256 / (256 - self.n_dropped)
        gone = dropped(x, self.n_dropped).to(x.dtype)
        return x * gone.mul_(-scale).add_(scale)
