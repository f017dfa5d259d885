"""The picture of a path: what is drawn of it."""

import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from lassoflexnet.exceptions import InvalidInput, MissingDependency
from lassoflexnet.plots import plot_path
from lassoflexnet.training import LambdaPath, PathPoint

mpl.use("Agg")
NAMES = ("a", "b", "c")
PATH = LambdaPath(
    (
        PathPoint(0.0, 0.5, 3, 4, 1.0, (0, 1, 2), (0.3, 0.2, 0.1)),
        PathPoint(0.1, 0.4, 2, 4, 1.0, (0, 1), (0.25, 0.1)),
        PathPoint(0.2, 0.9, 0, 4, 1.0, (), ()),
    ),
    3,
)


@pytest.fixture
def axes():
    yield plot_path(PATH, NAMES, kept=0.1)
    plt.close("all")


def test_each_column_is_a_line_to_its_exit(axes):
    *lines, _kept = axes[0].lines
    drawn = sorted(tuple(line.get_ydata()) for line in lines)
    assert drawn == [(0.1, 0.0), (0.2, 0.1, 0.0), (0.3, 0.25, 0.0)]


def test_kept_columns_are_named(axes):
    assert sorted(text.get_text() for text in axes[0].texts) == ["a", "b"]


def test_error_and_kept_point(axes):
    error, kept = axes[1].lines
    assert list(error.get_ydata()) == [0.5, 0.4, 0.9]
    assert set(kept.get_xdata()) == {1}
    assert [text.get_text() for text in axes[1].texts] == ["kept: 2 columns"]


def test_given_axes_are_used():
    _, given = plt.subplots(2)
    assert plot_path(PATH, NAMES, kept=0.0, axes=given) is given
    plt.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependency, match=r"lassoflexnet\[plots\]"):
        plot_path(PATH, NAMES, kept=0.1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "a model"}, "`path` is a str. Pass a fitted model's `path_`"),
        ({"names": ["a"]}, "`names` holds 1 names, the table has"),
        ({"kept": 77.0}, "`kept` is 77.0, no lambda of this path"),
        ({"kept": None}, "`kept` is None, no lambda of this path"),
    ],
)
def test_wrong_arguments_are_named(change: dict, message: str):
    right = {"path": PATH, "names": NAMES, "kept": PATH.points[0].lam}
    with pytest.raises(InvalidInput, match=message):
        plot_path(**{**right, **change})
