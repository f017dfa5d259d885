"""What supports are judged by."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.prox import AdaptiveWeights, UniformWeights
from lassoflexnet.training import AtMost, BestValidation, OneStandardError, PathPoint, Trainer
from lassoflexnet.training.judge import STAND_IN, Judge
from lassoflexnet.training.stage import snapshot
from lassoflexnet.training.tasks import squared_error
from lassoflexnet.training.workshop import Workshop
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
    judge = Told(plan, Workshop(None, None, objective(), None, 0.0), None, DATA)
    return [p.n_features for p in judge._searched(points)[0]]


def path_point(n_features: int, loss: float, lam: float = 0.1) -> PathPoint:
    shot = snapshot(make_network(DATA.layout), DATA.validation, squared_error)
    return PathPoint(lam, loss, n_features, 1, 0.0, tuple(range(n_features)), (), snapshot=shot)


def test_a_number_of_columns_is_chosen_by_cross_fitted_errors():
    """One network predicts, worse than the dense stage; the path likes another support."""

    class Told(Judge):
        cross_fits = True

        def _cross_fitted(self, point, rows):
            error = {5: 0.30, 4: 0.33, 3: 0.5}[point.n_features]
            return replace(point, validation_loss=error)

        def refit(self, point):
            return replace(point, validation_loss=point.validation_loss - 0.01)

    points = [path_point(6, 0.2, 0.0), path_point(5, 0.31), path_point(4, 0.295)]
    plan = replace(TINY, choice=AtMost(5))
    judge = Told(plan, Workshop(None, None, objective(), None, 0.0), None, DATA)
    kept, judged = judge.choose([*points, path_point(3, 0.4)], points[0])
    assert (kept.n_features, kept.validation_loss) == (5, pytest.approx(0.3))
    assert judged[tuple(range(5))] == 0.30


@pytest.mark.parametrize("n_folds", [0, 2])
def test_worth_tells_the_features_that_matter(n_folds: int):
    """Only the first two of six columns matter."""
    torch.manual_seed(0)
    plan = replace(PLAN, n_folds=n_folds, choice=OneStandardError())
    trainer = Trainer(plan, make_network, DATA, objective())
    dense = trainer._dense_point()
    alone = torch.zeros(6)
    worth = trainer.judge.worth(dense.snapshot.network, alone)
    assert worth[:2].min() > 2 * worth[2:].max()
    alone[4] = 99.0
    assert trainer.judge.worth(dense.snapshot.network, alone)[4] == 99.0, "the dense one knows"


def test_orders_are_drawn_by_the_seed_of_the_fit():
    plan, network = replace(PLAN, n_folds=0), make_network(DATA.layout)
    judge = Trainer(plan, make_network, DATA, objective()).judge

    def worth(seed: int) -> list[float]:
        torch.manual_seed(seed)
        state = torch.get_rng_state()
        found = judge.worth(network, torch.full((6,), -99.0))
        assert torch.equal(torch.get_rng_state(), state), "and from no other stream"
        return found.tolist()

    assert worth(0) == worth(0) != worth(1)


def test_equal_weights_need_no_worth():
    goal, network = objective(), make_network(DATA.layout)
    plan = replace(
        PLAN, choice=OneStandardError(), path=replace(PLAN.path, weights=UniformWeights())
    )
    judge = Trainer(plan, make_network, DATA, goal).judge
    state = torch.get_rng_state()
    assert judge.worth(network, torch.zeros(6)).tolist() == [1.0] * 6
    assert goal.monitor.epochs == []
    assert torch.equal(torch.get_rng_state(), state)


def test_orders_asked_for_are_the_orders_measured(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def noted(network, rows, loss, n_orders, draws):
        asked.append((n_orders, rows.n_rows))
        return torch.ones(rows.n_rows, 6)

    monkeypatch.setattr("lassoflexnet.training.judge.contributions", noted)
    monkeypatch.setattr("lassoflexnet.training.judge.telling_rows", lambda _: 60)
    path = replace(PLAN.path, weights=AdaptiveWeights(n_orders=3))
    judge = Trainer(
        replace(PLAN, choice=OneStandardError(), path=path), make_network, DATA, objective()
    ).judge
    found = judge.worth(make_network(DATA.layout), torch.zeros(6))
    assert found.tolist() == [STAND_IN] * 6, "of what others may stand in for, a share counts"
    assert {orders for orders, _ in asked} == {3}
    assert 30 < sum(rows for _, rows in asked) <= 60 + 3 * 4, "but for rounding"


def test_networks_on_all_columns_are_trained_once():
    goal = objective()
    torch.manual_seed(0)
    Trainer(replace(TINY, choice=OneStandardError(99)), make_network, DATA, goal).fit()
    folds = [row.n_features for row in goal.monitor.epochs if row.stage == "fold"]
    assert folds.count(6) == TINY.n_folds
