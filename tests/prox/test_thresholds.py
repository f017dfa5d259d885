"""Threshold rules, each against its formula."""

import pytest
import torch

from lassoflexnet.prox import (
    ByCoordinate,
    ByLearningRate,
    HybridThreshold,
    PlainThreshold,
    ThresholdRule,
)

LAM, LEARNING_RATE = 0.25, 0.5
STEP_SIZE = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (PlainThreshold(), 0.25),
        (ByLearningRate(), 0.125),
        (ByCoordinate(), [0.25, 0.5, 1.0]),
        (HybridThreshold(), [0.1875, 0.3125, 0.5625]),
        (HybridThreshold(share=0.25), [0.15625, 0.21875, 0.34375]),
    ],
)
def test_formula(rule: ThresholdRule, expected: float | list[float]):
    threshold = rule(LAM, LEARNING_RATE, STEP_SIZE)
    assert threshold.tolist() == expected


@pytest.mark.parametrize("rule", [PlainThreshold(), ByLearningRate(), ByCoordinate()])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtype_and_device_follow_the_step_size(rule: ThresholdRule, dtype: torch.dtype):
    threshold = rule(LAM, LEARNING_RATE, torch.empty(3, dtype=dtype, device="meta"))
    assert threshold.dtype == dtype
    assert threshold.device.type == "meta"


def test_the_ends_of_the_blend_are_the_two_rules():
    arguments = LAM, LEARNING_RATE, STEP_SIZE
    assert torch.equal(HybridThreshold(share=1.0)(*arguments), ByCoordinate()(*arguments))
    by_rate = ByLearningRate()(*arguments)
    assert torch.equal(HybridThreshold(share=0.0)(*arguments), by_rate.expand(3))


@pytest.mark.parametrize("rule", [ByLearningRate(), ByCoordinate(), HybridThreshold()])
def test_lambda_zero_gives_zero(rule: ThresholdRule):
    assert not rule(0.0, LEARNING_RATE, STEP_SIZE).any()
