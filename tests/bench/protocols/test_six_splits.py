"""Windows that slide in time, and their shuffled twins."""

from itertools import chain, pairwise

import numpy as np
import pytest

from lassoflexnet.bench.protocols import SixSplits
from lassoflexnet.exceptions import InvalidInput
from tests.bench.protocols.makers import numbers, rows_of

TIME = np.random.default_rng(5).permutation(200).astype(float)
TABLE = numbers(200, time=TIME)


def windows(kind, table=TABLE, **fields):
    return [rows_of(SixSplits(kind, window, **fields).split(table, 0)) for window in range(3)]


@pytest.mark.parametrize("n_test", [None, 30])
def test_windows_are_in_the_order_of_time(n_test):
    step = n_test or 20
    n_train = 200 - 4 * step
    order = np.argsort(TIME).tolist()
    for window, parts in enumerate(windows("sliding_window", test_rows=n_test)):
        first = window * step
        ends = [first, first + n_train, first + n_train + step, first + n_train + 2 * step]
        assert parts == [order[a:b] for a, b in pairwise(ends)]
    assert parts[2][-1] == order[-1]


def test_random_splits_have_the_rows_and_sizes_of_their_window():
    for ordered, shuffled in zip(windows("sliding_window"), windows("random"), strict=True):
        assert sorted(chain(*ordered)) == sorted(chain(*shuffled))
        assert [len(part) for part in ordered] == [len(part) for part in shuffled] == [120, 20, 20]
        assert min(TIME[shuffled[2]]) < np.median(TIME[ordered[0]])


def test_random_splits_are_shuffled_one_after_another():
    table = numbers(200, time=np.arange(200.0))
    np.random.seed(0)  # noqa: NPY002
    for window, found in enumerate(windows("random", table)):
        rows = np.arange(20 * window, 20 * window + 160)
        np.random.shuffle(rows)  # noqa: NPY002
        assert found == [part.tolist() for part in np.split(rows, [120, 140])]


def test_equal_times_keep_the_order_of_rows():
    table = numbers(200, time=np.repeat([1.0, 0.0], 100))
    assert windows("sliding_window", table)[0][0] == [*range(100, 200), *range(20)]


def test_the_target_keeps_its_own_units():
    split = SixSplits().split(TABLE, 0)
    np.testing.assert_array_equal(split.test.y, TABLE.y[rows_of(split)[2]])


def test_tabred_data_sets_have_windows_of_their_own():
    n_rows = 28_321
    table = numbers(n_rows, time=np.arange(n_rows))._replace(name="sberbank-housing")
    split = SixSplits(window=1).split(table, 0)
    assert [len(part.y) for part in split[:3]] == [n_rows - 18_000, 4500, 4500]


def test_splits_that_came_with_the_table_are_used():
    shipped = (np.array([3, 1]), np.array([9]), np.array([7, 8]))
    table = TABLE._replace(splits={"sliding-window-1": shipped})
    assert windows("sliding_window", table)[1] == [[3, 1], [9], [7, 8]]
    assert windows("sliding_window", table)[0] == windows("sliding_window")[0]
    assert windows("random", table) == windows("random")
    assert windows("sliding_window", table, test_rows=20) == windows("sliding_window")


@pytest.mark.parametrize("kind", ["sliding_window", "random"])
def test_a_cap_thins_the_training_rows(kind):
    for whole, some in zip(windows(kind), windows(kind, max_train_rows=30), strict=True):
        assert [len(part) for part in some] == [30, 5, 20]
        assert set(some[0]) < set(whole[0])
        assert set(some[1]) < set(whole[1])
        assert some[2] == whole[2]
        assert [row for row in whole[0] if row in some[0]] == some[0]
        assert some[0] != whole[0][-30:]


def test_tables_that_cannot_be_cut_so_are_refused():
    with pytest.raises(InvalidInput, match="`numbers` has no order in time"):
        SixSplits("random").split(numbers(), 0)
    with pytest.raises(InvalidInput, match=r"too few for windows of 50 .* `test_rows` below 50"):
        SixSplits(test_rows=50).split(TABLE, 0)
    assert len(SixSplits(test_rows=49).split(TABLE, 0).train.y) == 4
