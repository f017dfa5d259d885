"""The picture of a path: what is drawn of it."""

import sys
from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from lassoflexnet.exceptions import InvalidInput, MissingDependency
from lassoflexnet.plots import plot_path
from lassoflexnet.plots.path import NAMED_COLOURS
from lassoflexnet.training import LambdaPath, PathPoint

mpl.use("Agg")
NAMES = ("a", "b", "c")
PATH = LambdaPath(
    (
        PathPoint(0.0, 0.5, 3, 4, 1.0, (0, 1, 2), (0.3, 0.2, 0.1)),
        PathPoint(0.1, 0.4, 2, 4, 1.0, (0, 1), (0.25, 0.1), cross_fitted_loss=0.6),
        PathPoint(0.2, 0.9, 0, 4, 1.0, (), ()),
    ),
    3,
)


def long_path(n_columns: int, lambdas: list[float]) -> LambdaPath:
    """All columns live but at the end; the later ones are larger."""
    alive, norms = tuple(range(n_columns)), tuple(0.1 + 0.01 * j for j in range(n_columns))
    point = PathPoint(0.0, 0.5, n_columns, 1, 1.0, alive, norms)
    points = [replace(point, lam=lam) for lam in (0.0, *lambdas[:-1])]
    return LambdaPath((*points, PathPoint(lambdas[-1], 1.0, 0, 1, 1.0, (), ())), n_columns)


def legend_of(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ticks_of(ax) -> list[str]:
    return [label.get_text() for label in ax.get_xticklabels()]


@pytest.fixture
def axes():
    return plot_path(PATH, NAMES, kept=0.1)


def test_each_column_is_a_line_to_its_exit(axes):
    *lines, _kept = axes[0].lines
    drawn = sorted(tuple(line.get_ydata()) for line in lines)
    assert drawn == [(0.1, 0.0), (0.2, 0.1, 0.0), (0.3, 0.25, 0.0)]


def test_kept_columns_are_named_in_colours_of_their_own(axes):
    assert legend_of(axes[0]) == ["a", "b"]
    assert axes[0].get_legend().get_title().get_text() == "2 alive there, last to go first"
    colours = {line.get_label(): line.get_color() for line in axes[0].lines}
    assert (colours["a"], colours["b"]) == NAMED_COLOURS[:2]


def test_points_stand_at_the_logarithm_of_lambda(axes):
    x = axes[1].lines[0].get_xdata()
    np.testing.assert_allclose(x[1:], np.log10([0.1, 0.2]))
    assert x[0] < x[1]
    assert "log scale" in axes[1].get_xlabel()


def test_error_and_kept_point(axes):
    error, kept = axes[1].lines
    assert list(error.get_ydata()) == [0.5, 0.4, 0.9]
    assert set(kept.get_xdata()) == {np.log10(0.1)}
    assert [text.get_text() for text in axes[1].texts] == ["alive here: 2 columns"]


def test_what_the_choice_went_by_is_shown(axes):
    (compared,) = axes[1].collections
    np.testing.assert_allclose(compared.get_offsets(), [[np.log10(0.1), 0.6]])
    assert "cross-fitted" in legend_of(axes[1])[-1]


def test_without_kept_nothing_is_marked():
    axes = plot_path(PATH, NAMES)
    assert len(axes[0].lines) == 3
    assert len(axes[1].lines) == 1
    assert not axes[1].texts
    assert legend_of(axes[0]) == ["a", "b", "c"]
    assert "ept" not in axes[0].get_title()


def test_the_legend_says_how_many_have_no_name():
    path = long_path(12, [0.1, 0.2])
    axes = plot_path(path, [f"c{j}" for j in range(12)], kept=0.1)
    assert legend_of(axes[0]) == [*(f"c{j}" for j in range(11, 3, -1)), "and 4 more"]
    assert axes[0].get_legend().get_title().get_text().startswith("12 alive there")


@pytest.mark.parametrize(
    ("lambdas", "expected"),
    [
        (np.geomspace(1e-4, 0.5, 20), ["dense", "0.001", "0.01", "0.1"]),
        (np.geomspace(1e-9, 1, 20), ["dense", "1e-08", "1e-06", "0.0001", "0.01", "1"]),
        (np.geomspace(0.09, 0.9, 5), ["dense", "0.1", "0.2", "0.5"]),
        ([0.3, 0.3], ["dense", "0.3"]),
    ],
)
def test_ticks_are_few_and_round(lambdas, expected):
    axes = plot_path(long_path(2, list(lambdas)), ["a", "b"])
    assert ticks_of(axes[1]) == expected


@pytest.mark.parametrize("n_points", [5, 40])
def test_tick_labels_do_not_touch(n_points):
    axes = plot_path(long_path(2, list(np.geomspace(1e-5, 1, n_points))), ["a", "b"])
    axes[0].figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes[1].get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_a_fit_without_a_path_is_one_point():
    axes = plot_path(LambdaPath(PATH.points[:1], 3), NAMES, kept=0.0)
    assert ticks_of(axes[1]) == ["dense"]
    axes[0].figure.draw_without_rendering()


def test_given_axes_are_used():
    _, given = plt.subplots(2)
    assert plot_path(PATH, NAMES, kept=0.0, axes=given) is given


def test_the_picture_can_be_saved(axes, tmp_path):
    axes[0].figure.savefig(tmp_path / "path.png")
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")


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
    ],
)
def test_wrong_arguments_are_named(change: dict, message: str):
    right = {"path": PATH, "names": NAMES, "kept": PATH.points[0].lam}
    with pytest.raises(InvalidInput, match=message):
        plot_path(**{**right, **change})
