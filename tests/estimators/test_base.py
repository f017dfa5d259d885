"""What a fit leaves behind: selection, importances, path, history."""

import numpy as np
import pytest

from lassoflexnet.exceptions import InvalidInput, SchemaMismatch
from lassoflexnet.training import ScreeningReport
from lassoflexnet.training.data import TELLING_ROWS
from tests.estimators.makers import (
    QUICK,
    TASKS,
    classifier,
    estimator_for,
    labelled,
    mixed,
    mixed_target,
    numbers,
    outputs,
    regressor,
)


@pytest.fixture(scope="module", params=TASKS)
def fitted(request):
    frame = mixed()
    y = mixed_target(frame, request.param)
    return estimator_for(request.param, n_lambdas=6, selection=4).fit(frame, y), frame, y


def test_some_columns_are_kept_and_some_removed(fitted):
    model, frame, _ = fitted
    assert 1 <= model.n_selected_ <= 4
    assert model.n_features_in_ == frame.shape[1] == 9


def test_selection_is_told_in_three_ways_that_agree(fitted):
    model, frame, _ = fitted
    assert model.support_.dtype == bool
    assert model.support_.shape == (9,)
    assert model.support_.sum() == model.n_selected_
    assert model.selected_features_.tolist() == frame.columns[model.support_].tolist()
    assert model.feature_names_in_.tolist() == frame.columns.tolist()


def test_importances_are_shares_and_zero_for_removed_columns(fitted):
    importances = fitted[0].feature_importances_
    assert np.isfinite(importances).all()
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1)
    assert (importances[~fitted[0].support_] == 0).all()
    assert importances[fitted[0].support_].any()


def test_importances_find_the_column_that_matters_most(fitted):
    model, frame, _ = fitted
    assert frame.columns[model.feature_importances_.argmax()] == "size"
    assert (model.feature_importances_ == model.feature_importances_.max()).sum() == 1


def test_skip_weights_are_zero_for_removed_columns_and_only_these(fitted):
    model, _, y = fitted
    n_classes = len(set(y)) if hasattr(model, "classes_") else 1
    assert model.skip_weights_.shape == ((9, n_classes) if n_classes > 2 else (9,))
    is_zero = model.skip_weights_.reshape(9, -1).any(axis=1) == 0
    np.testing.assert_array_equal(is_zero, ~model.support_)


def test_the_path_goes_from_all_columns_to_none(fitted):
    path = fitted[0].path_.to_frame()
    expected = ["lambda", "n_features", "validation_loss", "n_epochs", "seconds"]
    judged = path.pop("cross_fitted_loss")
    assert path.columns.tolist() == expected
    assert path["n_features"].iloc[0] == 8  # all but the constant one
    assert path["n_features"].iloc[-1] == 0
    assert (path["n_features"].diff().dropna() <= 0).all()
    assert path["lambda"].iloc[0] == 0
    assert (path["lambda"].diff().dropna() > 0).all()
    assert np.isfinite(path.to_numpy(dtype=float)).all()
    few = path["n_features"] <= 4  # as many as were asked for
    assert judged[~few].isna().all()
    assert judged[few].notna().any()


def test_the_path_speaks_of_the_columns_of_the_table(fitted):
    model, frame, _ = fitted
    same = frame.columns.get_loc("same")
    for point, norms in zip(model.path_.points, model.path_.norms(), strict=True):
        assert same not in point.features
        assert set(np.flatnonzero(norms)) == set(point.features)
        assert point.snapshot is None  # networks are not kept along


def test_the_kept_lambda_is_on_the_path_with_the_kept_columns(fitted):
    model = fitted[0]
    (point,) = (p for p in model.path_.points if p.lam == model.lambda_)
    np.testing.assert_array_equal(np.flatnonzero(model.support_), point.features)


def test_the_history_has_a_row_per_epoch(fitted):
    model = fitted[0]
    history, path = model.history_.to_frame(), model.path_.to_frame()
    assert model.n_iter_ == len(history)
    on_path = history[history["stage"].isin(["dense", "path"])]
    assert len(on_path) == path["n_epochs"].sum()
    assert {"dense", "path", "fold"} <= set(history["stage"])


def test_scores_are_good_enough_to_mean_something(fitted):
    model, frame, y = fitted
    assert model.score(frame, y) > 0.55


def validation_loss(model, X, y) -> float:
    """Training loss of the model's predictions, in the unit of the path."""
    if hasattr(model, "classes_"):
        at = np.searchsorted(model.classes_, y)
        return -np.log(model.predict_proba(X)[np.arange(len(y)), at]).mean()
    return ((model.predict(X) - y) ** 2).mean()


def kept_and_dense_loss(task, **settings) -> tuple[float, float]:
    """On as many given rows as can tell."""
    frame = mixed(80 + TELLING_ROWS)
    y = mixed_target(frame, task)
    if task == "regression":
        y = (y - y[:80].mean()) / y[:80].std()
    model = estimator_for(task, lambda_end=1.0, **settings)
    model.fit(frame[:80], y[:80], eval_set=(frame[80:], y[80:]))
    kept = validation_loss(model, frame[80:], y[80:])
    return kept, model.path_.points[0].validation_loss


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("settings", [{"n_members": 1}, {"refit": False}])
@pytest.mark.parametrize("selection", ["one_standard_error", "best"])
def test_one_network_is_not_worse_on_validation_than_the_dense_one(task, settings, selection):
    kept, dense = kept_and_dense_loss(task, selection=selection, **settings)
    assert kept <= dense * (1 + 1e-5)


