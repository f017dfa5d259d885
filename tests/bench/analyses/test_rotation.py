"""Rotated columns: the rotation itself, and who minds it."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.bench.analyses.rotation import Rotation, normalised, random_rotation, rotated
from lassoflexnet.bench.rows import Rows, Split
from lassoflexnet.exceptions import InvalidInput


def split(n: int = 60) -> Split:
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(3, 2, (n, 3)), columns=["a", "b", "c"])
    rows = Rows(X, X["a"].to_numpy())
    return Split(rows, rows, rows, "regression", 0)


def test_rotation_is_orthogonal_and_follows_the_seed():
    turn = random_rotation(5, 0)
    np.testing.assert_allclose(turn @ turn.T, np.eye(5), atol=1e-12)
    assert (turn == random_rotation(5, 0)).all()
    assert not np.allclose(turn, random_rotation(5, 1))


def test_rotations_have_no_favourite_direction():
    firsts = np.array([random_rotation(3, seed)[0] for seed in range(400)])
    np.testing.assert_allclose(firsts.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(np.square(firsts).mean(axis=0), 1 / 3, atol=0.06)


def test_rotation_keeps_distances_and_undoes():
    flat = normalised(split())
    turn = random_rotation(3, 0)
    turned = rotated(flat, turn)
    a, b = flat.test.X.to_numpy(), turned.test.X.to_numpy()
    np.testing.assert_allclose(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
    np.testing.assert_allclose(b @ turn, a, atol=1e-12)
    assert (turned.train.y == flat.train.y).all()


def test_columns_are_normalised_by_training_rows():
    odd = split(500)
    X = odd.train.X.assign(a=np.exp(0.3 * odd.train.X["a"]))
    flat = normalised(odd._replace(train=Rows(X, odd.train.y), test=Rows(X + 1e9, odd.test.y)))
    np.testing.assert_allclose(flat.train.X.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(flat.train.X.std(ddof=0), 1)
    quartiles = np.quantile(flat.train.X["a"], [0.25, 0.5, 0.75])
    np.testing.assert_allclose(quartiles, [-0.6745, 0, 0.6745], atol=0.1)
    assert (flat.test.X.to_numpy() > 3).all()
    assert (flat.train.X["a"].rank() == X["a"].rank()).mean() > 0.9


def test_constant_cells_become_zero_and_missing_ones_the_median():
    odd = split(500)
    X = odd.train.X.assign(a=1.0)
    X.loc[0, "b"] = np.nan
    flat = normalised(odd._replace(train=Rows(X, odd.train.y)))
    assert flat.train.X["a"].abs().max() < 1e-6
    assert flat.train.X.loc[0, "b"] == pytest.approx(flat.train.X["b"].median(), abs=0.01)


def test_names_cannot_be_rotated():
    odd = split()
    named = odd._replace(train=Rows(odd.train.X.assign(c="x"), odd.train.y))
    with pytest.raises(InvalidInput, match=r"column `c` is not numeric"):
        normalised(named)


def test_trees_mind_and_least_squares_do_not():
    learners = {"ridge": {"scaling": "standard", "alpha": 1e-9}, "random_forest": {}}
    rise = {}
    for learner, settings in learners.items():
        found = Rotation(learner, settings, dataset="diabetes", max_train_rows=150).carry_out(0)
        rise[learner] = found["scores"]["rise"]
        assert found["facts"]["loss"] == "rmse"
        assert rise[learner] == found["facts"]["rotated"]["rmse"] - found["facts"]["plain"]["rmse"]
    assert rise["ridge"] == pytest.approx(0, abs=1e-5)
    assert abs(rise["random_forest"]) > 1e-3


def test_learner_is_checked_and_named_by_its_defaults():
    with pytest.raises(InvalidInput, match=r"method 'rigde' is not known. Use one of: ridge"):
        Rotation("rigde")
    assert Rotation("ridge").fingerprint() is None
    assert Rotation("lassoflexnet").fingerprint() is not None
