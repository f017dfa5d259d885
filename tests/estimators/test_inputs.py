"""Forms and lengths of weights and validation rows."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.estimators.inputs import check_lengths, naming, read_eval_set, read_weights
from lassoflexnet.exceptions import InvalidInput, SchemaMismatch


@pytest.mark.parametrize(
    "weight", [[1, 2, 0], np.array([1.0, 2.0, 0.0]), pd.Series([1, 2, 0], index=[5, 6, 7])]
)
def test_weights_of_any_make(weight):
    read = read_weights(weight, 3)
    assert read.dtype == np.float64
    assert read.tolist() == [1, 2, 0]


def test_no_weights_and_one_weight():
    assert read_weights(None, 3).tolist() == [1, 1, 1]
    assert read_weights(2.0, 3).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, -2], "negative values .first at row 1."),
        ([0, 0, 0], "zero for every row"),
        (0, "zero for every row"),
        ([1, np.nan, 1], "NaN or infinity"),
        ([1, np.inf, 1], "NaN or infinity"),
        ([1, 1], "X has 3 rows and `sample_weight` has 2"),
        ([[1], [1], [1]], "2 dimensions"),
        (["a", "b", "c"], "not numeric"),
        ("balanced", "not numeric"),
    ],
)
def test_weights_that_cannot_be_used(weight, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        read_weights(weight, 3)
    assert "`sample_weight`" in str(caught.value)


def test_forms_of_an_eval_set():
    assert read_eval_set(("X", "y")) == ("X", "y", None)
    assert read_eval_set(("X", "y", "w")) == ("X", "y", "w")
    assert read_eval_set([("X", "y")]) == ("X", "y", None)


@pytest.mark.parametrize(
    ("eval_set", "found"),
    [
        (("X",), "tuple of length 1"),
        (("X", "y", "w", "?"), "tuple of length 4"),
        (["X", "y"], "list of length 2"),
        ([("X", "y"), ("X", "y")], "list of length 2"),
        ([], "list of length 0"),
        (np.zeros((2, 2)), "ndarray of length 2"),
        (7, "int"),
    ],
)
def test_other_forms_are_refused(eval_set, found):
    with pytest.raises(InvalidInput, match=f"it is a {found}. Use a tuple"):
        read_eval_set(eval_set)


def test_lengths():
    check_lengths(3, 3, "y")
    with pytest.raises(InvalidInput, match="X has 3 rows and `y` has 2"):
        check_lengths(3, 2, "y")


@pytest.mark.parametrize("kind", [InvalidInput, SchemaMismatch])
def test_errors_say_what_was_being_read(kind):
    with pytest.raises(kind, match="`eval_set`: X is odd") as caught, naming("eval_set"):
        raise kind("X is odd")
    assert type(caught.value) is kind


def test_other_errors_pass():
    with pytest.raises(KeyError, match=r"^'odd'$"), naming("eval_set"):
        raise KeyError("odd")
