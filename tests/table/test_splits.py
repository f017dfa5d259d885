"""Hold-out splits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.splits import holdout

fractions = st.floats(0.01, 0.99)
class_codes = st.lists(st.integers(0, 5), min_size=2, max_size=60).map(np.array)


def split(n, fraction, y=None, seed=0):
    return holdout(n, fraction, y, rng=np.random.default_rng(seed))


@given(n=st.integers(2, 60), fraction=fractions, seed=st.integers(0, 9))
def test_two_parts_of_all_rows(n, fraction, seed):
    train, validation = split(n, fraction, seed=seed)
    assert sorted([*train, *validation]) == list(range(n))
    assert len(train) >= 1
    assert len(validation) == min(max(1, round(n * fraction)), n - 1)
    assert (np.diff(train) > 0).all()
    assert (np.diff(validation) > 0).all()


@given(y=class_codes, fraction=fractions, seed=st.integers(0, 9))
def test_classes_are_held_out_in_proportion(y, fraction, seed):
    train, validation = split(len(y), fraction, y, seed)
    assert sorted([*train, *validation]) == list(range(len(y)))
    assert len(train) >= 1
    assert len(validation) >= 1
    counts = {code: int((y == code).sum()) for code in np.unique(y)}
    if max(counts.values()) == 1:
        return
    assert set(y[train]) == set(counts)
    held_share = min(max(1, round(len(y) * fraction)), len(y) - 1) / len(y)
    for code, count in counts.items():
        held = (y[validation] == code).sum()
        assert held <= count - 1
        assert held >= int(count * held_share)


def test_exact_proportions():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    _, validation = split(100, 0.2, y)
    assert np.bincount(y[validation]).tolist() == [10, 6, 4]


def test_classes_of_one_row_train():
    y = np.array([0] * 20 + [1, 2, 3])
    train, validation = split(23, 0.3, y)
    assert {1, 2, 3} <= set(y[train])
    assert len(validation) == 7


def test_small_classes_are_chosen_by_chance():
    y = np.repeat(np.arange(40), 4)
    chosen = {tuple(y[split(160, 0.1, y, seed)[1]]) for seed in range(5)}
    assert len(chosen) == 5
    assert all(len(set(classes)) == 16 for classes in chosen)


def test_rows_within_a_class_are_chosen_by_chance():
    y = np.repeat([0, 1], 50)
    held = np.concatenate([split(100, 0.2, y, seed)[1] for seed in range(60)])
    assert set(held) == set(range(100))


@pytest.mark.parametrize("y", [None, np.arange(30) % 3])
def test_generator_decides(y):
    same = [split(30, 0.3, y, seed=4)[1].tolist() for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != split(30, 0.3, y, seed=5)[1].tolist()


def test_names_of_classes_are_not_needed():
    y = np.array(["u", "v"] * 10)
    assert (y[split(20, 0.5, y)[1]] == "u").sum() == 5


@pytest.mark.parametrize("n", [0, 1])
def test_one_row_cannot_be_split(n):
    message = rf"Found array with {n} sample\(s\) while a minimum of 2 is required"
    with pytest.raises(InvalidInput, match=message):
        split(n, 0.5)


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan")])
def test_fraction_out_of_range(fraction):
    with pytest.raises(InvalidInput, match=f"`fraction` is {fraction}. Use a number between 0 and"):
        split(10, fraction)
