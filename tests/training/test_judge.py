"""What supports are judged by."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.prox import UniformWeights
from lassoflexnet.training import BestValidation, OneStandardError, PathPoint, Trainer
from lassoflexnet.training.judge import Judge
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN, TINY, Fixed, fit


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


def test_the_search_finds_the_best_of_a_path_that_is_first_too_dense_then_too_sparse():
    """Whatever the errors of the path are; sixteen supports, five of them compared."""
    at = {n: abs(n - 11.0) for n in range(17)}
    compared = searched(at, max_supports=4)
    assert compared[0] == 16
    assert 11 in compared or {10, 12} & set(compared)
    assert len(compared) == len(set(compared)) == 5
    assert sorted(searched(at, max_supports=99))[:1] != [0], "the far end is of no interest"
    assert 11 in searched(at, max_supports=99)


def searched(error: dict[int, float], max_supports: int) -> list[int]:
    """Numbers of columns of the supports that are compared, in turn, by these errors."""

    class Told(Judge):
        def _cross_fitted(self, point, rows):
            return replace(point, validation_loss=error[point.n_features])

        def _liked(self, compared, rows):
            return BestValidation()(compared, rows.weight, 0.0)

    plan = replace(TINY, max_supports=max_supports)
    points = [PathPoint(0.1, 1.0, n, 1, 0.0, tuple(range(n)), ()) for n in error]
    return [p.n_features for p in Told(plan, None, None, DATA)._searched(points)[0]]


@pytest.mark.parametrize("n_folds", [0, 2])
def test_worth_is_that_of_features_to_networks_that_have_not_seen_the_rows(n_folds: int):
    """Only the first two of six columns matter."""
    torch.manual_seed(0)
    plan = replace(PLAN, n_folds=n_folds, choice=OneStandardError())
    trainer = Trainer(plan, make_network, DATA, objective())
    dense = trainer._dense_point()
    worth = trainer.judge.worth(dense.snapshot.network)
    assert worth[:2].min() > 2 * worth[2:].max()
    asked = replace(plan, path=replace(plan.path, weights=UniformWeights()))
    judge = Trainer(asked, make_network, DATA, objective()).judge
    assert judge.worth(dense.snapshot.network).tolist() == [1.0] * 6
    assert "whole" not in judge.__dict__, "what is not asked for is not trained"


def test_networks_on_all_columns_are_trained_once():
    goal = objective()
    torch.manual_seed(0)
    Trainer(replace(TINY, choice=OneStandardError(99)), make_network, DATA, goal).fit()
    folds = [row.n_features for row in goal.monitor.epochs if row.stage == "fold"]
    assert folds.count(6) == TINY.n_folds
