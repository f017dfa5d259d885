"""The path as a value."""

import numpy as np
import pytest
import torch

from lassoflexnet.training import LambdaPath, PathPoint
from lassoflexnet.training.stage import Snapshot
from tests.nn.makers import make_network

SNAPSHOT = Snapshot(make_network(), torch.zeros(3), 0.5)
DENSE = PathPoint(0.0, 0.5, 3, 7, 1.0, (0, 1, 2), (0.1, 0.2, 0.3), SNAPSHOT)
SPARSE = PathPoint(0.02, 0.6, 1, 2, 0.5, (2,), (0.25,), SNAPSHOT)
EMPTY = PathPoint(0.04, 1.0, 0, 1, 0.5, (), (), SNAPSHOT)
PATH = LambdaPath((DENSE, SPARSE, EMPTY), n_features_in=3)


def test_lambdas():
    assert PATH.lambdas().tolist() == [0.0, 0.02, 0.04]


def test_norms_are_zero_where_a_feature_is_gone():
    np.testing.assert_array_equal(PATH.norms(), [[0.1, 0.2, 0.3], [0, 0, 0.25], [0, 0, 0]])


def test_frame_has_one_row_per_point_and_no_networks():
    frame = PATH.to_frame()
    assert frame.columns.tolist() == [
        *("lambda", "n_features", "validation_loss", "cross_fitted_loss", "n_epochs", "seconds")
    ]
    assert frame["lambda"].tolist() == [0.0, 0.02, 0.04]
    assert frame.n_features.tolist() == [3, 1, 0]


def test_frame_copies_no_network(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("copied")

    monkeypatch.setattr(type(SNAPSHOT.network), "__deepcopy__", refuse, raising=False)
    PATH.to_frame()


def test_renumbering_puts_features_back_where_they_were():
    """Columns 1 and 3 of five were constant and never met the network."""
    path = PATH.renumbered(np.array([0, 2, 4]), 5)
    assert [point.features for point in path.points] == [(0, 2, 4), (4,), ()]
    assert all(type(f) is int for f in path.points[0].features)
    np.testing.assert_array_equal(path.norms()[1], [0, 0, 0, 0, 0.25])
    assert all(point.snapshot is None for point in path.points)
    assert path.n_features_in == 5


def test_printed_the_path_is_short():
    assert repr(PATH) == "<LambdaPath: 3 points, see to_frame()>"


def test_points_compare_and_print_without_their_network():
    assert PathPoint(0.04, 1.0, 0, 1, 0.5, (), ()) == EMPTY
    assert "snapshot" not in repr(EMPTY)
