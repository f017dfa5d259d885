"""The argument ``categorical_features`` in all its forms."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table.declared import declared_categorical

NAMES = ("age", "zip", "town")


@pytest.mark.parametrize(
    "given",
    [
        ["zip"],
        ("zip",),
        np.array(["zip"]),
        pd.Index(["zip"]),
        [1],
        np.array([1, 1], np.uint8),
        [False, True, False],
        np.array([False, True, False]),
    ],
    ids=repr,
)
def test_forms(given):
    assert declared_categorical(given, NAMES, 3).tolist() == [False, True, False]


@pytest.mark.parametrize("given", ["auto", [], np.array([], bool)], ids=repr)
def test_none_declared(given):
    assert declared_categorical(given, NAMES, 3).tolist() == [False, False, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["zip", "street"], "names `street`, and X has no such column. Choose among `age`, `zip`"),
        ([0, 3], "holds index 3, and X has 3 columns. Use indices from 0 to 2"),
        ([-1], "holds index -1"),
        ([True, False], "is a mask of length 2, and X has 3 columns"),
        ("zip", "is 'zip'; it may be \"auto\", a list of column names"),
        (None, "is None; it may be"),
        ([0.5], "holds float64; it may be"),
        ([[0]], r"is \[\[0\]\]; it may be"),
    ],
    ids=str,
)
def test_refused(given, message):
    with pytest.raises(InvalidInput, match="`categorical_features` " + message):
        declared_categorical(given, NAMES, 3)


def test_names_need_names():
    with pytest.raises(InvalidInput, match=r"columns of X have none\. Pass indices or a mask"):
        declared_categorical(["zip"], None, 3)
    assert declared_categorical([2], None, 3).tolist() == [False, False, True]
