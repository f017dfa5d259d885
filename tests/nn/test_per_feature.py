"""Batched layers against a loop over features with torch's own."""

import math

import pytest
import torch
from torch import Tensor, nn

from lassoflexnet.nn.per_feature import (
    LearnableBatchNorm,
    PerFeatureBatchNorm,
    PerFeatureLayerNorm,
    PerFeatureLinear,
    ScaleShift,
    uniform_parameter,
)
from tests.nn.makers import shake

D, N, WIDTH = 3, 50, 4


def tokens(seed: int = 0) -> Tensor:
    """Every feature and channel with a mean and a spread of its own."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(D, N, WIDTH, generator=generator)
    scale = torch.rand(D, 1, WIDTH, generator=generator) + 0.5
    return x * scale + torch.randn(D, 1, WIDTH, generator=generator)


def test_linear_is_a_loop_over_features():
    layer, x = PerFeatureLinear(D, WIDTH, 2), tokens()
    expected = [x[i] @ layer.weight[i] + layer.bias[i] for i in range(D)]
    torch.testing.assert_close(layer(x), torch.stack(expected))


def test_layer_norm_is_a_loop_over_features():
    layer, x = PerFeatureLayerNorm(D, WIDTH), tokens()
    shake(layer)
    for i in range(D):
        one = nn.LayerNorm(WIDTH)
        one.load_state_dict({"weight": layer.scale[i, 0], "bias": layer.shift[i, 0]})
        torch.testing.assert_close(layer(x)[i], one(x[i]))


def test_layer_norm_starts_neutral():
    layer, x = PerFeatureLayerNorm(D, WIDTH), tokens()
    torch.testing.assert_close(layer(x), nn.functional.layer_norm(x, (WIDTH,)))


def torch_norm(momentum: float = 0.1) -> nn.BatchNorm1d:
    return nn.BatchNorm1d(WIDTH, affine=False, momentum=momentum)


def test_batch_norm_in_training_is_a_loop_over_features():
    layer, x = PerFeatureBatchNorm(D, WIDTH), tokens()
    expected = torch.stack([torch_norm()(x[i]) for i in range(D)])
    torch.testing.assert_close(layer(x), expected)


def test_running_statistics_follow_with_momentum():
    """They are torch's, but for the variance, which is the one that divides by n."""
    layer, ones = PerFeatureBatchNorm(D, WIDTH, 0.3), [torch_norm(0.3) for _ in range(D)]
    variance = torch.ones(D, 1, WIDTH)
    for seed in range(3):
        x = tokens(seed)
        layer(x)
        for one, xi in zip(ones, x, strict=True):
            one(xi)
        variance = 0.7 * variance + 0.3 * x.var(dim=1, keepdim=True, correction=0)
    means = torch.stack([one.running_mean for one in ones])[:, None]
    torch.testing.assert_close(layer.running_mean, means)
    torch.testing.assert_close(layer.running_var, variance)


def test_evaluation_uses_the_running_statistics_and_leaves_them():
    layer = PerFeatureBatchNorm(D, WIDTH)
    layer(tokens(0))
    mean, var = layer.running_mean.clone(), layer.running_var.clone()
    x = tokens(1)
    torch.testing.assert_close(layer.eval()(x), (x - mean) / (var + 1e-5).sqrt())
    assert torch.equal(layer.running_mean, mean)
    assert torch.equal(layer.running_var, var)


def test_set_moments_make_evaluation_agree_with_training():
    layer, x = PerFeatureBatchNorm(D, WIDTH), tokens()
    layer.set_moments(x)
    torch.testing.assert_close(layer.eval()(x), layer.train()(x))


@pytest.mark.parametrize("training", [True, False])
def test_a_channel_that_does_not_vary_becomes_zero(training: bool):
    layer, x = PerFeatureBatchNorm(D, WIDTH), tokens()
    x[1, :, 2] = 0.1
    layer.set_moments(x)
    out = layer.train(training)(x)
    torch.testing.assert_close(out[1, :, 2], torch.zeros(N), atol=1e-4, rtol=0)
    assert out[1, :, 1].std() > 0.5


def test_one_row_becomes_zero():
    assert not PerFeatureBatchNorm(D, WIDTH)(tokens()[:, :1]).any()


def test_batch_norm_has_no_parameters():
    assert not list(PerFeatureBatchNorm(D, WIDTH).parameters())


def test_learnable_norm_scales_and_shifts_each_feature_and_channel():
    plain, layer, x = PerFeatureBatchNorm(D, WIDTH), LearnableBatchNorm(D, WIDTH), tokens()
    torch.testing.assert_close(layer(x), plain(x))
    shake(layer)
    torch.testing.assert_close(layer(x), plain(x) * layer.scale + layer.shift)
    assert len(list(layer.parameters())) == 2


def test_learnable_norm_evaluates_by_running_statistics():
    layer, x = LearnableBatchNorm(D, WIDTH), tokens()
    shake(layer)
    layer.set_moments(x)
    torch.testing.assert_close(layer.eval()(x), layer.train()(x))


@pytest.mark.parametrize("norm", [PerFeatureBatchNorm, LearnableBatchNorm, PerFeatureLayerNorm])
def test_no_features(norm: type):
    assert norm(0, WIDTH)(torch.empty(0, N, WIDTH)).shape == (0, N, WIDTH)


@pytest.mark.parametrize("fan_in", [0, 1, 16])
def test_uniform_parameter(fan_in: int):
    torch.manual_seed(0)
    bound = 1 / math.sqrt(max(fan_in, 1))
    parameter = uniform_parameter(50, 40, fan_in=fan_in)
    assert isinstance(parameter, nn.Parameter)
    assert 0.99 * bound < parameter.abs().max() <= bound
    assert parameter.mean().abs() < 5 * bound / math.sqrt(3 * 2000)


def test_a_map_takes_in_what_comes_after():
    layer, x = PerFeatureLinear(D, WIDTH, 3).double(), tokens().double()
    after = ScaleShift(torch.randn(D, 1, 3).double(), torch.randn(D, 1, 3).double())
    expected = after(layer(x))
    torch.testing.assert_close(layer.then(after)(x), expected)
    torch.testing.assert_close(after(layer(x)), expected, msg="the map itself stays")


@pytest.mark.parametrize("kind", [PerFeatureBatchNorm, LearnableBatchNorm])
def test_a_finished_norm_is_the_same_by_one_operation(kind):
    layer, x = kind(D, WIDTH).double(), tokens().double()
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(torch.linspace(-0.5, 0.5, WIDTH))
    layer(3 * x + 1)
    layer.eval()
    torch.testing.assert_close(layer.finished()(x), layer(x))
