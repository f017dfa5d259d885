"""A loss that is not finite: back to the last good state, smaller steps, and at last an error."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from lassoflexnet.exceptions import TrainingDiverged
from lassoflexnet.nn import MLPSettings, Network
from lassoflexnet.optim import Constant, MuonSettings
from lassoflexnet.training import StageSettings
from lassoflexnet.training.stage import MAX_ROLLBACKS, Stage
from lassoflexnet.training.tasks import squared_error
from tests.nn.makers import make_network, named_state
from tests.training.makers import make_stage, objective, problem

DATA = problem(n=96)
# 64 training rows: two steps an epoch.
SETTINGS = StageSettings(max_epochs=4, patience=99, batch_size=32, schedule=Constant())


class Faulty:
    """A squared error that is not a number at some calls, and notes the weights it meets."""

    def __init__(self, bad_calls: set[int]) -> None:
        self.bad_calls = bad_calls
        self.stage: Stage | None = None
        self.weights: list[Tensor] = []
        self.averages: list[Tensor] = []
        self.moments: list[Tensor] = []
        self.rates: list[float] = []

    def __call__(self, outputs: Tensor, target: Tensor) -> Tensor:
        stage = self.stage
        assert stage is not None
        for seen, network in (
            (self.weights, stage.network),
            (self.averages, stage.average.network),
        ):
            seen.append(torch.cat([p.detach().flatten().clone() for p in network.parameters()]))
        state = stage.stepper.state.get(stage.network.skip.weight, {})
        self.moments.append(state.get("exp_avg", torch.zeros(5, 1)).clone())
        self.rates.append(stage.stepper.param_groups[0]["lr"])
        bad = len(self.weights) in self.bad_calls
        return squared_error(outputs, target) * (float("nan") if bad else 1.0)


def run(loss: Faulty, lam: float = 0.0) -> tuple[Network, Stage, int]:
    network = make_network(DATA.layout)
    stage = make_stage(
        network, DATA, settings=SETTINGS, goal=objective(loss=loss), decay=0.9, lam=lam
    )
    loss.stage = stage
    _, n_epochs = stage.run()
    return network, stage, n_epochs


def test_one_bad_batch_is_rolled_back():
    """Call 4 is the second batch of the second epoch; call 5 stands where call 3 stood."""
    loss = Faulty({4})
    network, stage, n_epochs = run(loss)
    assert n_epochs == 4
    assert len(loss.weights) == 2 + 2 + 3 * 2
    for seen in (loss.weights, loss.averages, loss.moments):
        assert not torch.equal(seen[3], seen[2]), "the epoch had begun"
        assert torch.equal(seen[4], seen[2]), "and was undone"
    assert [row.epoch for row in stage.objective.monitor.epochs] == [1, 2, 3, 4]
    assert all(torch.isfinite(x).all() for x in named_state(network).values())


def test_steps_are_smaller_after_each_rollback():
    loss = Faulty({4, 5})
    run(loss)
    assert loss.rates[:4] == [0.01] * 4
    assert loss.rates[4] == pytest.approx(1e-3)
    assert loss.rates[5:] == pytest.approx([1e-4] * len(loss.rates[5:]))


def test_a_bad_first_epoch_goes_back_to_the_start():
    loss = Faulty({2})
    run(loss)
    assert torch.equal(loss.weights[2], loss.weights[0])


def test_bad_validation_is_rolled_back_too():
    calls = []

    def metric(outputs: Tensor, target: Tensor) -> Tensor:
        calls.append(1)
        return squared_error(outputs, target) / (0.0 if len(calls) == 2 else 1.0)

    goal = objective(metric=metric)
    best, n_epochs = make_stage(make_network(DATA.layout), DATA, settings=SETTINGS, goal=goal).run()
    assert n_epochs == 4
    assert len(calls) == 5
    assert best.loss < float("inf")


@pytest.mark.parametrize(("stride", "batch_size"), [(1, 64), (2, 64), (3, 32), (4, 32)])
def test_a_bad_gradient_that_no_weight_shows_yet_is_rolled_back(stride, batch_size):
    """With a stride, it is in the optimiser's average before the matrix moves by it."""
    network, calls = make_network(DATA.layout, backbone=MLPSettings(2, 8, 0.0)), []

    def spoil(gradient: Tensor) -> Tensor:
        calls.append(1)
        return gradient * torch.nan if len(calls) == 1 else gradient

    network.backbone.w1.register_hook(spoil)
    stepper = MuonSettings(0.01, stride=stride).build(*network.split_parameters())
    settings = replace(SETTINGS, batch_size=batch_size)
    _, n_epochs = make_stage(network, DATA, settings=settings, stepper=stepper).run()
    assert n_epochs == 4
    assert len(calls) == 5 * (64 // batch_size)
    assert all(torch.isfinite(x).all() for x in named_state(network).values())


def test_error_names_stage_epoch_and_lambda():
    loss = Faulty(set(range(3, 100)))
    with pytest.raises(TrainingDiverged, match=r"dense stage, epoch 2, lambda 0\.25.*3 restarts"):
        run(loss, lam=0.25)
    assert len(loss.weights) == 2 + 1 + MAX_ROLLBACKS


def test_error_says_what_to_do():
    with pytest.raises(TrainingDiverged, match="Lower `learning_rate`"):
        run(Faulty(set(range(1, 100))))


def test_diverging_steps_are_tamed():
    """Steps that throw predictions out of range are brought down until they stay."""

    def loss(outputs: Tensor, target: Tensor) -> Tensor:
        return squared_error(outputs, target) + torch.where(outputs[:, 0].abs() > 4, torch.inf, 0.0)

    network = make_network(DATA.layout)
    stepper = torch.optim.SGD(network.parameters(), lr=10.0)
    goal = objective(loss, loss)
    best, n_epochs = make_stage(network, DATA, settings=SETTINGS, stepper=stepper, goal=goal).run()
    assert stepper.param_groups[0]["lr"] < 10.0, "or this shows nothing"
    assert n_epochs == 4
    losses = [row.validation_loss for row in goal.monitor.epochs]
    assert best.loss == losses[-1] < losses[0]
