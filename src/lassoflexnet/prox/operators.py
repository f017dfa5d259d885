"""Proximal operators: what a threshold does to the gate.

Called by the proximal optimizer after each step; pure, batched over features.

A part is a callable ``(gate, threshold) -> gate``. The threshold is a tensor
() or (d,): lambda times a step size, made by a rule in ``thresholds``. Mind that
a threshold of zero is not neutral: hierarchical operators still clip ``w1``.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import torch
from torch import Tensor
from torch.nn.functional import pad

from lassoflexnet.gate import Gate, row_norm
from lassoflexnet.prox.thresholding import (
    clip_rows,
    group_shrink,
    like,
    shrinkage,
    soft_threshold,
)


class Prox(Protocol):
    """What every operator is: it maps one gate to another.

    ``exact`` says that a feature whose ``beta`` comes out zero comes out with
    ``w1`` zero too, so that it is truly gone from the network.
    """

    exact: ClassVar[bool]

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        """Apply the operator."""
        ...


@dataclass(frozen=True)
class SequentialHierProx:
    """Lasso first, then the box it leaves for ``w1`` (paper, Proposition 2).

    ``beta~ = S_t(beta)``, row-wise; ``w1~ = sign(w1) min(M ||beta~||, S_lambda_bar(|w1|))``.
    ``lambda_bar`` is an l1 threshold per step, taken as given. ``M`` may be infinite:
    then only features with ``beta~ = 0`` lose their ``w1``.
    """

    M: float = 10.0
    lambda_bar: float = 0.0
    exact: ClassVar[bool] = True

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        """Apply the operator."""
        # Differs from the paper, where beta_j is a scalar: with several outputs the row
        # of a feature is one group, else a feature could leave for some outputs only.
        beta = group_shrink(gate.beta, threshold)
        return Gate(beta, clip_rows(gate.w1, hierarchy_bound(beta, self.M), self.lambda_bar))


@dataclass(frozen=True)
class LiteralSequentialHierProx:
    """Algorithm 2 ("seq-hier-prox") to the letter; averages are the optimizer's business.

    It sets the clip level of ``w1`` by LassoNet's search, with the thresholded
    ``beta~`` put in. This does not keep ``||w1|| <= M ||beta~||``: a feature with
    ``beta~ = 0`` stays in the network. Here for comparison only.
    """

    M: float = 10.0
    exact: ClassVar[bool] = False

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        """Apply the operator."""
        beta = group_shrink(gate.beta, threshold)
        level = clip_level(row_norm(beta), gate.w1, threshold, self.M)
        return Gate(beta, clip_rows(gate.w1, level))


@dataclass(frozen=True)
class JointHierProx:
    """LassoNet's operator: ``beta`` and ``w1`` of a feature at once (paper, Proposition 1).

    Global minimiser of ``1/2 ||(b, W) - (beta, w1)||^2 + t ||b||_2 + lambda_bar ||W||_1``
    under ``||W||_inf <= M ||b||_2``. Large ``w1`` can pull ``beta`` up: it need not shrink.
    ``M`` must be finite.
    """

    M: float = 10.0
    lambda_bar: float = 0.0
    exact: ClassVar[bool] = True

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        """Apply the operator."""
        level = clip_level(row_norm(gate.beta), gate.w1, threshold, self.M, self.lambda_bar)
        beta = unit_rows(gate.beta) * (level / self.M).unsqueeze(-1)
        # The bound is the level again; taking it from beta keeps the hierarchy bit for bit.
        return Gate(beta, clip_rows(gate.w1, hierarchy_bound(beta, self.M), self.lambda_bar))


@dataclass(frozen=True)
class ConvexHierProx:
    """Convex relaxation: shrink (beta, w1 / M) as one group (paper, "prop:local-opt-M").

    Prox of ``alpha ||b|| + lambda_w ||W||_1 + beta ||(b, W / M)||`` in the metric
    ``||b||^2 + ||W / M||^2``. The paper leaves alpha and beta free; here both follow
    one threshold t: ``alpha = t`` and ``beta = group * t``, so that one lambda path
    drives them. ``w1`` is thresholded by ``lambda_w M^2`` per step, taken as given.
    ``M`` must be finite, and a larger one shrinks more, unlike under the hard bound.
    """

    M: float = 10.0
    group: float = 1.0
    lambda_w: float = 0.0
    exact: ClassVar[bool] = False

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        """Apply the operator."""
        t = like(threshold, gate.beta)
        b = group_shrink(gate.beta, t)
        w = soft_threshold(gate.w1, self.lambda_w * self.M**2)
        r = row_norm(torch.cat([b, w / self.M], dim=1))
        kappa = shrinkage(r, self.group * t).unsqueeze(-1)
        return Gate(kappa * b, kappa * w)


@dataclass(frozen=True)
class NoProx:
    """Leave the gate alone: the dense stage, and the "no proximal gradient" ablation."""

    exact: ClassVar[bool] = False

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:  # noqa: ARG002
        """Return the gate."""
        return gate


def hierarchy_bound(beta: Tensor, M: float) -> Tensor:
    """Largest ``|w1|`` a feature may have, ``M ||beta||``; 0 at 0 even if M is infinite."""
    norm = row_norm(beta)
    return norm.where(norm == 0, M * norm)


def clip_level(
    norm: Tensor, w1: Tensor, t: Tensor | float, M: float, lambda_bar: float = 0.0
) -> Tensor:
    """Level ``w_m`` at which LassoNet's search clips ``w1``: (d,), (d, K) -> (d,).

    With ``|w1|`` sorted downwards, ``w_m = M / (1 + m M^2) S_t(norm + M sum_{i<=m}
    (|w1_(i)| - lambda_bar))``. The search asks for the first m = 0..K with
    ``|w1_(m+1)| <= w_m <= |w1_(m)|``.
    """
    size = w1.abs().sort(dim=1, descending=True).values
    total = pad((size - lambda_bar).cumsum(dim=1), (1, 0))
    m = torch.arange(total.shape[1], dtype=w1.dtype, device=w1.device)
    w = soft_threshold(norm.unsqueeze(-1) + M * total, like(t, w1).unsqueeze(-1))
    # w_(m+1) is a weighted mean of w_m and |w1_(m+1)|, so the sequence climbs as long as
    # |w1_(m+1)| > w_m and falls from then on: what the search finds is the maximum.
    return (M / (1 + m * M**2) * w).amax(dim=1)


def unit_rows(x: Tensor) -> Tensor:
    """Directions of the rows; a zero row gets equal positive parts, as sign(0) := +1."""
    norm = row_norm(x).unsqueeze(-1)
    return torch.where(norm > 0, x / norm.where(norm > 0, 1), x.shape[1] ** -0.5)
