"""The gate: the two weight blocks that lambda acts on.

Networks hand it out and take it back; proximal operators map one gate to another.
"""

from typing import NamedTuple

from torch import Tensor


class Gate(NamedTuple):
    """Skip weights and first-layer weights, one row per feature.

    Attributes
    ----------
    beta : Tensor, shape (d, c)
        Skip weights: one per output (c = 1 for regression and binary tasks).
    w1 : Tensor, shape (d, K)
        Outgoing first-layer weights of the backbone.
    """

    beta: Tensor
    w1: Tensor

    def norm(self) -> Tensor:
        """Size of each feature's skip weights: (d,)."""
        return row_norm(self.beta)

    def support(self) -> Tensor:
        """Which features live: bool (d,)."""
        return (self.beta != 0).any(dim=1)


def row_norm(x: Tensor) -> Tensor:
    """L2 norm of each row, (d, c) -> (d,); a single column is exactly ``|x|``."""
    return x.abs().squeeze(1) if x.shape[1] == 1 else x.norm(dim=1)
