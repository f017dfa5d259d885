"""What features are worth, by networks that have not seen the rows they are read on."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.prox import AdaptiveWeights, UniformWeights
from lassoflexnet.training import BestValidation, OneStandardError, Trainer
from lassoflexnet.training.panel import STAND_IN
from tests.nn.makers import make_network
from tests.training.makers import objective
from tests.training.test_fit import DATA, PLAN, TINY


@pytest.mark.parametrize(
    ("changes", "n_rows", "sits"),
    [
        ({}, 20, True),
        ({}, 19, False),
        ({"n_folds": 3}, 29, False),
        ({"n_folds": 0}, 200, False),
        ({"fold": replace(PLAN.fold, max_epochs=0)}, 200, False),
        ({"choice": BestValidation()}, 200, False),
    ],
)
def test_it_sits_where_it_is_wanted_and_rows_can_tell(changes, n_rows: int, sits: bool):
    plan = replace(PLAN, **{"n_folds": 2, "choice": OneStandardError(), **changes})
    data = DATA._replace(train=DATA.train.at(slice(0, n_rows)))
    assert Trainer(plan, make_network, data, objective()).panel.sits == sits


def test_supports_are_dealt_the_same_rows():
    plan = replace(PLAN, choice=OneStandardError())
    panel = Trainer(plan, make_network, DATA, objective()).panel
    some = panel.on((0, 3))
    assert some.deals is panel.whole.deals
    assert some.networks[0].n_tokens == 2
    assert panel.on(range(6)) is panel.whole


@pytest.mark.parametrize("n_folds", [0, 2])
def test_worth_tells_the_features_that_matter(n_folds: int):
    """Only the first two of six columns matter."""
    torch.manual_seed(0)
    plan = replace(PLAN, n_folds=n_folds, choice=OneStandardError())
    trainer = Trainer(plan, make_network, DATA, objective())
    dense, panel = trainer._dense_point(), trainer.panel
    alone = torch.zeros(6)
    worth = panel.worth(dense.snapshot.network, alone)
    assert worth[:2].min() > 2 * worth[2:].max()
    alone[4] = 99.0
    assert panel.worth(dense.snapshot.network, alone)[4] == 99.0, "the dense one knows"


def test_orders_are_drawn_by_the_seed_of_the_fit():
    plan, network = replace(PLAN, n_folds=0), make_network(DATA.layout)
    panel = Trainer(plan, make_network, DATA, objective()).panel

    def worth(seed: int) -> list[float]:
        torch.manual_seed(seed)
        state = torch.get_rng_state()
        found = panel.worth(network, torch.full((6,), -99.0))
        assert torch.equal(torch.get_rng_state(), state), "and from no other stream"
        return found.tolist()

    assert worth(0) == worth(0) != worth(1)


def test_equal_weights_need_no_worth():
    goal, network = objective(), make_network(DATA.layout)
    plan = replace(
        PLAN, choice=OneStandardError(), path=replace(PLAN.path, weights=UniformWeights())
    )
    panel = Trainer(plan, make_network, DATA, goal).panel
    state = torch.get_rng_state()
    assert panel.worth(network, torch.zeros(6)).tolist() == [1.0] * 6
    assert goal.monitor.epochs == []
    assert torch.equal(torch.get_rng_state(), state)


def test_orders_asked_for_are_the_orders_measured(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def noted(network, rows, loss, n_orders, draws):
        asked.append((n_orders, rows.n_rows))
        return torch.ones(rows.n_rows, 6)

    monkeypatch.setattr("lassoflexnet.training.panel.contributions", noted)
    monkeypatch.setattr("lassoflexnet.training.panel.telling_rows", lambda _: 60)
    path = replace(PLAN.path, weights=AdaptiveWeights(n_orders=3))
    panel = Trainer(
        replace(PLAN, choice=OneStandardError(), path=path), make_network, DATA, objective()
    ).panel
    found = panel.worth(make_network(DATA.layout), torch.zeros(6))
    assert found.tolist() == [STAND_IN] * 6, "of what others may stand in for, a share counts"
    assert {orders for orders, _ in asked} == {3}
    assert 30 < sum(rows for _, rows in asked) <= 60 + 3 * 4, "but for rounding"


def test_networks_on_all_columns_are_trained_once():
    goal = objective()
    torch.manual_seed(0)
    Trainer(replace(TINY, choice=OneStandardError(99)), make_network, DATA, goal).fit()
    folds = [row.n_features for row in goal.monitor.epochs if row.stage == "fold"]
    assert folds.count(6) == TINY.n_folds
