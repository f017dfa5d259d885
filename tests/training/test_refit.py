"""Refits of few columns, where the dense stage cannot be beaten."""

from dataclasses import replace

import pytest

from lassoflexnet.training import AtMost, PathPoint, Trainer
from tests.training.makers import objective
from tests.training.test_fit import OFF, STAGE, TINY, fit, kept_loss


def test_refits_count_even_if_they_stay_worse_than_dense(monkeypatch: pytest.MonkeyPatch):
    dense_point = Trainer._dense_point

    def unbeatable(trainer: Trainer) -> PathPoint:
        return replace(dense_point(trainer), validation_loss=0.0)

    monkeypatch.setattr(Trainer, "_dense_point", unbeatable)
    result = fit(replace(TINY, choice=AtMost(2), relax=STAGE, refit=OFF))
    assert 0 < result.point.n_features <= 2
    assert 0.0 < kept_loss(result) < result.point.validation_loss


def test_a_single_support_is_not_compared():
    goal = objective()
    fit(replace(TINY, path=replace(TINY.path, n_lambdas=0)), goal=goal)
    assert {row.stage for row in goal.monitor.epochs} == {"dense"}
