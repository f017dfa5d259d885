"""Linear, GELU, dropout, linear: the pair of layers that all mixing is made of.

Called by the Mixer. Hidden activations are the largest tensors of the network by far.
Here they are made and used in pieces that stay in the processor's cache, and dropout
costs no pass of its own: a dropped unit gets a bias so low that its GELU, and the slope
of it, are zero. ``plain_hidden`` writes out what is computed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from lassoflexnet.nn.dropout import dropped

# Hidden numbers per piece: a megabyte in float32, so that a few fit in the cache.
PIECE = 1 << 18

# GELU and its derivative are exactly 0 from about -14 downwards, in float32.
FAR_BELOW = -1e4


def plain_hidden(
    x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, kept: Tensor, p: float
) -> Tensor:
    """Rows (n, a) -> (n, o): the layers one by one, given which units are kept, (n, h)."""
    h = F.gelu(torch.addmm(b1, x, w1)) * kept / (1 - p)
    return torch.addmm(b2, h, w2)


def hidden(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, n_dropped: int) -> Tensor:
    """Rows (n, a) -> (n, o), with dropout of ``n_dropped`` in 256 hidden units.

    Rows may lie one after another in memory, or column after column (a transposed
    tensor); the result lies in the same way.
    """
    device = x.device.type
    if torch.is_autocast_enabled(device):
        kind = torch.get_autocast_dtype(device)
        x, w1, b1, w2, b2 = (t.to(kind) for t in (x, w1, b1, w2, b2))
    result: Tensor = _Hidden.apply(x, w1, b1, w2, b2, n_dropped)
    return result


class Piece(NamedTuple):
    """Some rows, and flat buffers of their hidden sums and activations."""

    rows: slice
    sums: Tensor
    active: Tensor


class _Hidden(torch.autograd.Function):
    """The layers piece by piece."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, n_dropped: int
    ) -> Tensor:
        width, scale = w1.shape[1], 256 / (256 - n_dropped)
        y, scaled = _like(x, x.new_empty(len(x) * w2.shape[1]), w2.shape[1]), w2 * scale
        keep = any(ctx.needs_input_grad)
        pieces = []
        for piece in _new_pieces(x, width, keep=keep):
            rows, sums, active = piece
            if keep:
                pieces.append(piece)
            h = _like(x, sums, width)
            _fill_bias(h, sums, b1, n_dropped)
            torch.addmm(h, x[rows], w1, out=h)
            torch.ops.aten.gelu.out(sums, out=active)
            torch.addmm(b2, _like(x, active, width), scaled, out=y[rows])
        ctx.save_for_backward(x, w1, scaled)
        ctx.pieces, ctx.scale = pieces, scale
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        if not ctx.pieces and len(dy):
            raise RuntimeError("backward ran once here already; its buffers are used up.")
        x, w1, scaled = ctx.saved_tensors
        # Sums over pieces are kept in float32 at least.
        total = torch.promote_types(w1.dtype, torch.float32)
        dx, dw1 = torch.empty_like(x), torch.zeros_like(w1, dtype=total)
        db1 = w1.new_zeros(w1.shape[1], dtype=total)
        dw2 = w1.new_zeros(scaled.shape[1], scaled.shape[0], dtype=total)
        while ctx.pieces:
            rows, sums, active = ctx.pieces.pop()
            slope = _like(x, active, w1.shape[1])
            _add_product(dw2, dy[rows].t(), slope)
            torch.mm(dy[rows], scaled.t(), out=slope)
            torch.ops.aten.gelu_backward.grad_input(active, sums, grad_input=active)
            _add_product(dw1, x[rows].t(), slope)
            db1.add_(slope.sum(dim=0, dtype=total))
            torch.mm(slope, w1.t(), out=dx[rows])
        dw2 = dw2.t().mul_(ctx.scale)
        gradients = (dx, dw1, db1, dw2, dy.sum(dim=0))
        return *(g.to(x.dtype) for g in gradients), None


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """Add a @ b to the total, whose type may be the more precise one."""
    if total.dtype == a.dtype:
        total.addmm_(a, b)
    else:
        total.add_(torch.mm(a, b))


def _new_pieces(x: Tensor, width: int, *, keep: bool) -> Iterator[Piece]:
    """Pieces with buffers of their own, or the same ones again if they need not be kept."""
    size = max(PIECE // width, 1)
    sums, active = x.new_empty(0), x.new_empty(0)
    for start in range(0, len(x), size):
        rows = slice(start, min(start + size, len(x)))
        numel = (rows.stop - rows.start) * width
        if keep or sums.numel() != numel:
            sums, active = x.new_empty(numel), x.new_empty(numel)
        yield Piece(rows, sums, active)


def _like(x: Tensor, flat: Tensor, width: int) -> Tensor:
    """A buffer as a matrix (n, width), stored by row or by column as x is."""
    return flat.view(-1, width) if x.is_contiguous() else flat.view(width, -1).t()


def _fill_bias(h: Tensor, flat: Tensor, bias: Tensor, n_dropped: int) -> None:
    """Set every row to the bias, and dropped units far below it."""
    if n_dropped == 0:
        h.copy_(bias)
        return
    flat.copy_(dropped(flat, n_dropped))
    torch.add(bias, h, alpha=FAR_BELOW, out=h)
