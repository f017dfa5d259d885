"""Muon: matrices move in orthogonal directions, all other weights by AdamW.

Built by ``MuonSettings``. After Jordan et al., "Muon: an optimizer for hidden layers". Torch's own
works in bfloat16, which is slow on most CPUs, and on single matrices; here a parameter may be a
batch of them (one for each feature, or for each network of several), which are turned at once.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from lassoflexnet.optim.adamw import FusedAdamW
from lassoflexnet.products import matmul

# Of the odd polynomial a x + b x^3 + c x^5 that takes singular values towards 1: an iteration
# multiplies small ones by A, and keeps large ones between 0.7 and 1.2.
A, B, C = 3.4445, -4.7750, 2.0315

# About the root mean square of a step's entries, per unit of learning rate.
STEP = 0.1

# A matrix so many times as long as wide has more to gain by fewer products with it than it loses
# by more products of squares: of three iterations 2 and 9, in place of 6 and 3.
LONG = 1.5

# Iterations on one gram: rounding errors of what should be zero in it grow twelvefold in each.
AT_ONCE = 4


class Muon(FusedAdamW):
    """AdamW for all but the matrices, which share its learning rates and weight decay.

    A matrix moves about along the orthogonal matrix nearest to its averaged gradient, so all but
    its weakest singular directions are learnt at one pace, and not the strongest ones first.

    Parameters
    ----------
    groups : iterable of dict
        Parameters, as AdamW takes them.
    matrices : mapping
        Those that are matrices -> how many leading axes number them; of the others the last is
        the column, all before it are the row.
    momentum : float
        Decay of the gradient's average.
    n_iterations : int
        Iterations towards the orthogonal matrix.
    stride : int
        Matrices move every so many steps, as many times as far; averages follow every gradient.
        In fewer steps than that they do not move at all.
    lr : float
        Learning rate.
    """

    def __init__(
        self,
        groups: Iterable[dict],
        matrices: Mapping[Tensor, int],
        *,
        momentum: float,
        n_iterations: int,
        stride: int,
        lr: float,
    ) -> None:
        super().__init__(groups, lr=lr)
        self.matrices = matrices
        self.momentum = momentum
        self.n_iterations = n_iterations
        self.stride = stride

    def _move(self, group: dict[str, Any], found: list[tuple[Tensor, Tensor]]) -> None:
        """AdamW's step of all but the matrices, then theirs."""
        super()._move(group, [pair for pair in found if pair[0] not in self.matrices])
        for p, gradient in found:
            if p in self.matrices:
                self._turn(group, p, gradient)

    def _turn(self, group: dict[str, Any], p: Tensor, gradient: Tensor) -> None:
        """One step of a matrix."""
        state = self.state.get(p)
        if state is None:
            state = self.state[p] = {"step": 0, "average": torch.zeros_like(p)}
        state["step"] += 1
        state["average"].lerp_(gradient, 1.0 - self.momentum)
        if state["step"] % self.stride == 0:
            rate = self.stride * group["lr"]
            p.mul_(1.0 - rate * group["weight_decay"])
            p.sub_(self._direction(p, gradient, state["average"]), alpha=rate)

    def _direction(self, p: Tensor, gradient: Tensor, average: Tensor) -> Tensor:
        """The step per unit of learning rate, in the parameter's shape."""
        # Nesterov's look ahead.
        ahead = gradient.lerp(average, self.momentum).flatten(self.matrices[p], -2)
        size = STEP * max(ahead.shape[-2:]) ** 0.5
        return orthogonal(ahead, self.n_iterations).mul_(size).view_as(p)


def orthogonal(x: Tensor, n_iterations: int) -> Tensor:
    """About the orthogonal matrix nearest to each matrix: U V' of U S V' (Newton-Schulz)."""
    is_tall = x.shape[-2] > x.shape[-1]
    y = x.mT if is_tall else x
    y = y / y.norm(dim=(-2, -1), keepdim=True).clamp_min(1e-7)
    turned = _by_squares if y.shape[-1] > LONG * y.shape[-2] else _plainly
    for n_done in range(0, n_iterations, AT_ONCE):
        y = turned(y, min(AT_ONCE, n_iterations - n_done))
    return (y.mT if is_tall else y).contiguous()


def _plainly(y: Tensor, n_iterations: int) -> Tensor:
    for _ in range(n_iterations):
        y = matmul(_factor(matmul(y, y.mT)), y)
    return y


def _by_squares(y: Tensor, n_iterations: int) -> Tensor:
    """The same with factors gathered on small squares, so a long matrix is touched twice."""
    gram = matmul(y, y.mT)
    factor = turn = _factor(gram)
    for _ in range(n_iterations - 1):
        gram = matmul(matmul(factor, gram), factor)
        factor = _factor(gram)
        turn = matmul(factor, turn)
    return matmul(turn, y)


def _factor(gram: Tensor) -> Tensor:
    """What an iteration multiplies a matrix by: A + B gram + C gram^2, from gram = y y'."""
    factor = matmul(gram, gram).mul_(C).add_(gram, alpha=B)
    factor.diagonal(dim1=-2, dim2=-1).add_(A)
    return factor
