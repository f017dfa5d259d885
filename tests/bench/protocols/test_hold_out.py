"""Splits of 65, 15 and 20 %: by seed 0 for feature selection, by the run's seed otherwise."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from lassoflexnet.bench.protocols import FeatureSelection, HoldOut
from tests.bench.protocols.makers import assert_cut, classes, numbers, rows_of

BOTH = [FeatureSelection(), HoldOut()]


@pytest.mark.parametrize("protocol", BOTH)
@pytest.mark.parametrize("table", [numbers(), classes([130, 70]), classes([100, 60, 40])])
def test_parts_are_65_15_20_and_cover(protocol, table):
    split = protocol.split(table, 0)
    assert_cut(table, split)
    assert [len(part.y) for part in split[:3]] == [130, 30, 40]
    assert (split.task, split.n_classes, split.real) == (table.task, table.n_classes, ())


@pytest.mark.parametrize("protocol", BOTH)
def test_classes_have_their_shares_in_every_part(protocol):
    split = protocol.split(classes([100, 60, 40]), 0)
    for part, total in zip(split[:3], (130, 30, 40), strict=True):
        expected = np.array([100, 60, 40]) * total / 200
        assert np.abs(np.bincount(part.y) - expected).max() <= 1


@pytest.mark.parametrize("protocol", BOTH)
@pytest.mark.parametrize(
    "counts", [[60, 1], [60, 40, 3, 1], [60, 12, 4, 4, 4], [3] * 10, [2, 2], [40, 9]]
)
def test_rare_classes_do_no_harm(protocol, counts):
    table = classes(counts)
    for seed in range(5):
        assert_cut(table, protocol.split(table, seed))


def test_the_runs_seed_splits_a_hold_out_only():
    table = numbers()
    fixed, free = ([rows_of(p.split(table, seed)) for seed in (0, 0, 1)] for p in BOTH)
    assert fixed[0] == fixed[1] == fixed[2]
    assert free[0] == free[1] != free[2]
    assert fixed[0] == free[0]


@pytest.mark.parametrize("protocol", BOTH)
def test_a_numeric_target_is_in_units_of_the_training_rows(protocol):
    table = numbers()
    split = protocol.split(table, 3)
    parts = rows_of(split)
    mean = sum(table.y[i] for i in parts[0]) / 130
    spread = (sum((table.y[i] - mean) ** 2 for i in parts[0]) / 130) ** 0.5
    for rows, part in zip(parts, split[:3], strict=True):
        np.testing.assert_allclose(part.y, (table.y[rows] - mean) / spread, rtol=1e-9)
    assert abs(split.test.y.mean()) > 1e-6  # by the training rows, not by their own


@pytest.mark.parametrize("protocol", [FeatureSelection, HoldOut])
@pytest.mark.parametrize("table", [numbers(), classes([130, 70])])
def test_a_cap_takes_some_of_the_rows_and_leaves_unit_and_test(protocol, table):
    whole, capped = (protocol(max_train_rows=cap).split(table, 0) for cap in (None, 52))
    assert [len(part.y) for part in capped[:3]] == [52, 12, 40]
    for big, small in zip(whole[:3], capped[:3], strict=True):
        target = dict(zip(big.X["row"], big.y, strict=True))
        assert [target[row] for row in small.X["row"]] == small.y.tolist()
    assert rows_of(whole)[2] == rows_of(capped)[2]
    assert rows_of(whole)[0][:52] != rows_of(capped)[0]
    again = protocol(max_train_rows=52).split(table, 0)
    assert rows_of(again) == rows_of(capped)
    assert rows_of(protocol(max_train_rows=130).split(table, 0)) == rows_of(whole)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.75])
def test_split_and_noise_are_those_of_the_published_table(share):
    table = numbers(331)
    n_noise = {0.0: 0, 0.5: 2, 0.75: 6}[share]
    noise = np.random.RandomState(0).standard_normal((331, n_noise))
    X = np.column_stack([table.X, noise])
    rest, test = train_test_split(np.arange(331), test_size=0.2, random_state=0)
    train, validation = train_test_split(rest, test_size=0.15 / 0.8, random_state=0)
    mean, unit = table.y[train].mean(), table.y[train].std()
    split = FeatureSelection("random", share).split(table, 0)
    for rows, part in zip((train, validation, test), split, strict=False):
        np.testing.assert_array_equal(part.X, X[rows])
        np.testing.assert_allclose(part.y, (table.y[rows] - mean) / unit, rtol=1e-9)
    assert split.real == (("row", "x") if share else ())


@pytest.mark.parametrize("kind", ["random", "corrupted", "secondorder"])
def test_columns_are_added_to_the_whole_table(kind):
    table = numbers()
    whole, capped = (FeatureSelection(kind, 0.75, cap).split(table, 0) for cap in (None, 20))
    assert whole.train.X.shape == (130, 8)
    assert whole.real == ("row", "x")
    cells = pd.concat([part.X for part in whole[:3]]).set_index("row")
    for part in capped[:3]:
        pd.testing.assert_frame_equal(part.X.set_index("row"), cells.loc[part.X["row"]])


@pytest.mark.parametrize("seed", [0, 3])
def test_hold_outs_have_the_same_added_columns_for_every_seed(seed):
    table = numbers(100)
    flags = np.where(np.arange(100) % 3 == 0, "1", "0")
    table = table._replace(X=table.X.assign(flag=flags))
    plain, wide = (HoldOut(added=kind).split(table, seed) for kind in ("none", "random"))
    # Text stays text, and counts: three columns were there, three are added.
    noise = np.random.RandomState(0).standard_normal((100, 3))
    assert wide.real == ("row", "x", "flag")
    assert plain.real == HoldOut(added="random", share=0.0).split(table, seed).real == ()
    for rows, before, after in zip(rows_of(plain), plain[:3], wide[:3], strict=True):
        pd.testing.assert_frame_equal(after.X[list(wide.real)], before.X)
        np.testing.assert_array_equal(after.X.drop(columns=list(wide.real)), noise[rows])
        np.testing.assert_array_equal(after.y, before.y)


def test_text_that_holds_numbers_is_numeric_for_feature_selection():
    table = numbers(100)
    flags = np.where(np.arange(100) % 3 == 0, "1", "0")
    X = table.X.assign(flag=pd.Categorical(flags), gaps=pd.Series(flags).where(flags == "1"))
    X = X.assign(word=["1"] * 99 + ["one"])
    split = FeatureSelection("random", 0.5).split(table._replace(X=X), 0)
    rows = rows_of(split)[0]
    np.testing.assert_array_equal(split.train.X["flag"], flags[rows].astype(float))
    np.testing.assert_array_equal(split.train.X["gaps"], np.where(flags == "1", 1, np.nan)[rows])
    assert set(split.train.X["word"]) <= {"1", "one"}
    assert split.train.X.shape[1] == 5 + 4
    assert split.real == ("row", "x", "flag", "gaps", "word")


@pytest.mark.parametrize(("name", "scaling"), [("eye_movements", "standard"), ("CH", "quantile")])
def test_scaling_is_the_published_one(name, scaling):
    split = FeatureSelection().split(numbers()._replace(name=name), 0)
    assert split.scaling == scaling
    assert split.only(["x"]).scaling == scaling


def test_only_hold_outs_differ_by_seed():
    assert HoldOut().splits_by_seed
    assert not FeatureSelection().splits_by_seed


@pytest.mark.parametrize("table", [numbers(), classes([100, 60, 40])])
def test_inner_splits_leave_the_test_rows_out(table):
    outer, inner = (HoldOut(inner=flag).split(table, 3) for flag in (False, True))
    train, validation, test = rows_of(inner)
    assert test == rows_of(outer)[1]
    np.testing.assert_array_equal(inner.test.y, outer.validation.y)
    assert sorted(train + validation) == sorted(rows_of(outer)[0])
    assert len(validation) == pytest.approx(0.1875 * 130, abs=1)
    if table.task != "regression":
        assert np.abs(np.bincount(inner.validation.y) - np.array([12, 7, 5])).max() <= 1
    capped = rows_of(HoldOut(inner=True, max_train_rows=40).split(table, 3))
    assert len(capped[0]) == 40
    assert capped[2] == test
