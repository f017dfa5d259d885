"""Watching a fit epoch by epoch, and ending it."""

import math

import pytest
from sklearn.exceptions import NotFittedError

from lassoflexnet.training.history import Epoch, Monitor, watched
from tests.estimators.makers import QUICK, numbers, regressor

ROW = Epoch("dense", 0.0, 1, 0.9, 0.8, 0.7, 5, 1e-3, 0.1)


class Enough(Exception):
    """Raised by a watcher."""


def ends_after(n: int):
    seen = []

    def on_epoch(epoch):
        seen.append(epoch)
        if len(seen) == n:
            raise Enough

    return seen, on_epoch


def test_monitors_tell_the_watcher_around_them_alone():
    outer, inner = [], []
    with watched(outer.append):
        with watched(inner.append):
            Monitor().epoch(ROW)
        monitor = Monitor()
        monitor.epoch(ROW)
    monitor.epoch(ROW)
    Monitor().epoch(ROW)
    assert inner == [ROW]
    assert outer == [ROW, ROW]


def test_fit_tells_every_epoch_and_is_not_changed_by_it():
    X, y = numbers(60, 3)
    seen = []
    with watched(seen.append):
        model = regressor(**QUICK).fit(X, y)
    assert tuple(seen) == model.history_.epochs
    assert any(math.isfinite(epoch.validation_loss) for epoch in seen)
    alone = regressor(**QUICK).fit(X, y)
    assert (alone.predict(X) == model.predict(X)).all()


def test_fit_that_is_ended_leaves_the_estimator_as_it_was():
    X, y = numbers(60, 3)
    model = regressor(**QUICK)
    for n in (1, 3):
        seen, on_epoch = ends_after(n)
        with watched(on_epoch), pytest.raises(Enough):
            model.fit(X, y)
        assert len(seen) == n
        with pytest.raises(NotFittedError):
            model.predict(X)
    before = model.fit(X, y).predict(X)
    with watched(ends_after(2)[1]), pytest.raises(Enough):
        model.fit(X, -y)
    assert (model.predict(X) == before).all()
