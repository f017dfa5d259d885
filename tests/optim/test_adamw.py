"""AdamW by the fused kernel: torch's own to the bit, and what is saved of it."""

import pytest
import torch
from torch import Tensor, nn
from torch.optim import AdamW

from lassoflexnet.optim.adamw import FusedAdamW

SHAPES = [(4, 6), (3, 1, 5), (5,), (0, 2), ()]
BETAS = (0.8, 0.95)


def parameters(dtype: torch.dtype = torch.float32) -> list[nn.Parameter]:
    g = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(shape, generator=g).to(dtype)) for shape in SHAPES]


def groups(found: list[nn.Parameter]) -> list[dict]:
    return [
        {"params": found[:2], "weight_decay": 0.0},
        {"params": found[2:], "weight_decay": 0.3},
    ]


def give_gradients(found: list[nn.Parameter], t: int, without: int | None = None) -> None:
    for i, p in enumerate(found):
        p.grad = torch.sin(torch.arange(float(p.numel())) + t).view_as(p).to(p.dtype)
        if i == without:
            p.grad = None


def equal(some: list[Tensor], others: list[Tensor]) -> bool:
    return all(torch.equal(p, q) for p, q in zip(some, others, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_step_is_as_of_torch(dtype):
    """With rates that change, and with a weight that has no gradient for a while."""
    ours, theirs = parameters(dtype), parameters(dtype)
    mine = FusedAdamW(groups(ours), lr=0.1, betas=BETAS)
    other = AdamW(groups(theirs), lr=0.1, betas=BETAS, fused=True)
    for t in range(6):
        for optimizer, found in ((mine, ours), (other, theirs)):
            optimizer.param_groups[0]["lr"] = 0.1 / (1 + t)
            give_gradients(found, t, without=1 if t < 3 else None)
            optimizer.step()
        assert equal(ours, theirs)
    for p, q in zip(ours, theirs, strict=True):
        assert torch.equal(mine.state[p]["exp_avg_sq"], other.state[q]["exp_avg_sq"])
        assert mine.state[p]["step"] == int(other.state[q]["step"])


def test_a_saved_state_goes_on_as_if_it_had_not_been_saved():
    straight, broken = parameters(), parameters()
    first, second = (FusedAdamW(groups(found), lr=0.1) for found in (straight, broken))
    for t in range(3):
        for optimizer, found in ((first, straight), (second, broken)):
            give_gradients(found, t)
            optimizer.step()
    second.param_groups[1]["lr"] = first.param_groups[1]["lr"] = 0.01
    third = FusedAdamW(groups(broken), lr=0.7)
    third.load_state_dict(second.state_dict())
    for optimizer, found in ((first, straight), (third, broken)):
        give_gradients(found, 3)
        optimizer.step()
    assert equal(straight, broken)


def test_a_state_from_before_the_first_step_is_a_new_start():
    once, again = parameters(), parameters()
    optimizer = FusedAdamW(groups(again), lr=0.1)
    before, saved = [p.detach().clone() for p in again], optimizer.state_dict()
    give_gradients(again, 0)
    optimizer.step()
    with torch.no_grad():
        for p, value in zip(again, before, strict=True):
            p.copy_(value)
    optimizer.load_state_dict(saved)
    for found, used in ((once, FusedAdamW(groups(once), lr=0.1)), (again, optimizer)):
        give_gradients(found, 0)
        used.step()
    assert equal(once, again)


def test_gradients_are_forgotten():
    found = parameters()
    give_gradients(found, 0)
    FusedAdamW(groups(found), lr=0.1).zero_grad()
    assert all(p.grad is None for p in found)


def test_nothing_moves_without_gradients():
    found = parameters()
    optimizer = FusedAdamW(groups(found), lr=0.1)
    optimizer.step()
    assert equal(found, parameters())
    assert not optimizer.state
