"""How sure networks may be, and networks that are judged so."""

import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from lassoflexnet.estimators._base import _importances
from lassoflexnet.nn import Committee, MLPSettings
from lassoflexnet.optim import AdamWSettings, Constant
from lassoflexnet.training import (
    Members,
    OneStandardError,
    Rows,
    StageSettings,
    Trainer,
    TrainingData,
    members,
)
from lassoflexnet.training.averaging import average_of
from lassoflexnet.training.confidence import FACTORS, confidence
from lassoflexnet.training.evaluation import weighted_mean
from lassoflexnet.training.joined import JoinedStage
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.stage import snapshot
from lassoflexnet.training.tasks import binary_log_loss, log_loss, squared_error
from tests.nn.makers import make_network
from tests.training.makers import make_stage, objective, problem
from tests.training.test_fit import PLAN

LEARNING = AdamWSettings(0.02)
LONG = StageSettings(max_epochs=40, patience=99, batch_size=16, schedule=Constant())


def labelled(rows: Rows, generator: torch.Generator) -> Rows:
    """Classes that follow the target, a fifth of them by chance."""
    by_chance = torch.rand(rows.n_rows, generator=generator) < 0.2
    drawn = torch.randint(2, (rows.n_rows,), generator=generator)
    return rows._replace(target=drawn.where(by_chance, rows.target.gt(0).long()))


def classes(n: int = 192, seed: int = 0) -> TrainingData:
    generator, data = torch.Generator().manual_seed(seed), problem(n=n, d=4, seed=seed)
    return data._replace(
        train=labelled(data.train, generator), validation=labelled(data.validation, generator)
    )


def network(seed: int = 0):
    return make_network(classes().layout, backbone=MLPSettings(2, 32, 0.0), n_outputs=2, seed=seed)


@pytest.mark.parametrize("scale", [0.1, 0.7, 1.5, 4.0, 50.0])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_the_factor_is_the_best_of_all(n_outputs: int, scale: float):
    generator = torch.Generator().manual_seed(n_outputs)
    outputs = scale * torch.randn(300, n_outputs, generator=generator)
    weight = torch.rand(300, generator=generator) + 0.1
    if n_outputs == 1:
        loss, target = binary_log_loss, (torch.rand(300, generator=generator) < 0.5).long()
    else:
        loss, target = log_loss, torch.randint(3, (300,), generator=generator)
        target[:150] = outputs[:150].argmax(dim=1)
    found = confidence(outputs, target, weight, loss)
    errors = {factor: weighted_mean(loss(factor * outputs, target), weight) for factor in FACTORS}
    assert errors[found] == pytest.approx(min(errors.values()), rel=1e-6)


def test_errors_are_calibrated_only_where_that_is_asked_for():
    outputs, target, weight = torch.tensor([[9.0], [9.0]]), torch.tensor([1, 0]), torch.ones(2)
    plain = objective(binary_log_loss, binary_log_loss)
    expected = binary_log_loss(outputs, target)
    assert torch.equal(plain.errors(outputs, target, weight), expected)
    calibrated = plain._replace(calibrated=True)
    assert calibrated.factor(outputs, target, weight) == 0.1
    softer = binary_log_loss(0.1 * outputs, target)
    assert torch.equal(calibrated.errors(outputs, target, weight), softer)
    numbers = objective(squared_error, squared_error)._replace(calibrated=True)
    assert numbers.factor(outputs, target, weight) == 1.0


def kept(seed: int, *, calibrated: bool):
    """What a stage keeps; its training is the same however it is judged."""
    torch.manual_seed(seed)
    data, model = classes(seed=seed), network(seed)
    goal = objective(log_loss, log_loss)._replace(calibrated=calibrated)
    stepper = LEARNING.build(*model.split_parameters())
    best, _ = make_stage(model, data, settings=LONG, goal=goal, stepper=stepper).run()
    assert best.loss == snapshot(best.network, data.validation, goal).loss
    return best, snapshot(best.network, data.validation, goal._replace(calibrated=True)).loss


