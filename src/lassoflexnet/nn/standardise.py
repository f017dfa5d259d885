"""Mean 0 and variance 1 over rows: what a BatchNorm does in training.

Called by the embeddings' normalisation. The gradient is written out: automatic
differentiation takes twice as many passes over all tokens. ``plain_standardised`` is what
is computed.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Added to variances, so that a channel that does not vary becomes zero.
EPSILON = 1e-5


class Standardised(NamedTuple):
    """Values, and the mean and variance they had."""

    values: Tensor
    mean: Tensor
    var: Tensor


def row_moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance over rows: (d, n, e) -> twice (d, 1, e)."""
    _, mean, var = _centred(x)
    return mean, var


def _centred(x: Tensor) -> Standardised:
    """Values less their mean; not ``torch.var_mean``, which warns when no feature is left."""
    mean = x.mean(dim=1, keepdim=True)
    values = x - mean
    return Standardised(values, mean, values.square().mean(dim=1, keepdim=True))


def plain_standardised(x: Tensor) -> Standardised:
    """Write the formula out, (d, n, e) -> (d, n, e)."""
    values, mean, var = _centred(x)
    return Standardised(values * torch.rsqrt(var + EPSILON), mean.detach(), var.detach())


def standardised(x: Tensor) -> Standardised:
    """Each channel of each feature with mean 0 and variance 1 over rows."""
    return Standardised(*_Standardise.apply(x))


class _Standardise(torch.autograd.Function):
    """Backward needs the result and its scale, nothing else."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, mean, var = _centred(x)
        scale = torch.rsqrt(var + EPSILON)
        values.mul_(scale)
        ctx.save_for_backward(values, scale)
        ctx.mark_non_differentiable(mean, var)
        return values, mean, var

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, *_: Tensor) -> Tensor:
        values, scale = ctx.saved_tensors
        along = (grad * values).mean(dim=1, keepdim=True)
        centred = grad - grad.mean(dim=1, keepdim=True)
        return centred.addcmul_(values, along, value=-1.0).mul_(scale)
