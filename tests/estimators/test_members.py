"""Several networks behind one estimator: as any other, only averaged."""

import pickle

import numpy as np
import pytest
import torch

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn.stacked import Stacked
from lassoflexnet.training.knockout import Knockout
from tests.estimators.makers import (
    SMALL,
    TASKS,
    estimator_for,
    mixed,
    mixed_target,
    numbers,
    outputs,
)

N = 90


def fitted(task: str, **settings):
    table = mixed(N)
    return estimator_for(task, n_members=3, **settings).fit(table, mixed_target(table, task)), table


@pytest.mark.parametrize("task", TASKS)
def test_predictions_are_of_all_members_and_pickled_with_the_model(task: str):
    model, table = fitted(task)
    assert isinstance(model._network, Stacked)
    assert model._network.n_members == 3
    expected = outputs(model, table)
    np.testing.assert_array_equal(outputs(pickle.loads(pickle.dumps(model)), table), expected)
    again, _ = fitted(task)
    np.testing.assert_array_equal(outputs(again, table), expected)


def test_a_row_is_predicted_alone_as_among_others():
    model, table = fitted("regression")
    alone = np.concatenate([model.predict(table.iloc[[i]]) for i in range(5)])
    np.testing.assert_allclose(alone, model.predict(table)[:5], rtol=1e-9)


def test_history_tells_members_apart():
    model, _ = fitted("binary")
    stages = [row.stage for row in model.history_.epochs]
    assert {"member 1", "member 2", "member 3"} <= set(stages)
    assert "member 4" not in stages


def test_importances_are_the_mean_over_members_on_rows_of_all_targets(monkeypatch):
    seen = []

    def knocked_out(network, rows, loss):
        seen.append(rows)
        rise = torch.zeros(network.layout.n_features)
        rise[len(seen) % 2] = 1.0
        return Knockout(rise, rise, rise)

    monkeypatch.setattr("lassoflexnet.estimators._base.knock_out", knocked_out)
    monkeypatch.setattr("lassoflexnet.estimators._base.MAX_ROWS", 12)
    table = mixed(240)
    y = mixed_target(table, "regression")
    model = estimator_for("regression", n_members=3, selection="best", n_lambdas=0).fit(table, y)
    assert sorted(model.feature_importances_[model.support_])[-2:] == pytest.approx([1 / 3, 2 / 3])
    assert [rows.n_rows for rows in seen] == [4, 4, 4]
    for rows in seen:
        assert rows.target.min() < 0 < rows.target.max()


def test_skip_weights_are_sizes():
    model, _ = fitted("regression", selection=2)
    assert (model.skip_weights_[model.support_] > 0).all()
    assert (model.skip_weights_[~model.support_] == 0).all()


@pytest.mark.parametrize("metric", ["error", None])
def test_validation_loss_is_that_of_the_metric_on_given_rows(metric):
    X, y = numbers(120, 3)
    labels = (y > 0).astype(int)
    model = LassoFlexNetClassifier(**SMALL, n_members=3, eval_metric=metric, n_threads=1)
    model.fit(X[:80], labels[:80], eval_set=(X[80:], labels[80:]))
    p = model.predict_proba(X[80:])[np.arange(40), labels[80:]]
    expected = np.mean(p < 0.5) if metric else -np.log(p).mean()
    assert model.validation_loss_ == pytest.approx(expected, abs=1e-4)


def test_weights_count_alike_in_rows_trained_on_and_rows_held_out():
    X, y = numbers(100, 2)
    weight = np.ones(100)
    weight[:3] = 2000.0
    seen = []
    forward = LassoFlexNetRegressor._keep

    class Noting(LassoFlexNetRegressor):
        def _keep(self, job, *rest):
            seen.append(job.data.joined().train.weight)
            forward(self, job, *rest)

    Noting(**SMALL).fit(X, y, sample_weight=weight)
    values = seen[0].unique()
    assert len(values) == 2
    assert values[1] / values[0] == pytest.approx(2000, rel=1e-4)


def test_mixers_are_averaged_too():
    model, table = fitted("regression", backbone="mixer")
    codes = next(iter(model._table.blocks(table, model._features)))
    with torch.no_grad():
        each = [member(codes) for member in model._network.members]
    torch.testing.assert_close(model._network(codes), sum(each) / 3)


def test_members_need_a_refit():
    X, y = numbers(60, 2)
    with pytest.raises(InvalidInput, match="`n_members` is 2 and `refit` is False"):
        LassoFlexNetRegressor(n_members=2, refit=False).fit(X, y)


def test_seven_rows_are_enough():
    X, y = numbers(7, 2)
    with pytest.warns(UserWarning, match="training rows"):
        model = LassoFlexNetRegressor(**SMALL, n_members=8).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
