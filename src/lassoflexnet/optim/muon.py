"""Muon: matrices move in orthogonal directions, all other weights by AdamW.

Built by ``MuonSettings``. After Jordan et al., "Muon: an optimizer for hidden layers". Torch's own
works in bfloat16, which is slow on most CPUs, and on single matrices; here a parameter may be a
batch of them (one for each feature, or for each network of several), which are turned at once.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.optim import AdamW

# Of the odd polynomial a x + b x^3 + c x^5 that takes singular values towards 1: an iteration
# multiplies small ones by A, and keeps large ones between 0.7 and 1.2.
A, B, C = 3.4445, -4.7750, 2.0315

# About the root mean square of a step's entries, per unit of learning rate.
STEP = 0.1


class Muon(AdamW):
    """AdamW for all but the matrices, which share its learning rates and weight decay.

    A matrix moves about along the orthogonal matrix nearest to its averaged gradient, so all but
    its weakest singular directions are learnt at one pace, and not the strongest ones first.

    Parameters
    ----------
    groups : list of dict
        Parameters, as every torch optimiser takes them.
    matrices : mapping
        Those that are matrices -> how many leading axes number them; of the others the last is
        the column, all before it are the row.
    momentum : float
        Decay of the gradient's average.
    n_iterations : int
        Iterations towards the orthogonal matrix.
    lr : float
        Learning rate.
    """

    def __init__(
        self,
        groups: Any,
        matrices: Mapping[Tensor, int],
        *,
        momentum: float,
        n_iterations: int,
        lr: float,
    ) -> None:
        super().__init__(groups, lr=lr, fused=True)
        self.matrices = matrices
        self.momentum = momentum
        self.n_iterations = n_iterations

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """AdamW's step without the matrices, then theirs."""
        loss = None if closure is None else torch.enable_grad()(closure)()
        found = [
            (group, p, p.grad)
            for group in self.param_groups
            for p in group["params"]
            if p in self.matrices and p.grad is not None
        ]
        for _, p, _ in found:
            p.grad = None
        super().step()
        for group, p, gradient in found:
            p.grad = gradient
            p.mul_(1.0 - group["lr"] * group["weight_decay"])
            p.sub_(self._direction(p, gradient), alpha=group["lr"])
        return loss

    def _direction(self, p: Tensor, gradient: Tensor) -> Tensor:
        """The step per unit of learning rate, in the parameter's shape."""
        if not self.state[p]:
            # AdamW looks for a step when a state is loaded.
            self.state[p] = {"step": torch.zeros(()), "average": torch.zeros_like(p)}
        average = self.state[p]["average"]
        average.lerp_(gradient, 1.0 - self.momentum)
        # Nesterov's look ahead.
        ahead = gradient.lerp(average, self.momentum).flatten(self.matrices[p], -2)
        size = STEP * max(ahead.shape[-2:]) ** 0.5
        return orthogonal(ahead, self.n_iterations).mul_(size).view_as(p)


def orthogonal(x: Tensor, n_iterations: int) -> Tensor:
    """About the orthogonal matrix nearest to each matrix: U V' of U S V' (Newton-Schulz)."""
    is_tall = x.shape[-2] > x.shape[-1]
    y = x.mT if is_tall else x
    y = y / y.norm(dim=(-2, -1), keepdim=True).clamp_min(1e-7)
    add_product = torch.addmm if y.ndim == 2 else torch.baddbmm
    for _ in range(n_iterations):
        gram = y @ y.mT
        y = add_product(y, add_product(gram, gram, gram, beta=B, alpha=C), y, beta=A)
    return (y.mT if is_tall else y).contiguous()
