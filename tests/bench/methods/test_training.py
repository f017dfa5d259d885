"""The loop for plain networks: budget, early stopping, scores, other objectives."""

import copy
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss
from torch import nn

from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.methods.networks import MLP
from lassoflexnet.bench.methods.training import GOALS, Batch, Budget, outputs, plain, train
from lassoflexnet.bench.protocols import make_protocol
from tests.bench.methods.makers import mixed, planted

BUDGET = Budget(0.1, 0.0, max_epochs=60, patience=3, batch_size=10, warmup_epochs=1)


def line(n: int = 50) -> Batch:
    torch.manual_seed(0)
    x = torch.randn(n, 1)
    return Batch((x,), 2 * x[:, 0] + 1)


def test_finds_a_line():
    torch.manual_seed(0)
    module = nn.Linear(1, 1)
    budget = replace(BUDGET, patience=60, milestones=(20, 40))
    found = train(module, (line(), line()), GOALS["regression"], budget)
    assert found.score > -0.02
    assert found.n_epochs == 60
    assert module.weight.item() == pytest.approx(2, abs=0.05)
    assert module.bias.item() == pytest.approx(1, abs=0.05)
    score = GOALS["regression"].score(outputs(module, line().inputs), line().target)
    assert score == pytest.approx(found.score)


def test_best_weights_come_back_and_patience_ends():
    scores = iter([0.1, 0.5, 0.4, 0.45, 0.3, 0.2, 0.9])
    seen = []
    torch.manual_seed(0)
    module = nn.Linear(1, 1)

    def score(*_):
        seen.append(copy.deepcopy(module.state_dict()))
        return next(scores)

    goal = GOALS["regression"]._replace(score=score)
    found = train(module, (line(), line()), goal, BUDGET)
    # The second epoch is the best; more than three without a better one are too many.
    assert found == (0.5, 6)
    torch.testing.assert_close(module.weight.data, seen[1]["weight"])
    assert not torch.equal(seen[1]["weight"], seen[-1]["weight"])


def test_of_equal_scores_the_lower_loss_is_better():
    torch.manual_seed(0)
    module = nn.Linear(1, 1)
    goal = GOALS["regression"]._replace(score=lambda *_: 1.0)
    first = train(module, (line(), line()), goal, replace(BUDGET, max_epochs=1))
    early = goal.loss(outputs(module, line().inputs), line().target)
    assert first == (1.0, 1)
    assert train(module, (line(), line()), goal, BUDGET).score == 1.0
    assert goal.loss(outputs(module, line().inputs), line().target) < 0.1 * early


def test_full_batches_only_and_every_row_at_most_once():
    sizes = []

    def objective(module, batch, goal):
        sizes.append(len(batch.target))
        return plain(module, batch, goal)

    budget = Budget(0.1, 0.0, max_epochs=1, batch_size=20)
    train(nn.Linear(1, 1), (line(), line()), GOALS["regression"], budget, objective=objective)
    assert sizes == [20, 20]
    sizes.clear()
    budget = Budget(0.1, 0.0, max_epochs=1, batch_size=512)
    train(nn.Linear(1, 1), (line(), line()), GOALS["regression"], budget, objective=objective)
    assert sizes == [50]


def test_scores():
    binary, multi = GOALS["binary"], GOALS["multiclass"]
    logits = torch.tensor([[-1.0], [0.5], [2.0], [0.0]])
    # Of the four pairs of a one and a zero, three are in order.
    assert binary.score(logits, torch.tensor([0.0, 1.0, 0.0, 0.0])) == pytest.approx(2 / 3)
    assert math.isfinite(binary.score(logits, torch.ones(4)))
    three = torch.tensor([[1.0, 0, 0], [0, 3, 0], [0, 2, 0]])
    assert multi.score(three, torch.tensor([0, 1, 2])) == pytest.approx(2 / 3)
    y = np.array([0, 1, 1, 0])
    expected = log_loss(y, binary.answer(logits).numpy())
    assert binary.loss(logits, torch.as_tensor(y).float()).item() == pytest.approx(expected)
    expected = log_loss([0, 1, 2], multi.answer(three).numpy())
    assert multi.loss(three, torch.tensor([0, 1, 2])).item() == pytest.approx(expected)


def test_protocols_say_what_networks_stop_by():
    logits, y = torch.tensor([[-1.0], [0.5], [2.0]]), torch.tensor([0.0, 1.0, 0.0])
    split = planted("binary")
    by_loss, by_score = (
        MLP().pose(split._replace(stopping=word)).goal for word in ("loss", "score")
    )
    assert by_score is GOALS["binary"]
    assert by_loss.score(logits, y) == pytest.approx(-by_score.loss(logits, y).item())
    assert MLP().pose(split).goal is by_loss
    assert MLP().pose(planted("regression")).goal is GOALS["regression"]
    table = load("breast_cancer")
    kinds = {name: make_protocol(name).split(table, 0) for name in ("hold_out", "tabzilla")}
    assert [kind.stopping for kind in kinds.values()] == ["loss", "loss"]
    # As published.
    assert make_protocol("feature_selection").split(table, 0).stopping == "score"


def test_mlp_has_the_layers_it_says():
    module = MLP(n_blocks=3, d_block=7)._build(5, 2)
    shapes = [tuple(p.shape) for p in module.parameters() if p.ndim == 2]
    assert shapes == [(7, 5), (7, 7), (7, 7), (2, 7)]


def test_targets_are_standardised_by_training_rows():
    split = mixed("regression")
    problem = MLP().pose(split)
    train_rows, validation = problem.rows
    assert train_rows.target.mean().item() == pytest.approx(0, abs=1e-5)
    assert train_rows.target.std(correction=0).item() == pytest.approx(1, abs=1e-5)
    expected = (split.validation.y - split.train.y.mean()) / split.train.y.std()
    np.testing.assert_allclose(validation.target, expected, rtol=1e-5, atol=1e-6)
    assert MLP().pose(planted("multiclass")).n_outputs == 3
    assert MLP().pose(planted("binary")).n_outputs == 1
