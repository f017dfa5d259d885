"""Which supports of a path are compared."""

import pytest

from lassoflexnet.training import PathPoint
from lassoflexnet.training.supports import best_of_each_support, likely_supports


def point(features: tuple[int, ...], loss: float) -> PathPoint:
    return PathPoint(0.1, loss, len(features), 1, 0.0, features, ())


ALL = point((0, 1, 2, 3), 0.9)
POINTS = [ALL, point((0, 1), 0.5), point((0, 1), 0.4), point((0,), 0.7), point((1,), 0.6)]


def test_of_each_support_the_best_point_remains():
    found = [(p.features, p.validation_loss) for p in best_of_each_support(POINTS)]
    assert found == [((0, 1), 0.4), ((1,), 0.6), ((0,), 0.7), ((0, 1, 2, 3), 0.9)]


@pytest.mark.parametrize(
    ("most", "features"),
    [
        (1, [(0, 1)]),
        (2, [(0, 1), (0, 1, 2, 3)]),
        (3, [(0, 1), (1,), (0, 1, 2, 3)]),
        (9, [(0, 1), (1,), (0,), (0, 1, 2, 3)]),
    ],
)
def test_among_several_is_the_largest(most, features):
    supports = best_of_each_support(POINTS)
    assert [p.features for p in likely_supports(supports, most)] == features


def test_the_largest_takes_no_place_twice():
    points = [point((0, 1, 2, 3), 0.1), *POINTS[1:]]
    found = likely_supports(best_of_each_support(points), 3)
    assert [p.features for p in found] == [(0, 1, 2, 3), (0, 1), (1,)]
