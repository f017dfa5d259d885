"""The estimate of memory, and the refusal to start what cannot end."""

import functools

import pytest

from lassoflexnet.assembly import build_network
from lassoflexnet.exceptions import NotEnoughMemory
from lassoflexnet.nn import MixerSettings
from lassoflexnet.recipe import Recipe
from lassoflexnet.training import Trainer, memory
from lassoflexnet.training.memory import available_bytes, check_memory, estimated_bytes
from tests.nn.makers import make_network, numbers
from tests.training.makers import objective, problem
from tests.training.test_fit import TINY


def build(layout):
    return build_network(Recipe(), layout, 1)


def test_estimate_grows_with_columns_rows_of_a_batch_and_lambdas():
    def estimate(d: int, batch: int, n_lambdas: int) -> int:
        return estimated_bytes(build, numbers(d), batch, n_lambdas)

    base = estimate(100, 64, 10)
    assert estimate(200, 64, 10) > 1.5 * base
    assert estimate(100, 1024, 10) > 1.5 * base
    assert estimate(100, 64, 40) > 1.5 * base


def test_estimate_counts_the_backbone():
    def estimate(d_hidden: int) -> int:
        recipe = Recipe(backbone=MixerSettings(d_hidden=d_hidden))
        build = functools.partial(build_network, recipe, n_outputs=1)
        return estimated_bytes(build, numbers(50), 1024, 1)

    assert estimate(400) - estimate(200) > 4 * 2 * 1024 * 200 * 2 * 50


def test_ten_thousand_columns_are_estimated_without_being_built():
    needed = estimated_bytes(build, numbers(10_000), 512, 20)
    assert 4 * 2**30 < needed < 40 * 2**30


def test_what_is_missing_and_what_to_do():
    with pytest.raises(NotEnoughMemory, match=r"needs about 3.0 GiB .* 1.0 GiB are free. Use `scr"):
        check_memory(3 * 2**30, 2**30)
    check_memory(2**30, 2**30)
    check_memory(2**60, None)


def test_free_memory_is_known_or_not(tmp_path):
    path = tmp_path / "meminfo"
    assert available_bytes(path) is None
    path.write_text("MemFree: 1 kB\n")
    assert available_bytes(path) is None
    path.write_text("MemFree: 1 kB\nMemAvailable:    3 kB\n")
    assert available_bytes(path) == 3072


def test_fit_is_refused_before_it_starts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    monkeypatch.setattr("lassoflexnet.training.fit.available_bytes", lambda: 1000)
    goal = objective()
    with pytest.raises(NotEnoughMemory):
        Trainer(TINY, make_network, problem(), goal).fit()
    assert not goal.monitor.epochs
