"""The speed benchmark: its yardsticks are what they claim to be."""

import json
import math

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from lassoflexnet.bench.checking import at_least, at_most
from lassoflexnet.bench.speed import wide
from lassoflexnet.bench.speed.__main__ import markdown, write
from lassoflexnet.bench.speed.fits import _against_tabm
from lassoflexnet.bench.speed.growth import problem
from lassoflexnet.bench.speed.measure import Section, machine, medians, slope
from lassoflexnet.bench.speed.plain import PlainNetwork
from lassoflexnet.bench.speed.steps import dense_flops
from lassoflexnet.codes import dense_codes
from lassoflexnet.nn import MixerSettings, Network, ResidualEmbeddingSettings, TiedGroupSkipSettings
from tests.nn.makers import numbers, random_codes

EMBEDDING = ResidualEmbeddingSettings(d_embedding=6, n_layers=2, d_layer=4, dropout=0.1)
MIXER = MixerSettings(n_blocks=3, d_hidden=8, dropout=0.1)


def copy_weights(fast: Network, plain: PlainNetwork) -> None:
    """Give the plain network the weights of the fast one."""
    first, body, last = fast.embedding.first, fast.embedding.body, fast.embedding.last
    for j, one in enumerate(plain.embeddings):
        _set(one.first, first.weight[j].t(), first.bias[j, 0])
        for layer, ours in zip(one.layers, body, strict=True):
            _set(layer[0], ours.linear.weight[j].t(), ours.linear.bias[j, 0])
            _set(layer[2], ours.norm.scale[j, 0], ours.norm.shift[j, 0])
        _set(one.last, last.weight[j].t(), last.bias[j, 0])
        one.norm.running_mean.copy_(fast.embedding.norm.running_mean[j, 0])
        one.norm.running_var.copy_(fast.embedding.norm.running_var[j, 0])
    mixer = fast.backbone
    tokens = [mixer.entry, *(block.tokens for block in mixer.blocks)]
    channels = [mixer.entry_channels, *(block.channels for block in mixer.blocks)]
    for mine, ours in zip(plain.tokens, tokens, strict=True):
        _set(mine.layers[0], ours.w1.t(), ours.b1[:, 0])
        _set(mine.layers[3], ours.w2.t(), ours.b2[:, 0])
    for mine, ours in zip(plain.channels, channels, strict=True):
        _set(mine.layers[0], ours.inner.weight, ours.inner.bias)
        _set(mine.layers[3], ours.outer.weight, ours.outer.bias)
    for mine, other, block in zip(
        plain.token_norms, plain.channel_norms, mixer.blocks, strict=True
    ):
        _set(mine, block.token_norm.weight, block.token_norm.bias)
        _set(other, block.channel_norm.weight, block.channel_norm.bias)
    plain.head_norm.load_state_dict(mixer.head_norm.state_dict())
    plain.head.load_state_dict(mixer.head.state_dict())
    plain.beta.copy_(fast.skip.weight)
    plain.intercept.copy_(fast.skip.intercept)


def _set(module: torch.nn.Module, weight: torch.Tensor, bias: torch.Tensor) -> None:
    module.weight.copy_(weight)
    module.bias.copy_(bias)


def both(d: int = 5) -> tuple[Network, PlainNetwork, torch.Tensor, object]:
    layout = numbers(d)
    torch.manual_seed(0)
    fast = Network(
        layout,
        EMBEDDING.build(layout),
        TiedGroupSkipSettings().build(d, 1),
        MIXER.build(d, EMBEDDING.d_embedding, 1),
        0.3,
    )
    plain = PlainNetwork(d, layout.max_slots, EMBEDDING, MIXER, 0.3)
    codes = random_codes(layout, 30)
    return fast, plain, dense_codes(codes, layout).transpose(0, 1), codes


def test_plain_network_is_the_same_function():
    """So are its gradients; with no weight at the value it starts from."""
    fast, plain, dense, codes = both()
    fast.set_moments(codes)
    with torch.no_grad():
        for weight in fast.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
        copy_weights(fast, plain)
    slow, quick = plain.eval()(dense), fast.eval()(codes)
    torch.testing.assert_close(slow, quick, rtol=1e-4, atol=1e-4)
    slow.square().sum().backward()
    quick.square().sum().backward()
    torch.testing.assert_close(plain.beta.grad, fast.skip.weight.grad, rtol=1e-4, atol=1e-4)
    w1 = plain.entry.weight.grad, fast.backbone.entry.w1.grad.t()
    torch.testing.assert_close(*w1, rtol=1e-4, atol=1e-4)


def test_operations_are_those_of_the_plain_forward_pass():
    _, plain, dense, _ = both()
    plain.eval()
    with FlopCounterMode(display=False) as counter:
        plain(dense)
    head = 2 * 30 * (EMBEDDING.d_embedding + 5)
    counted = dense_flops(5, 30, dense.shape[2], EMBEDDING, MIXER) / 3
    assert counter.get_total_flops() == counted + head


def test_what_is_compared_takes_turns():
    calls = []
    found = medians({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3, warm_up=1)
    assert calls == ["a", "b"] * 4
    assert set(found) == {"a", "b"}
    assert min(found.values()) >= 0


def test_checks_and_files(tmp_path):
    checks = [at_least("fast", 3.0, 4), at_most("small", 3.0, 4)]
    assert [check.ok for check in checks] == [False, True]
    section = Section(checks, {"seconds": 1.5})
    assert "| fast | 3 | >= 4 | no |" in markdown(section)
    write({"part": section}, machine(1), tmp_path)
    written = json.loads((tmp_path / "speed.json").read_text())
    assert written["checks"][0] == {"name": "fast", "value": 3.0, "bar": ">= 4", "ok": False}
    assert written["machine"]["threads"] == 1
    assert "## part" in (tmp_path / "speed.md").read_text()


def test_recorded_fit_of_tabm_is_brought_to_this_run(tmp_path):
    path = tmp_path / "tabm.json"
    seconds = {"tabm_epoch": 4.0, "lassoflexnet": 100.0}
    assert not _against_tabm(seconds, path, 1).ok
    path.write_text(json.dumps({"fit_s": 1000.0, "epoch_s": 2.0, "threads": 1}))
    assert not _against_tabm(seconds, path, 2).ok
    check = _against_tabm(seconds, path, 1)
    assert (check.value, check.ok) == (20.0, True)


def test_slope_of_a_power():
    assert slope([1, 2, 4], [3.0, 6.0, 12.0]) == pytest.approx(1.0)
    assert slope([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2.0)


def test_wide_problem_is_as_hard_as_it_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wide, "D", 50)
    X, y, true = wide.problem(0)
    assert X.shape == (2000, 50)
    assert len(true) == 20
    residual = y.copy()
    shapes = [wide.SHAPES[i % 5](X[:, j]) for i, j in enumerate(true)]
    design = np.column_stack([np.ones(len(y)), *shapes])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert 1 - residual.var() / y.var() == pytest.approx(0.9, abs=0.01)


def test_growth_problem():
    X, y = problem(50, 3)
    assert X.shape == (50, 3)
    assert math.isfinite(y.sum())
