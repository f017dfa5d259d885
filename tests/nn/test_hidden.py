"""The fast pair of layers against the layers one by one."""

import pytest
import torch

from lassoflexnet.nn import hidden as module
from lassoflexnet.nn.dropout import dropped
from lassoflexnet.nn.hidden import hidden, plain_hidden


def problem(by_row: bool, n: int = 37, a: int = 5, h: int = 8, o: int = 3):
    torch.manual_seed(0)
    x = torch.randn(n, a) if by_row else torch.randn(a, n).t()
    weights = [torch.randn(a, h), torch.randn(h), torch.randn(h, o), torch.randn(o)]
    return [t.requires_grad_() for t in (x.detach(), *weights)]


def outcome(function, given, *rest):
    y = function(*given, *rest)
    torch.manual_seed(2)
    return [y, *torch.autograd.grad((y * torch.randn(y.shape)).sum(), given)]


@pytest.mark.parametrize("by_row", [True, False])
@pytest.mark.parametrize("n_dropped", [0, 1, 64, 255])
@pytest.mark.parametrize("rows_per_piece", [1, 10, 37, 1000])
def test_values_and_gradients(
    by_row: bool, n_dropped: int, rows_per_piece: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "PIECE", 8 * rows_per_piece)
    masks = []

    def drawn(x, k):
        masks.append(dropped(x, k))
        return masks[-1]

    monkeypatch.setattr(module, "dropped", drawn)
    given = problem(by_row)
    fast = outcome(hidden, given, n_dropped)
    shaped = [m.view(-1, 8) if by_row else m.view(8, -1).t() for m in masks]
    kept = 1.0 - torch.cat(shaped).float() if n_dropped else torch.ones(37, 8)
    slow = outcome(plain_hidden, given, kept, n_dropped / 256)
    for mine, theirs in zip(fast, slow, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("by_row", [True, False])
def test_result_lies_as_the_rows_do(by_row: bool):
    y = hidden(*problem(by_row), 0)
    assert y.shape == (37, 3)
    assert y.is_contiguous() == by_row


@pytest.mark.parametrize("n_dropped", [1, 26, 128, 255])
def test_share_of_dropped_entries(n_dropped: int):
    torch.manual_seed(0)
    gone = dropped(torch.empty(500, 200), n_dropped)
    assert set(gone.unique().tolist()) <= {0, 1}
    p = n_dropped / 256
    assert gone.double().mean().item() == pytest.approx(p, abs=5 * (p * (1 - p) / 1e5) ** 0.5)


def test_graph_can_be_left_without_backward():
    given = problem(by_row=True)
    hidden(*given, 26)
    first = outcome(hidden, given, 0)
    second = outcome(hidden, given, 0)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_double_precision():
    given = [t.detach().double().requires_grad_() for t in problem(by_row=True)]
    fast, slow = outcome(hidden, given, 0), outcome(plain_hidden, given, torch.ones(37, 8), 0.0)
    for mine, theirs in zip(fast, slow, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_second_backward_is_refused():
    y = hidden(*problem(by_row=True), 0).sum()
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="used up"):
        y.backward()


def test_no_rows():
    x, *weights = problem(by_row=True, n=0)
    y = hidden(x, *weights, 26)
    assert y.shape == (0, 3)
    y.sum().backward()
    assert not weights[0].grad.any()


@pytest.mark.parametrize("by_row", [True, False])
def test_low_precision_under_autocast(by_row: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "PIECE", 8)
    given = problem(by_row)
    full = outcome(hidden, given, 0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = outcome(hidden, given, 0)
    assert low[0].dtype == torch.bfloat16
    for mine, theirs in zip(low, full, strict=True):
        scale = theirs.abs().max()
        assert 0 < (mine.float() - theirs).abs().max() < 0.05 * scale
