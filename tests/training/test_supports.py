"""Which supports of a path are compared."""

import pytest
import torch

from lassoflexnet.training import PathPoint
from lassoflexnet.training.stage import Snapshot
from lassoflexnet.training.supports import best_of_each_support, likely_rival, likely_supports


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


def judged(n_features: int, *errors: float) -> PathPoint:
    shot = Snapshot(None, torch.tensor(errors), sum(errors) / len(errors))
    features = tuple(range(n_features))
    return PathPoint(0.1, shot.loss, n_features, 1, 0.0, features, (), snapshot=shot)


def test_the_rival_is_the_best_sparser_support_unless_it_is_clearly_worse():
    dense, liked = judged(6, 1.0, 1.0, 1.0, 1.0), judged(4, 2.0, 3.0, 2.0, 3.0)
    near, far, none = (
        judged(3, 2.0, 4.0, 2.5, 2.0),
        judged(2, 5.0, 6.0, 5.0, 6.0),
        judged(0, *[0.0] * 4),
    )
    weight = torch.ones(4)
    assert likely_rival(liked, [dense, far, near, liked, none], weight) is near
    assert likely_rival(liked, [dense, far, liked, none], weight) is None
    assert likely_rival(near, [dense, liked, near, none], weight) is None
    assert likely_rival(liked, [far, near], torch.tensor([0.0, 1.0, 1.0, 0.0])) is None