def test_a_calibrated_stage_ends_at_its_lowest_calibrated_loss():
    pairs = [[kept(seed, calibrated=flag) for flag in (False, True)] for seed in range(5)]
    assert all(calibrated[1] <= plain[1] for plain, calibrated in pairs)
    assert any(calibrated[1] < plain[1] for plain, calibrated in pairs)
    assert any(calibrated[0].epoch > plain[0].epoch for plain, calibrated in pairs)


def test_networks_trained_as_one_are_calibrated_each_by_its_own_rows():
    parts = [classes(seed=seed) for seed in range(3)]
    # Filled up by a row without weight.
    parts[1] = parts[1]._replace(validation=parts[1].validation.at(slice(0, -1)))
    networks = [network(seed) for seed in range(3)]
    goal = objective(log_loss, log_loss)._replace(calibrated=True)
    stage = JoinedStage("abc", networks, parts, settings=LONG, objective=goal)
    best = stage.run(LEARNING.build(*stage.crew.split_parameters()), average_of(stage.crew, 0.0))
    for one, part in zip(best, parts, strict=True):
        expected = snapshot(one.network, part.validation, goal)
        torch.testing.assert_close(one.errors, expected.errors, rtol=1e-4, atol=1e-5)
        assert one.loss == pytest.approx(expected.loss, rel=1e-4)


@pytest.mark.parametrize("held_out", [True, False])
def test_members_are_calibrated_if_they_are_to_be(
    monkeypatch: pytest.MonkeyPatch, *, held_out: bool
):
    asked = []
    monkeypatch.setattr(
        members.Objective, "factor", lambda self, *_: asked.append(self.calibrated) or 1.0
    )
    data = classes(400)._replace(held_out=held_out)
    budget = replace(LONG, max_epochs=2)
    for calibrated in (False, True):
        asked.clear()
        ending = Members(2, budget, LEARNING, calibrated=calibrated)
        plan = replace(PLAN, ending=ending, choice=OneStandardError())
        goal = objective(log_loss, log_loss)
        trainer = Trainer(plan, lambda layout: make_network(layout, n_outputs=2), data, goal)
        dense = trainer._dense_point().snapshot
        trainer.panel.whole  # noqa: B018 (it trains when asked for)
        assert set(asked) == {False}, "what selects is stopped as it is"
        asked.clear()
        trainer._end(tuple(range(4)), dense)
        assert set(asked) == {calibrated}


@pytest.mark.parametrize("calibrated", [False, True])
def test_supports_are_compared_as_they_would_predict(*, calibrated: bool):
    torch.manual_seed(0)
    data, goal = classes(), objective(log_loss, log_loss)
    ending = Members(2, LONG, LEARNING, calibrated=calibrated)
    plan = replace(PLAN, ending=ending, choice=OneStandardError())

    def built(layout):
        # Far too sure, whatever they learn.
        network = make_network(layout, n_outputs=2)
        network.tau = 30.0
        return network

    trainer = Trainer(plan, built, data, goal)
    rows = data.validation.beside(data.train)
    shot = snapshot(network(), data.validation, goal)
    point = PathPoint(0.1, shot.loss, 4, 1, 0.0, tuple(range(4)), (), snapshot=shot)
    found = trainer.judge._cross_fitted(point, rows)
    outputs = trainer.panel.on(point.features).outputs()
    factor = confidence(outputs, rows.target, rows.weight, log_loss) if calibrated else 1.0
    expected = weighted_mean(log_loss(factor * outputs, rows.target), rows.weight)
    assert found.validation_loss == pytest.approx(expected)
    assert not calibrated or factor < 1


def test_importances_do_not_depend_on_how_sure_members_were():
    """Members far too sure, made less so together, are read as they predict."""
    data = classes()
    member = network().eval()
    member.skip.weight.data.mul_(5.0)
    surer = copy.deepcopy(member)
    surer.skip.weight.data.mul_(8.0)
    surer.skip.intercept.data.mul_(8.0)
    surer.tau = 8.0 * surer.tau
    goal, shares = objective(log_loss, log_loss), []
    for one, factor in ((member, 1.0), (surer, 1 / 8)):
        result = SimpleNamespace(network=Committee([one], factor), unseen=((one, data.validation),))
        shares.append(_importances(result, goal))
    assert shares[0].max() > 0
    np.testing.assert_allclose(shares[1], shares[0], rtol=1e-3, atol=1e-4)
