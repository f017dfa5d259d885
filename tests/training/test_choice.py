"""Rules of choice on constructed errors."""

import math

import numpy as np
import pytest
import torch

from lassoflexnet.training import AtMost, BestValidation, OneStandardError, PathPoint
from lassoflexnet.training.stage import Snapshot
from tests.nn.makers import make_network

NETWORK = make_network()
N = 400
COMMON = torch.from_numpy(np.random.default_rng(0).exponential(size=N)).float()
UNIT = torch.ones(N)
FLIP = torch.tensor([1.0, -1.0]).repeat(N // 2)


def point(n_features: int, errors: torch.Tensor, weight: torch.Tensor = UNIT) -> PathPoint:
    loss = float((errors * weight).sum() / weight.sum())
    snapshot = Snapshot(NETWORK, errors, loss)
    return PathPoint(0.1, loss, n_features, 1, 0.0, tuple(range(n_features)), (), snapshot)


def counts(points: list[PathPoint]) -> list[int]:
    return [p.n_features for p in points]


# The difference of a point has mean `rise` and a standard error of 0.5 / sqrt(400) = 0.025.
def raised(n_features: int, rise: float) -> PathPoint:
    return point(n_features, COMMON + rise + 0.5 * FLIP)


BEST = point(8, COMMON)
# So bad that no support costs much.
FAR = math.inf


def test_one_standard_error_is_that_of_the_paired_difference():
    """Rows differ by far more than 0.025 from one another; what counts is the difference."""
    assert COMMON.std() / N**0.5 > 0.04
    near, far = raised(3, 0.024), raised(2, 0.026)
    assert OneStandardError()([BEST, near, far], UNIT, FAR) == [near, BEST]


@pytest.mark.parametrize(("multiple", "expected"), [(0.5, [8]), (1.0, [3, 8]), (2.0, [2, 3, 8])])
def test_multiple_of_the_standard_error(multiple: float, expected: list[int]):
    points = [BEST, raised(3, 0.02), raised(2, 0.04)]
    assert counts(OneStandardError(multiple)(points, UNIT, FAR)) == expected


@pytest.mark.parametrize(
    ("explained", "expected"), [(0.0, [8]), (0.4, [8]), (0.6, [3, 8]), (2.0, [2, 3, 8])]
)
def test_columns_are_not_saved_at_any_price(explained: float, expected: list[int]):
    """Both are within a standard error; what they cost is 0.01 and 0.02, of so much explained."""
    points = [BEST, raised(3, 0.01), raised(2, 0.02)]
    constant = BEST.validation_loss + explained
    assert counts(OneStandardError(most=0.02)(points, UNIT, constant)) == expected


@pytest.mark.parametrize(("explained", "expected"), [(1.9, [8]), (2.1, [3, 8])])
def test_half_a_per_cent_is_the_price_by_default(explained: float, expected: list[int]):
    points, constant = [BEST, raised(3, 0.01)], BEST.validation_loss + explained
    assert counts(OneStandardError()(points, UNIT, constant)) == expected


def test_where_nothing_is_explained_the_best_is_taken():
    points = [BEST, raised(3, 0.01)]
    assert counts(OneStandardError()(points, UNIT, BEST.validation_loss - 1)) == [8]


def test_candidates_go_from_the_sparsest_to_the_best():
    points = [raised(9, 0.01), BEST, raised(5, 0.02), raised(2, 0.01), raised(4, 0.005)]
    assert counts(OneStandardError()(points, UNIT, FAR)) == [2, 4, 5, 8]


def test_equally_sparse_candidates_go_by_their_loss():
    worse, better = raised(4, 0.02), raised(4, 0.01)
    assert OneStandardError()([BEST, worse, better], UNIT, FAR) == [better, worse, BEST]


def test_difference_without_spread_is_clearly_worse():
    assert counts(OneStandardError()([BEST, point(3, COMMON + 0.001)], UNIT, FAR)) == [8]


def test_rows_without_weight_do_not_count():
    weight = UNIT.clone()
    weight[: N // 2] = 0.0
    spoiled = COMMON.clone()
    spoiled[: N // 2] += 100.0
    best, same = point(8, COMMON, weight), point(3, spoiled, weight)
    assert counts(OneStandardError()([best, same], weight, FAR)) == [3]
    assert counts(OneStandardError()([point(8, COMMON), point(3, spoiled)], UNIT, FAR)) == [8]


def test_weighted_standard_error():
    """sqrt(sum of share^2 (difference - mean)^2), with shares of 3 and 1 over 800."""
    weight = 1.0 + 2.0 * (FLIP > 0).float()
    size = 0.2
    share = weight / weight.sum()
    mean = float((share * size * FLIP).sum())
    error = float((share.square() * (size * FLIP - mean).square()).sum().sqrt())
    for rise, expected in ((0.99 * error, [3, 8]), (1.01 * error, [8])):
        worse = point(3, COMMON + size * FLIP - mean + rise, weight)
        assert (
            counts(OneStandardError()([point(8, COMMON, weight), worse], weight, FAR)) == expected
        )


def test_best_validation():
    points = [raised(2, 0.3), raised(5, 0.1), raised(1, 0.2)]
    assert BestValidation()(points, UNIT, FAR) == [points[1]]


def test_ties_go_to_the_sparser_point():
    points = [point(5, COMMON), point(3, COMMON), point(4, COMMON)]
    for rule in (BestValidation(), OneStandardError()):
        assert counts(rule(points, UNIT, FAR)) == [3]


@pytest.mark.parametrize(
    ("n", "expected"), [(9, [8, 4, 2, 0]), (5, [4, 2, 0]), (2, [2, 0]), (1, [0]), (0, [0])]
)
def test_at_most(n: int, expected: list[int]):
    points = [BEST, raised(4, 0.1), raised(2, 0.2), raised(0, 0.9)]
    few = AtMost(n).eligible(points)
    assert counts(list(few)) == expected
    assert counts(AtMost(n)(few, UNIT, FAR)) == expected[:1], "the best of them"


def test_at_most_takes_the_sparsest_if_none_is_sparse_enough():
    points = [BEST, raised(4, 0.1), raised(6, 0.05)]
    assert counts(list(AtMost(2).eligible(points))) == [4]


@pytest.mark.parametrize("rule", [BestValidation(), OneStandardError()])
def test_any_point_may_be_kept(rule):
    points = [BEST, raised(4, 0.1), raised(0, 0.9)]
    assert list(rule.eligible(points)) == points
