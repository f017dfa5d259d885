"""Refits of few columns, where the dense stage cannot be beaten."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from lassoflexnet.training import (
    AtMost,
    FitResult,
    Members,
    PathPoint,
    StageSettings,
    Trainer,
)
from tests.training.makers import objective
from tests.training.test_fit import DATA, OFF, STAGE, TINY, fit, kept_loss


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


@dataclass(frozen=True)
class Sparsest:
    """Likes the sparsest point that has a column, whatever its error."""

    cross_fitted: ClassVar[bool] = True

    def eligible(self, points):
        return points

    def __call__(self, points, weight, constant):
        return sorted((p for p in points if p.n_features), key=lambda p: p.n_features)


def outdone(choice) -> FitResult:
    """A fit whose new networks cannot be as good as its dense stage."""
    members = Members(2, StageSettings(max_epochs=1, batch_size=64))
    long = replace(STAGE, max_epochs=40, patience=40)
    return fit(replace(TINY, dense=long, choice=choice, ending=members))


def test_new_networks_that_are_worse_than_the_dense_stage_do_not_replace_it(monkeypatch):
    result = outdone(Sparsest())
    assert result.point.lam == 0
    assert result.validation_loss <= result.dense.validation_loss
    monkeypatch.setattr("lassoflexnet.training.data.TELLING_ROWS", DATA.validation.n_rows + 1)
    assert outdone(Sparsest()).point.n_features < result.point.n_features, "few rows cannot tell"


def test_a_number_of_columns_that_was_asked_for_is_kept_to():
    assert outdone(AtMost(2)).point.n_features <= 2
