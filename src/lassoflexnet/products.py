"""Products of large matrices, by the faster of the two libraries that torch has for them.

Called by backbones and by Muon. Torch leaves float32 matrices to MKL, which keeps to AVX2 on
processors by AMD even if they have AVX-512; oneDNN, by which torch convolves, does not, and is
then about twice as fast. Results differ by rounding.
"""

import functools
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Multiplications from which oneDNN was seen to be faster by more than what a call costs.
LARGE = 1 << 21

# Where Linux tells of the processor; elsewhere Python knows.
CPU_INFO = Path("/proc/cpuinfo")

Product = Callable[[Tensor, Tensor, Tensor | None], Tensor]
"""x (n, a), w (a, o) and bias (o,) -> x @ w + bias."""


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """Product of two matrices, or of each pair of so many: (j, n, k), (j, k, m) -> (j, n, m).

    Where a gradient is wanted torch multiplies; ``affine`` has its own.
    """
    wanted = torch.is_grad_enabled() and (a.requires_grad or b.requires_grad)
    product = None if wanted else _faster(a, b)
    return a @ b if product is None else _each(product, a, b, None)


def affine(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Rows (n, a) -> x @ w + b, (n, o); or, with (k, n, a), (k, a, o) and (k, o), of each of k."""
    product = _faster(x, w)
    if product is not None:
        result: Tensor = _Affine.apply(x, w, b, product)
        return result
    return torch.addmm(b, x, w) if x.ndim == 2 else torch.baddbmm(b[:, None], x, w)


class _Affine(torch.autograd.Function):
    """All three products of a linear layer, here and back, by the same library."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, b: Tensor, product: Product) -> Tensor:
        ctx.save_for_backward(x, w)
        ctx.product = product
        return _each(product, x, w, b)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, w = ctx.saved_tensors
        dx = _each(ctx.product, dy, w.mT, None) if ctx.needs_input_grad[0] else None
        return dx, _each(ctx.product, x.mT, dy, None), dy.sum(dim=-2), None


def _each(product: Product, a: Tensor, b: Tensor, bias: Tensor | None) -> Tensor:
    """Product of two matrices, or of each pair of them."""
    if a.ndim == 2:
        return product(a, b, bias)
    biases = [None] * len(a) if bias is None else bias.unbind()
    return torch.stack([product(*one) for one in zip(a, b, biases, strict=True)])


def _faster(a: Tensor, b: Tensor) -> Product | None:
    """What multiplies such matrices faster than torch does unasked, if anything does."""
    n_multiplied = a.shape[-2] * b.shape[-2] * b.shape[-1]
    if n_multiplied < LARGE or not a.dtype == b.dtype == torch.float32:
        return None
    if a.device.type != "cpu" or torch.is_autocast_enabled("cpu"):
        return None
    return _onednn() if torch.backends.mkldnn.enabled and _mkl_is_slow() else None


@functools.cache
def _mkl_is_slow() -> bool:
    """Whether the processor has AVX-512 and MKL does not use it."""
    has_both = torch.backends.mkl.is_available() and (
        torch.backends.cpu.get_cpu_capability() == "AVX512"
    )
    return has_both and "AuthenticAMD" in _processor()


def _processor() -> str:
    """What the system says of the processor, its maker among it."""
    try:
        return CPU_INFO.read_text()
    except OSError:
        return platform.processor()


@functools.cache
def _onednn() -> Product | None:
    """OneDNN's product, if this torch has it."""
    found = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if found is None or not torch.backends.mkldnn.is_available():
        return None

    def product(x: Tensor, w: Tensor, bias: Tensor | None) -> Tensor:
        result: Tensor = found(x, w.mT, bias, "none", [], "")
        return result

    return product
