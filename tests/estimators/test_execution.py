"""Where and how a fit runs: device, threads, random numbers."""

import random

import numpy as np
import pytest
import torch

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.estimators import execution
from lassoflexnet.estimators.execution import find_device, seeded, threads
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training import Trainer
from tests.estimators.makers import numbers


def test_devices():
    assert find_device("cpu") == torch.device("cpu")
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert find_device("auto").type == expected


@pytest.mark.parametrize("name", ["gpu", "cuda:99", "meta", ""])
def test_a_device_that_is_not_there(name):
    with pytest.raises(InvalidInput, match=f"`device` is {name!r}.*Use 'auto'"):
        find_device(name)


def test_threads_are_set_and_put_back():
    before = torch.get_num_threads()
    with threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_threads_are_put_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), threads(before + 1):
        raise KeyError
    assert torch.get_num_threads() == before


def test_without_a_number_threads_are_left_alone():
    before = torch.get_num_threads()
    try:
        with threads(None):
            torch.set_num_threads(before + 1)  # another's business
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("asked", "n_hidden", "given"), [(None, 8, 1), (2, 8, 2), (None, 4096, 3)])
def test_a_small_network_is_trained_by_one_thread(monkeypatch, asked, n_hidden, given):
    seen, before = [], torch.get_num_threads()

    def fit(trainer):
        seen.append(torch.get_num_threads())
        raise KeyError

    monkeypatch.setattr(Trainer, "fit", fit)
    torch.set_num_threads(3)
    try:
        with pytest.raises(KeyError):
            LassoFlexNetRegressor(d_hidden=n_hidden, n_threads=asked).fit(*numbers(80, 3))
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert seen == [given]


def draws(random_state: object) -> tuple[float, float]:
    with seeded(random_state) as rng:
        return rng.random(), torch.rand(()).item()


def test_the_seed_governs_numpy_and_torch():
    assert draws(3) == draws(3)
    here, there = draws(3), draws(4)
    assert here[0] != there[0]
    assert here[1] != there[1]


def test_numpy_and_torch_draw_different_numbers():
    first, second = draws(0)
    assert first != pytest.approx(second)


def test_without_a_seed_every_draw_differs():
    assert draws(None) != draws(None)


def test_a_random_state_instance_moves_on():
    state = np.random.RandomState(0)
    first = draws(state)
    assert first != draws(state)
    assert first == draws(np.random.RandomState(0))


@pytest.mark.parametrize("random_state", [None, 0])
def test_global_states_are_left_alone(random_state):
    numpy_before, python_before = np.random.get_state(), random.getstate()  # noqa: NPY002
    torch_before = torch.get_rng_state()
    draws(random_state)
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_before[1])  # noqa: NPY002
    assert np.random.get_state()[2:] == numpy_before[2:]  # noqa: NPY002
    assert random.getstate() == python_before
    assert torch.equal(torch.get_rng_state(), torch_before)


def test_global_states_are_put_back_after_an_error():
    before = torch.get_rng_state()
    with pytest.raises(KeyError), seeded(0):
        raise KeyError
    assert torch.equal(torch.get_rng_state(), before)


TRIM, MMAP = -1, -3


class Library:
    """Stands in for the C library and writes down what is asked of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, ...]] = []

    def mallopt(self, what: int, value: int) -> None:
        self.calls.append((what, value))

    def malloc_trim(self, pad: int) -> None:
        self.calls.append((pad,))


def test_memory_is_kept_during_a_fit_and_handed_back_even_after_an_error(monkeypatch):
    library = Library()
    monkeypatch.setattr(execution, "_glibc", lambda: library)

    def fail() -> None:
        with execution.kept_memory():
            assert library.calls == [(MMAP, 32 << 20), (TRIM, 1 << 30)]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert library.calls[2:] == [(TRIM, 1 << 20), (0,)]


def test_other_c_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(execution.sys, "platform", "darwin")
    with execution.kept_memory():
        assert execution._glibc() is None
