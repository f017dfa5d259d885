"""Protocols by name: fields are checked, and the score that counts is the right one."""

import numpy as np
import pytest

from lassoflexnet.bench.protocols import PROTOCOLS, SixSplits, make_protocol
from lassoflexnet.bench.protocols.scores import score
from lassoflexnet.exceptions import InvalidInput

Y = {
    "regression": (np.arange(9.0), np.zeros(9), 0),
    "binary": (np.arange(9) % 2, np.full((9, 2), 0.5), 2),
    "multiclass": (np.arange(9) % 3, np.full((9, 3), 1 / 3), 3),
}


def test_fields_are_handed_on():
    settings = {"kind": "random", "window": 2, "max_train_rows": 100}
    assert make_protocol("six_splits", settings) == SixSplits("random", 2, None, 100)
    assert {type(make_protocol(name)) for name in PROTOCOLS} == set(PROTOCOLS.values())


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("tabzila", {}, "'tabzila' is not known. Use one of: tabzilla,"),
        ("tabzilla", {"folds": 1}, "field of protocol `tabzilla` 'folds'.*: fold, "),
        ("hold_out", {"scores": {}}, "'scores' is not known. Use one of: share,"),
        ("hold_out", {"added": "noise"}, "'noise' is not known. Use one of: none,"),
        ("hold_out", {"added": "random", "share": 1.5}, "`share` is 1.5"),
        ("tabzilla", {"fold": 10}, "`fold` is 10. Use a whole number from 0 to 9"),
        ("tabzilla", {"fold": "1"}, "`fold` is '1'"),
        ("tabzilla", {"max_train_rows": 0}, "`max_train_rows` is 0. Use a whole number from 1"),
        ("hold_out", {"max_train_rows": 2.5}, "`max_train_rows` is 2.5"),
        ("hold_out", {"max_train_rows": True}, "`max_train_rows` is True"),
        ("six_splits", {"kind": "sliding"}, "'sliding' is not known. Use one of: sliding_window,"),
        ("six_splits", {"window": 3}, "`window` is 3. Use a whole number from 0 to 2"),
        ("six_splits", {"test_rows": -1}, "`test_rows` is -1"),
        ("feature_selection", {"added": "corupted"}, "Use one of: corrupted,"),
        ("feature_selection", {"share": 1.0}, "`share` is 1.0. Use a number from 0 to below 1"),
        ("feature_selection", {"share": "half"}, "`share` is 'half'"),
    ],
)
def test_bad_names_and_values_are_refused(name, settings, told):
    with pytest.raises(InvalidInput, match=told):
        make_protocol(name, settings)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("feature_selection", ["rmse", "roc_auc", "accuracy"]),
        ("tabzilla", ["rmse", "log_loss", "log_loss"]),
        ("six_splits", ["rmse", "roc_auc", "log_loss"]),
        ("hold_out", ["rmse", "log_loss", "log_loss"]),
    ],
)
def test_the_score_that_counts(name, expected):
    protocol = make_protocol(name)
    for (task, (y, predictions, n_classes)), wanted in zip(Y.items(), expected, strict=True):
        headline = protocol.headline(score(y, predictions, task, n_classes))
        assert headline == protocol.scores[task]
        assert headline.name == wanted
        assert headline.higher_is_better is (wanted in ("roc_auc", "accuracy"))
