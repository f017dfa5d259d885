"""The best constant prediction, and what is left of the loss's slope there.

Used by screening, the judge and the path's last lambda. L-BFGS is torch's, written out: torch's
own loads a compiler at its first use in a process, for more than a second.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from lassoflexnet.training.data import Rows
from lassoflexnet.training.tasks import RowMetric

MOST_STEPS = 20

# A slope or a change no larger than these is none.
NO_SLOPE, NO_CHANGE = 1e-7, 1e-9

# Less bend than this along a move says nothing of the function.
NO_BEND = 1e-10

# Share of the start's value by which no step may end above it: torch's own goes on however far off
# it is, and may never come back.
FAR_OFF, MOST_HALVINGS = 1e-3, 60

Move = tuple[Tensor, Tensor]
"""How far a step went, and how the slope changed on the way."""


def best_constant(rows: Rows, loss: RowMetric, n_outputs: int) -> Tensor:
    """Outputs that fit best when they must be the same for all rows: (1, c)."""

    def mean(constant: Tensor) -> Tensor:
        return (loss(constant.expand(rows.n_rows, -1), rows.target) * rows.weight).mean()

    return least_point(mean, rows.weight.new_zeros(1, n_outputs))


def slopes(outputs: Tensor, rows: Rows, loss: RowMetric) -> Tensor:
    """Derivative of each row's loss with respect to its outputs: (n, c)."""
    return _look(lambda x: loss(x, rows.target).sum(), outputs).slope


def least_point(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Where a smooth convex function is least, or nearly so, from a start near by (L-BFGS)."""
    here = _look(function, x)
    most = here.value + FAR_OFF * abs(here.value)
    direction, moves = -here.slope, list[Move]()
    # Nothing is known of the scale before the first step.
    rate = float((1.0 / here.slope.abs().sum()).clamp_max(1.0))
    for _ in range(MOST_STEPS):
        if here.slope.abs().max() <= NO_SLOPE or _dot(here.slope, direction) > -NO_CHANGE:
            break
        there, rate = _shortened(function, here.x, direction, rate, most)
        move, turn = rate * direction, there.slope - here.slope
        if _dot(turn, move) > NO_BEND:
            moves.append((move, turn))
        is_near = move.abs().max() <= NO_CHANGE or abs(there.value - here.value) < NO_CHANGE
        here, direction, rate = there, _newton_like(there.slope, moves), 1.0
        if is_near:
            break
    return here.x


def _shortened(
    function: Callable[[Tensor], Tensor], x: Tensor, direction: Tensor, rate: float, most: float
) -> tuple["Look", float]:
    """Look at the end of a step, halved until the value there is not above the most."""
    for _ in range(MOST_HALVINGS):
        there = _look(function, x.add(direction, alpha=rate))
        if there.value <= most:
            break
        rate /= 2
    return there, rate


class Look(NamedTuple):
    """A function's value and slope at a point."""

    x: Tensor
    value: float
    slope: Tensor


def _look(function: Callable[[Tensor], Tensor], x: Tensor) -> Look:
    x = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        value = function(x)
    (slope,) = torch.autograd.grad(value, x)
    return Look(x.detach(), float(value.detach()), slope)


def _newton_like(slope: Tensor, moves: list[Move]) -> Tensor:
    """Newton's direction, as far as past moves tell of it (the two loops of L-BFGS)."""
    direction, shares = -slope, list[Tensor]()
    for move, turn in reversed(moves):
        shares.append(_dot(move, direction) * (1.0 / _dot(turn, move)))
        direction = direction.add(turn, alpha=-float(shares[-1]))
    if moves:
        move, turn = moves[-1]
        direction = direction * (_dot(turn, move) / _dot(turn, turn))
    for (move, turn), share in zip(moves, reversed(shares), strict=True):
        rest = share - _dot(turn, direction) * (1.0 / _dot(turn, move))
        direction = direction.add(move, alpha=float(rest))
    return direction


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return a.flatten().dot(b.flatten())
