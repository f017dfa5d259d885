"""What supports are judged by."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.training import AtMost, BestValidation, PathPoint
from lassoflexnet.training.judge import Judge
from lassoflexnet.training.panel import Panel
from lassoflexnet.training.stage import snapshot
from lassoflexnet.training.workshop import Workshop
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, TINY, Fixed, fit


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_explained_is_measured_on_the_rows_compared(weighted: bool):
    """However far the path went, and whatever the validation rows are like."""
    given = []

    class Noting(Fixed):
        cross_fitted = True

        def __call__(self, points, weight, constant):
            given.append((points, weight, constant))
            return super().__call__(points, weight, constant)

    shifted = DATA.validation._replace(target=DATA.validation.target + 3)
    train = DATA.train._replace(weight=torch.rand(200) + 0.1) if weighted else DATA.train
    data = DATA._replace(validation=shifted, train=train)
    fit(replace(TINY, choice=Noting(), path=replace(TINY.path, n_lambdas=1, end=1e-9)), data)
    assert given
    for points, weight, constant in given:
        assert len(weight) == len(points[0].snapshot.errors) == 300
        target = torch.cat([shifted.target, train.target])
        mean = (target * weight).sum() / weight.sum()
        expected = ((target - mean).square() * weight).sum() / weight.sum()
        assert constant == pytest.approx(float(expected), rel=1e-4)


def test_the_search_closes_in_on_the_best_of_a_path_too_dense_then_too_sparse():
    """By cross-fitted errors; of those of the path only the lowest counts."""
    at = {n: abs(n - 11.0) for n in range(17)}
    assert searched(at, lowest=16, max_supports=4) == [16, 8, 4, 12, 10]
    assert searched(at, lowest=16, max_supports=99) == [16, 8, 4, 12, 10, 9, 11]
    assert searched(at, lowest=13, max_supports=4) == [16, 13, 6, 10, 8], "the path's best first"


def searched(error: dict[int, float], lowest: int, max_supports: int) -> list[int]:
    """Numbers of columns of the supports that are compared, in turn, by these errors.

    ``lowest`` has the lowest error on the path.
    """

    class Told(Judge):
        def _cross_fitted(self, point, rows):
            return replace(point, validation_loss=error[point.n_features])

    plan = replace(TINY, max_supports=max_supports, choice=BestValidation())
    points = sorted(
        (path_point(n, float(n != lowest)) for n in error), key=lambda p: p.validation_loss
    )
    judge = Told(plan, Workshop(None, None, objective(), None, 0.0), None, DATA, None)
    return [p.n_features for p in judge._searched(points)[0]]


def path_point(n_features: int, loss: float, lam: float = 0.1) -> PathPoint:
    shot = snapshot(make_network(DATA.layout), DATA.validation, objective())
    return PathPoint(lam, loss, n_features, 1, 0.0, tuple(range(n_features)), (), snapshot=shot)


def test_a_number_of_columns_is_chosen_by_cross_fitted_errors():
    """One network predicts, worse than the dense stage; the path likes another support."""

    class Sitting(Panel):
        sits = True

    class Told(Judge):
        def _cross_fitted(self, point, rows):
            error = {5: 0.30, 4: 0.33, 3: 0.5}[point.n_features]
            return replace(point, validation_loss=error)

        def refit(self, point):
            return replace(point, validation_loss=point.validation_loss - 0.01)

    points = [path_point(6, 0.2, 0.0), path_point(5, 0.31), path_point(4, 0.295)]
    plan, workshop = replace(TINY, choice=AtMost(5)), Workshop(None, None, objective(), None, 0.0)
    judge = Told(plan, workshop, None, DATA, Sitting(plan, workshop, DATA))
    kept, judged, _ = judge.choose([*points, path_point(3, 0.4)], points[0])
    assert (kept.n_features, kept.validation_loss) == (5, pytest.approx(0.3))
    assert judged[tuple(range(5))] == 0.30
