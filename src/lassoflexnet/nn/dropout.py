"""Dropout that draws few random numbers.

Used in place of ``nn.Dropout`` by embeddings and backbones.
"""

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Zero entries with probability p (in steps of 1/256) and scale the rest.

    One 64-bit random number decides on eight entries: with ``nn.Dropout``, drawing
    random numbers alone took a fifth of a training step on a CPU.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self.n_dropped = min(round(256 * p), 255)

    def forward(self, x: Tensor) -> Tensor:
        """Drop in training; hand through otherwise."""
        if not self.training or self.n_dropped == 0:
            return x
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
        draws = words.random_(-(2**63), None).view(torch.uint8)[: x.numel()].view(x.shape)
        kept = (draws >= self.n_dropped).to(x.dtype).mul_(256 / (256 - self.n_dropped))
        return x * kept
