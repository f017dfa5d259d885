"""From what the user gives to coded rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch

from lassoflexnet.estimators.reading import Job, Reader
from lassoflexnet.estimators.targets import Labels, Numbers
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.recipe import Recipe
from tests.estimators.makers import labelled, mixed, mixed_target, numbers


def read(X, y, sample_weight=None, eval_set=None, **settings) -> Job:
    reader = Reader(
        **{
            "target": Numbers(),
            "recipe": lambda _: Recipe(),
            "validation_fraction": 0.25,
            "categorical_features": "auto",
            "device": torch.device("cpu"),
            **settings,
        }
    )
    return reader.read(X, y, sample_weight, eval_set, np.random.default_rng(0))


def test_rows_are_split_and_none_is_lost():
    X, y = numbers(80)
    job = read(X, y)
    train, held = job.data.train, job.data.validation
    assert (train.n_rows, held.n_rows) == (60, 20)
    back = job.target.decode(torch.cat([train.target, held.target])[:, None])
    np.testing.assert_allclose(np.sort(back), np.sort(y), rtol=1e-5, atol=1e-6)


def test_the_target_is_standardised_on_the_training_rows_alone():
    train = read(*numbers(80)).data.train.target
    assert train.mean().item() == pytest.approx(0, abs=1e-6)
    assert train.std(correction=0).item() == pytest.approx(1, abs=1e-5)


def test_the_split_is_stratified_for_labels():
    X, _ = numbers(80)
    y = np.repeat(["rare", "common"], [8, 72])
    data = read(X, y, target=Labels()).data
    assert [int((rows.target == 1).sum()) for rows in (data.train, data.validation)] == [6, 2]


def test_an_eval_set_leaves_all_rows_to_train():
    X, y = numbers(80)
    data = read(X[:60], y[:60], eval_set=(X[60:], y[60:])).data
    assert (data.train.n_rows, data.validation.n_rows) == (60, 20)


def test_the_recipe_is_asked_for_the_training_rows():
    X, y = numbers(80)
    asked = []

    def recipe(n_rows: int) -> Recipe:
        asked.append(n_rows)
        return Recipe()

    read(X, y, np.arange(80) % 2, recipe=recipe)
    assert asked == [30]


def test_only_columns_that_vary_go_to_the_network():
    frame = mixed()
    job = read(frame, mixed_target(frame, "regression"))
    names = np.array(job.table.schema.names)[job.columns]
    assert names.tolist() == [name for name in frame.columns if name != "same"]
    assert job.data.layout.n_features == len(names)


def test_weights_average_one_and_keep_their_ratios():
    X, y = numbers(80)
    weight = np.where(np.arange(80) < 40, 3.0, 1.0)
    data = read(X[:60], y[:60], weight[:60], (X[60:], y[60:], weight[20:40])).data
    assert data.train.weight.mean().item() == pytest.approx(1)
    assert data.train.weight.max().item() / data.train.weight.min().item() == pytest.approx(3)
    assert data.validation.weight.tolist() == [1.0] * 20


def test_class_weights_come_from_the_training_rows_and_hold_for_validation():
    X, _ = numbers(80)
    y = np.repeat([0, 1], [10, 50])
    y_val = np.repeat([0, 1], [10, 10])
    labels = Labels("balanced")
    data = read(X[:60], y, eval_set=(X[60:], y_val), target=labels).data
    for rows in (data.train, data.validation):
        of_class = [rows.weight[rows.target == number].unique() for number in (0, 1)]
        assert (of_class[0] / of_class[1]).item() == pytest.approx(5)


def test_rows_without_weight_do_not_count_as_a_class_of_their_own():
    X, y = labelled(40)
    weight = np.where(y == "high", 1.0, 0.0)
    with pytest.raises(InvalidInput, match=r"only one class, 'high' .*`sample_weight`"):
        read(X, y, weight, target=Labels())


def test_classes_of_one_row_each_cannot_be_split():
    with pytest.raises(InvalidInput, match=r"3 classes of one row each.*`eval_set`"):
        read(np.eye(3), ["a", "b", "c"], target=Labels())


def test_a_value_seen_only_in_rows_without_weight_leaves_a_column_constant():
    X, y = numbers(40)
    X[:, 2] = 1.0
    X[0, 2] = 5.0
    assert 2 in read(X, y).columns
    assert 2 not in read(X, y, np.arange(40) > 0).columns


def test_bins_follow_weights_only_if_these_differ():
    X, y = numbers(80)

    def edges(weight):
        return read(X, y, weight).table.columns[0][0].edges

    assert edges(None) == edges(np.ones(80)) == edges(np.full(80, 7.0))
    assert edges(None) != edges(np.where(X[:, 0] > 0, 5.0, 1.0))


@pytest.mark.parametrize(
    ("X_val", "y_val", "message"),
    [
        (np.zeros((4, 5)), np.zeros(3), "X has 4 rows and `y` has 3"),
        (np.zeros((4, 2)), np.zeros(4), "X has 2 features"),
        (np.zeros((4, 5)), [0, 1, 2, np.nan], "y contains NaN"),
        (np.full((4, 5), np.inf), np.zeros(4), "column `x0` contains infinity"),
        (np.zeros((0, 5)), [], "0 sample"),
    ],
)
def test_errors_of_the_eval_set_name_it(X_val, y_val, message):
    X, y = numbers(20)
    with pytest.raises(ValueError, match=f"^`eval_set`: .*{message}"):
        read(X, y, eval_set=(X_val, y_val))


def test_the_rows_are_not_changed():
    X, y = numbers(40)
    weight = np.linspace(0, 1, 40)
    copies = X.copy(), y.copy(), weight.copy()
    read(X, y, weight)
    for given, copy in zip((X, y, weight), copies, strict=True):
        np.testing.assert_array_equal(given, copy)


@pytest.mark.parametrize("n", [40, 64])
def test_few_training_rows_are_warned_of(n):
    with pytest.warns(UserWarning, match=f"fit has {n * 3 // 4} training rows, fewer than 50"):
        read(*numbers(n))


def test_enough_training_rows_are_not():
    X, y = numbers(50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(X, y, eval_set=(X, y))


def test_a_constant_target_is_warned_of():
    X, _ = numbers(80)
    with pytest.warns(UserWarning, match="y is 2.5 in all 60 training rows.*right column"):
        read(X, np.full(80, 2.5))


def test_text_that_reads_as_numbers_is_told_of_by_the_rows_in_use():
    X, y = (
        pd.DataFrame({"price": [*(f"{at}.5" for at in range(40)), *(40 * ["none"])]}),
        np.arange(80),
    )
    used = (np.arange(80) < 40).astype(float)
    with pytest.warns(UserWarning, match="reads as numbers .*`price`"):
        read(X, y, used)
    read(X, y)
