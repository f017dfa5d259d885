"""Ten folds: one to test on, the next to validate on."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from lassoflexnet.bench.protocols import TabZilla
from lassoflexnet.exceptions import InvalidInput
from tests.bench.protocols.makers import assert_cut, classes, numbers, rows_of

TABLES = [
    *(classes([130, 70]), classes([100, 60, 43]), numbers(107)),
    *(classes([60, 5, 1]), classes([3] * 20), classes([9, 2])),
]


@pytest.mark.parametrize("table", TABLES)
def test_every_row_is_tested_and_validated_once(table):
    splits = [TabZilla(fold).split(table, seed=fold) for fold in range(10)]
    for split in splits:
        assert_cut(table, split)
    assert sorted(row for split in splits for row in rows_of(split)[2]) == list(range(len(table.y)))
    for fold, split in enumerate(splits):
        assert rows_of(split)[1] == rows_of(splits[(fold + 1) % 10])[2]


def test_folds_are_stratified_by_seed_0():
    table = classes([100, 60, 43])
    cut = StratifiedKFold(10, shuffle=True, random_state=0).split(np.zeros(203), table.y)
    expected = [rows.tolist() for _, rows in cut]
    for fold in range(10):
        split = TabZilla(fold).split(table, seed=5)
        assert rows_of(split)[2] == expected[fold]
        assert np.bincount(split.test.y)[:2].tolist() == [10, 6]


def test_a_cap_and_a_numeric_target():
    table = numbers(100)
    split = TabZilla(3, max_train_rows=40).split(table, 0)
    assert [len(part.y) for part in split[:3]] == [40, 5, 10]
    train = rows_of(TabZilla(3).split(table, 0))[0]
    expected = (table.y[rows_of(split)[2]] - table.y[train].mean()) / table.y[train].std()
    np.testing.assert_allclose(split.test.y, expected, rtol=1e-9)


def test_too_few_rows_are_refused():
    with pytest.raises(InvalidInput, match="`numbers` has 9 rows; 10 folds need as many"):
        TabZilla().split(numbers(9), 0)
