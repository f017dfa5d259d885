"""Weights of lambda."""

import pytest
import torch

from lassoflexnet.prox import AdaptiveWeights, LambdaWeights, UniformWeights

WORTH = torch.tensor([0.04, 1.0, 0.25, 0.0, -3.0])


def test_uniform():
    assert torch.equal(UniformWeights()(WORTH), torch.ones(5))


def test_adaptive_is_an_inverse_power_of_the_share():
    assert AdaptiveWeights()(WORTH).tolist() == pytest.approx([5.0, 1.0, 2.0, 100.0, 100.0])


@pytest.mark.parametrize(("power", "expected"), [(1.0, 25.0), (0.5, 5.0), (2.0, 625.0)])
def test_power(power: float, expected: float):
    assert AdaptiveWeights(power, floor=1e-9)(WORTH)[0].item() == pytest.approx(expected)


def test_power_zero_is_uniform():
    assert torch.equal(AdaptiveWeights(power=0.0)(WORTH), torch.ones(5))


def test_floor_bounds_the_weight():
    assert AdaptiveWeights(floor=0.01)(WORTH).max().item() == pytest.approx(10.0)


def test_scale_of_the_worth_does_not_matter():
    torch.testing.assert_close(AdaptiveWeights()(WORTH), AdaptiveWeights()(1e-20 * WORTH))


@pytest.mark.parametrize("worth", [[-1.0, -2.0, 0.0], [0.0, 0.0, 0.0], [-1e-8, -5.0, -1e30]])
def test_features_that_are_all_worth_nothing_are_pressed_alike(worth: list[float]):
    weights = AdaptiveWeights()(torch.tensor(worth))
    assert weights.tolist() == pytest.approx([weights[0].item()] * 3)
    assert torch.isfinite(weights).all()


@pytest.mark.parametrize("rule", [UniformWeights(), AdaptiveWeights()], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_weights_are_at_least_one_and_keep_their_type(rule: LambdaWeights, dtype: torch.dtype):
    weights = rule(WORTH.to(dtype))
    assert weights.dtype == dtype
    assert weights.min() >= 1


def test_worth_more_is_pressed_less():
    weights = AdaptiveWeights()(torch.linspace(0.01, 1, 50))
    assert (weights.diff() < 0).all()