@pytest.mark.parametrize("task", TASKS)
def test_the_loss_on_the_path_is_that_of_the_predictions(task):
    kept, dense = kept_and_dense_loss(task, n_lambdas=0, n_members=1)
    assert kept == pytest.approx(dense, rel=1e-5)


def test_a_model_without_columns_is_warned_of():
    X, y = numbers(60)
    with pytest.warns(UserWarning, match="predicts a constant.*raise `n_lambdas`"):
        model = regressor(n_lambdas=1, lambda_start=1e6, selection=1).fit(X, y)
    assert model.n_selected_ == 0
    assert len(np.unique(model.predict(X))) == 1


def test_without_a_path_the_dense_model_is_kept():
    X, y = numbers(60)
    model = regressor(n_lambdas=0).fit(X, y)
    assert model.lambda_ == 0
    assert model.support_.all()
    assert len(model.path_.points) == 1
    with pytest.raises(AttributeError):
        _ = model.feature_names_in_


def test_at_most_no_column_is_a_constant():
    X, y = numbers(60)
    model = regressor(selection=0).fit(X, y)
    assert model.n_selected_ == 0
    assert model.selected_features_.size == 0
    assert model.feature_importances_.tolist() == [0] * 5
    assert model.skip_weights_.tolist() == [0] * 5
    assert len(set(model.predict(X))) == 1


def test_a_second_fit_forgets_the_names_of_the_first():
    frame = mixed(60)
    model = regressor(max_epochs=1, n_lambdas=0).fit(frame, mixed_target(frame, "regression"))
    X, y = numbers(60)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 5
    assert model.selected_features_.tolist() == [f"x{j}" for j in range(5)]


def test_predictions_do_not_depend_on_the_rows_beside(fitted):
    model, frame, _ = fitted
    together = outputs(model, frame)
    for at in (0, 7, 50):
        np.testing.assert_allclose(outputs(model, frame[at : at + 1]), together[[at]], rtol=1e-12)


def test_predict_leaves_the_table_and_the_model_alone(fitted):
    model, frame, _ = fitted
    copy, attributes = frame.copy(), list(vars(model))
    first = outputs(model, frame)
    np.testing.assert_array_equal(outputs(model, frame), first)
    assert frame.equals(copy)
    assert list(vars(model)) == attributes


def test_an_unknown_metric_lists_the_known_ones():
    X, y = numbers(30)
    with pytest.raises(InvalidInput, match=r"`eval_metric` is 'auc'. Use None or .*'mse', 'mae'"):
        regressor(eval_metric="auc").fit(X, y)
    with pytest.raises(InvalidInput, match=r"`eval_metric` is 'mse'.*'log_loss', 'error', 'brier'"):
        classifier(eval_metric="mse").fit(*labelled(30))


def test_verbose_tells_what_was_read_and_what_was_kept(capsys):
    frame = mixed(60)
    y = mixed_target(frame, "regression")
    model = regressor(verbose=2, max_epochs=2, n_lambdas=2).fit(frame, y)
    said = capsys.readouterr().out
    assert "51 training and 9 validation rows, 9 columns, 1 of them constant or empty" in said
    assert "sizes by the number of rows: dropout 0.3, embedding_dropout 0.15\n" in said
    assert "default recipe, table.numeric.n_bins 8, " in said
    assert "backbone.d_hidden 16, " in said
    assert "plan.optimizer.learning_rate 0.03, " in said
    assert f"{model.n_selected_} columns" in said
    assert said.count("] worth of each column") == 1
    assert said.count(" epoch ") == model.n_iter_
    regressor(verbose=1, n_bins="auto", max_epochs=1, n_lambdas=0).fit(frame, y)
    said = capsys.readouterr().out
    assert "sizes by the number of rows: n_bins 4, " in said
    assert "recipe" not in said


def test_verbose_names_other_parts(capsys):
    X, y = numbers(30)
    quiet = {"verbose": 2, "max_epochs": 1, "n_lambdas": 0}
    regressor(backbone="mixer", binning="tree", **quiet).fit(X, y)
    assert "table.numeric.bins TreeBins(" in capsys.readouterr().out


def test_verbose_tells_of_folded_categories(capsys):
    X = np.array([[f"town {i}" if i < 100 else "Ulm"] for i in range(300)], dtype=object)
    regressor(verbose=1, max_epochs=1, n_lambdas=0).fit(X, np.arange(300.0))
    assert "column `x0`: 8" in capsys.readouterr().out


def test_a_column_that_is_gone_or_has_changed_is_named(fitted):
    model, frame, _ = fitted
    with pytest.raises(SchemaMismatch, match="`town`"):
        model.predict(frame.drop(columns="town"))
    with pytest.raises(SchemaMismatch, match=r"column `size` was numeric .* holds text"):
        model.predict(frame.assign(size="large"))


def test_report_of_screening_counts_all_columns(capsys):
    X, y = numbers(60)
    X = np.column_stack([np.ones(60), X])
    model = regressor(**{**QUICK, "verbose": 1}, screening=2).fit(X, y)
    said = capsys.readouterr().out
    assert said.index("screening: 2 of 5 columns enter") < said.index("left out explain more")
    assert (model.screening_.n_features, model.screening_.n_entered) == (6, 2)
    report = ScreeningReport(5, 2, (0, 3)).renumbered(np.arange(1, 6), 6)
    assert (report.n_features, report.recalled) == (6, (1, 4))
    assert regressor(**QUICK).fit(X, y).screening_ is None
