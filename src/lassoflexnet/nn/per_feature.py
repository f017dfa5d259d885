"""Layers that treat every feature on its own, as one batched operation.

Building blocks of the embeddings. Activations are feature-major, (d, n, width),
so that each layer is one batched matmul without copies between layouts.
"""

import copy
import math
from types import MappingProxyType

import torch
from torch import Tensor, nn

from lassoflexnet.nn.layer_norm import layer_normalised
from lassoflexnet.nn.standardise import EPSILON, row_moments, standardised


def uniform_parameter(*shape: int, fan_in: int) -> nn.Parameter:
    """Draw a parameter from U(-1/sqrt(fan_in), 1/sqrt(fan_in)), as ``nn.Linear`` does."""
    bound = 1.0 / math.sqrt(max(fan_in, 1))
    return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))


class PerFeatureLinear(nn.Module):
    """d independent linear maps: (d, n, d_in) -> (d, n, d_out)."""

    per_feature = ("weight", "bias")
    decayed = ("weight",)
    matrices = MappingProxyType({"weight": 1})

    def __init__(self, n_features: int, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = uniform_parameter(n_features, d_in, d_out, fan_in=d_in)
        self.bias = uniform_parameter(n_features, 1, d_out, fan_in=d_in)

    def forward(self, x: Tensor) -> Tensor:
        """Apply each feature's own map."""
        return torch.baddbmm(self.bias, x, self.weight)

    @torch.no_grad()
    def then(self, after: "ScaleShift") -> "PerFeatureLinear":
        """The same map with this applied to its result."""
        both = copy.deepcopy(self)
        both.weight.mul_(after.scale)
        both.bias.mul_(after.scale).add_(after.shift)
        return both


class PerFeatureLayerNorm(nn.Module):
    """LayerNorm over the width with scale and shift of each feature's own."""

    per_feature = ("scale", "shift")

    def __init__(self, n_features: int, width: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n_features, 1, width))
        self.shift = nn.Parameter(torch.zeros(n_features, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (d, n, width) over its last axis."""
        return torch.addcmul(self.shift, layer_normalised(x), self.scale)


class PerFeatureBatchNorm(nn.Module):
    """BatchNorm of each (feature, channel) over rows, without scale and shift.

    Running statistics are used at inference, so that a row's prediction never
    depends on its neighbours. A channel that does not vary becomes zero.
    """

    per_feature: tuple[str, ...] = ("running_mean", "running_var")
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, n_features: int, width: int, momentum: float = 0.1) -> None:
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(n_features, 1, width))
        self.register_buffer("running_var", torch.ones(n_features, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (d, n, width) over its rows (training) or by running statistics."""
        if not self.training:
            return (x - self.running_mean) * torch.rsqrt(self.running_var + EPSILON)
        values, mean, var = standardised(x)
        with torch.no_grad():
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(var, self.momentum)
        return values

    @torch.no_grad()
    def finished(self) -> "ScaleShift":
        """The same by running statistics alone, as one operation."""
        scale = torch.rsqrt(self.running_var + EPSILON)
        return ScaleShift(scale, -self.running_mean * scale)

    @torch.no_grad()
    def set_moments(self, x: Tensor) -> None:
        """Replace the running statistics by those of these rows."""
        mean, var = row_moments(x)
        self.running_mean.copy_(mean)
        self.running_var.copy_(var)


class ScaleShift(nn.Module):
    """What is left of a normalisation when training is over: x * scale + shift."""

    scale: Tensor
    shift: Tensor

    def __init__(self, scale: Tensor, shift: Tensor) -> None:
        super().__init__()
        self.register_buffer("scale", scale)
        self.register_buffer("shift", shift)

    def forward(self, x: Tensor) -> Tensor:
        """Scale and shift."""
        return torch.addcmul(self.shift, x, self.scale)


class LearnableBatchNorm(PerFeatureBatchNorm):
    """The same with a learnable scale and shift (an ablation of the paper)."""

    per_feature = ("running_mean", "running_var", "scale", "shift")

    def __init__(self, n_features: int, width: int, momentum: float = 0.1) -> None:
        super().__init__(n_features, width, momentum)
        self.scale = nn.Parameter(torch.ones(n_features, 1, width))
        self.shift = nn.Parameter(torch.zeros(n_features, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise, then scale and shift."""
        return torch.addcmul(self.shift, super().forward(x), self.scale)

    @torch.no_grad()
    def finished(self) -> ScaleShift:
        """The same by running statistics alone, as one operation."""
        plain = super().finished()
        return ScaleShift(plain.scale * self.scale, plain.shift * self.scale + self.shift)
