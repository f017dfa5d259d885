"""Optimiser settings: what they build, and where weight decay acts."""

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD

from lassoflexnet.optim import (
    AdamWSettings,
    HypergradientAdamSettings,
    MuonSettings,
    NesterovSettings,
)
from lassoflexnet.optim.adamw import FusedAdamW
from lassoflexnet.optim.hypergradient import HypergradientAdamW
from lassoflexnet.optim.muon import Muon
from lassoflexnet.optim.stepper import Optimizer

SETTINGS = [
    AdamWSettings(learning_rate=0.1, weight_decay=0.5),
    HypergradientAdamSettings(learning_rate=0.1, weight_decay=0.5, kappa=1e-3),
    NesterovSettings(learning_rate=0.1, weight_decay=0.5),
    MuonSettings(learning_rate=0.1, weight_decay=0.5),
]
every_setting = pytest.mark.parametrize("settings", SETTINGS, ids=str)


def build(settings) -> tuple[Tensor, Tensor, Optimizer]:
    decayed, other = (nn.Parameter(torch.ones(3)) for _ in range(2))
    return decayed, other, settings.build([decayed], [other], {})


@pytest.mark.parametrize(
    ("settings", "kind"),
    list(zip(SETTINGS, [FusedAdamW, HypergradientAdamW, SGD, Muon], strict=True)),
    ids=str,
)
def test_kind(settings, kind: type):
    assert type(build(settings)[2]) is kind


@every_setting
def test_weight_decay_acts_on_decayed_parameters_alone(settings):
    decayed, other, optimizer = build(settings)
    for p in (decayed, other):
        p.grad = torch.zeros(3)
    optimizer.step()
    assert torch.equal(other, torch.ones(3))
    assert (decayed < 1).all()


@every_setting
def test_learning_rate_of_every_group(settings):
    optimizer = build(settings)[2]
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.1]
    assert sorted(group["weight_decay"] for group in optimizer.param_groups) == [0.0, 0.5]


def test_nesterov_step():
    """v = mu v + g, x = x - lr (g + mu v)."""
    _, x, optimizer = build(NesterovSettings(learning_rate=0.1, momentum=0.5))
    value, v = torch.ones(3), torch.zeros(3)
    for t in range(1, 4):
        g = torch.full((3,), float(t))
        x.grad = g.clone()
        optimizer.step()
        v = 0.5 * v + g
        value = value - 0.1 * (g + 0.5 * v)
        torch.testing.assert_close(x.detach(), value)


def test_kappa_reaches_the_optimizer():
    assert build(SETTINGS[1])[2].kappa == 1e-3


@every_setting
def test_parameters_of_no_features(settings):
    """A table without a usable column trains an intercept."""
    empty, intercept = nn.Parameter(torch.ones(0, 1)), nn.Parameter(torch.ones(1))
    optimizer = settings.build([], [empty, intercept], {})
    for _ in range(2):
        empty.grad, intercept.grad = torch.zeros(0, 1), torch.ones(1)
        optimizer.step()
    assert intercept.item() < 1
