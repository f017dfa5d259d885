"""Shrinking and clipping: the closed forms that every operator is made of.

Called by ``operators``; plain functions of tensors, without state.
"""

import torch
from torch import Tensor

from lassoflexnet.gate import row_norm


def soft_threshold(x: Tensor, t: Tensor | float) -> Tensor:
    """Prox of ``t |x|``, entrywise: ``sign(x) (|x| - t)_+`` (paper, eq. "lasso_beta_prox").

    >>> soft_threshold(torch.tensor([-3.0, 0.5, 2.0]), 1.0).tolist()
    [-2.0, 0.0, 1.0]
    """
    return x.sign() * (x.abs() - t).clamp_min(0)


def shrinkage(norm: Tensor, t: Tensor | float) -> Tensor:
    """Factor ``(1 - t / norm)_+``, which is 0 at norm 0; never above 1.

    Written as a quotient of norms, so that t = 0 gives exactly 1.
    """
    return (norm - t).clamp_min(0) / norm.where(norm > 0, 1)


def group_shrink(x: Tensor, t: Tensor | float) -> Tensor:
    """Prox of ``t ||row||_2`` for each row: a row moves towards zero by length t.

    Parameters
    ----------
    x : Tensor, shape (d, c)
        Rows to shrink.
    t : Tensor, shape () or (d,), or float
        Threshold, shared or one per row.

    Returns
    -------
    Tensor, shape (d, c)
        Shrunk rows; with one column, bit for bit ``soft_threshold``.

    Examples
    --------
    >>> group_shrink(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 1.0)
    tensor([[2.4000, 3.2000],
            [0.0000, 0.0000]])
    """
    per_row = like(t, x).unsqueeze(-1)
    if x.shape[1] == 1:
        return soft_threshold(x, per_row)
    return x * shrinkage(row_norm(x).unsqueeze(-1), per_row)


def clip_rows(x: Tensor, bound: Tensor, t: float = 0.0) -> Tensor:
    """Prox of ``t ||x||_1`` under ``||row||_inf <= bound``: (d, K), (d,) -> (d, K).

    The box and the l1 norm are separable, so thresholding and clipping commute
    into ``sign(x) min(bound, S_t(|x|))`` (paper, Proposition 2).
    """
    bound = bound.unsqueeze(-1)
    if t == 0:
        return x.clamp(-bound, bound)
    return x.sign() * torch.minimum(bound, soft_threshold(x.abs(), t))


def like(t: Tensor | float, x: Tensor) -> Tensor:
    """Threshold with dtype and device of x, so that it cannot promote the weights."""
    return torch.as_tensor(t, dtype=x.dtype, device=x.device)
