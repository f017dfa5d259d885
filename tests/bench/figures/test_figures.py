"""Figures: what is on them, counted; the same files every time; errors."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.figures.catalogue import FIGURES, draw
from lassoflexnet.bench.figures.scores import thirds
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.exceptions import InvalidInput, MissingDependency
from tests.bench.figures import makers


def texts(ax) -> list[str]:
    return [label.get_text() for label in ax.get_xticklabels()]


def n_boxes(ax) -> int:
    return len(ax.patches)


def medians(ax) -> list[float]:
    """Heights of the thick lines, left to right."""
    lines = [line for line in ax.lines if line.get_linewidth() == 2]
    return [float(line.get_ydata()[0]) for line in lines]


def test_every_kind_has_made_up_results():
    assert set(makers.EVERY_KIND) == set(FIGURES)


def test_differences_are_method_less_ours():
    (ax,) = FIGURES["differences"](makers.accuracies(12), {"score": "accuracy"}).axes
    assert n_boxes(ax) == 2
    assert texts(ax) == ["XGBoost\n(12)", "Random forest\n(12)"]
    assert medians(ax) == pytest.approx([-0.01, -0.03], abs=0.002)
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert [len(line.get_ydata()) for line in dots] == [12, 12]


def test_differences_leave_out_data_sets_that_a_method_lacks():
    some = [
        (run, result)
        for run, result in makers.accuracies(5)
        if (run.label, run.dataset) != ("xgboost", "set0")
    ]
    (ax,) = FIGURES["differences"](some, {}).axes
    assert texts(ax)[0] == "XGBoost\n(4)"


def test_scatter_has_a_point_per_configuration():
    results = makers.configurations(("CH", "GE", "EY"), n=9)
    axes = FIGURES["scatter"](results, {}).axes
    assert [ax.get_title(loc="left") for ax in axes] == ["CH", "GE", "EY"]
    for ax in axes:
        diagonal, points = ax.lines
        assert np.array_equal(*diagonal.get_data())
        x, y = points.get_data()
        assert len(x) == 9
        assert (y < x).sum() == 6
        assert (y > x).any()
        assert ax.texts[0].get_text() == "lower than dense:\n6 of 9"


def test_sensitivity_has_boxes_by_task_and_by_thirds():
    results = makers.configurations(("a", "b"), n=12)
    tasks, *panels = FIGURES["sensitivity"](results, {}).axes
    assert n_boxes(tasks) == 2
    assert texts(tasks) == ["a", "b"]
    values = [r["validation"]["accuracy"] for run, r in results if run.dataset == "a"]
    assert tasks.texts[0].get_text() == f"{np.std(values, ddof=1):.3f}"
    names = [ax.get_title(loc="left") for ax in panels]
    assert names == ["tau", "learning rate", "n bins", "dropout", "d hidden"]
    assert [n_boxes(ax) for ax in panels] == [3, 3, 3, 3, 2]
    dots = [len(line.get_ydata()) for line in panels[0].lines if line.get_marker() == "."]
    assert sum(dots) == 24


def test_sensitivity_parts_tasks_by_case_too():
    cases = [{"added": "none"}, {"added": "random", "share": 0.5}]
    results = [
        (replace(run, case=case), r) for case in cases for run, r in makers.configurations(("a",))
    ]
    tasks = FIGURES["sensitivity"](results, {}).axes[0]
    assert texts(tasks) == ["a\nnone", "a\nrandom\n0.5"]


def test_thirds_do_not_part_equal_values():
    import pandas as pd

    drawn = pd.Series([64, 32, 64, 32])
    assert thirds(drawn) == [[32], [64]]
    assert [len(group) for group in thirds(pd.Series(range(10)))] == [4, 3, 3]


def test_targeted_has_two_panels_per_label():
    axes = FIGURES["targeted"](makers.training(n_epochs=20), {}).axes
    assert len(axes) == 4
    assert axes[1].get_title(loc="left") == "tau = 1, learning rate 0.001\nAUC at the end: 0.60"
    assert axes[3].get_title(loc="left") == "tau = 0.001, learning rate 0.001\nAUC at the end: 1.00"
    assert [len(ax.lines) for ax in axes] == [2, 2, 2, 2]
    assert len(axes[0].lines[0].get_xdata()) == 20
    false, true = axes[3].lines
    assert true.get_ydata()[-1] == pytest.approx(0.35)
    assert false.get_ydata()[-1] == pytest.approx(0.01)


def test_evolution_has_a_line_per_column():
    figure = FIGURES["prox_evolution"](makers.evolutions(n_updates=10, d=6), {})
    axes = figure.axes
    assert figure.get_suptitle().startswith("CH: one line per column, mean over one seed")
    assert [len(ax.lines) for ax in axes] == [6, 6, 6, 6]
    assert axes[0].get_title(loc="left").endswith("the dense network's: 0.50")
    assert axes[2].get_title(loc="left").endswith("the dense network's: 0.90")
    assert len(axes[0].lines[0].get_ydata()) == 11
    words = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert words == ["added columns", "real columns"]


def test_rotation_has_two_bars_per_method():
    (ax,) = FIGURES["rotation"](makers.rotations(), {}).axes
    heights = [bar.get_height() for container in ax.containers[1::2] for bar in container]
    assert heights == pytest.approx([0.455, 0.475, 0.525, 0.565, 0.605, 0.525])
    assert texts(ax) == ["LassoFlexNet", "XGBoost", "MLP"]
    assert ax.get_ylabel() == "test RMSE"


def test_loss_curves_skip_what_was_not_looked_at():
    (ax,) = FIGURES["loss_curves"](makers.curves(n_dense=10, n_lambdas=5), {}).axes
    train, validation, average, start = ax.lines
    assert len(train.get_xdata()) == 20
    assert len(validation.get_xdata()) == len(average.get_xdata()) == 15
    assert np.isfinite(validation.get_ydata()).all()
    assert start.get_xdata()[0] == 10.5
    assert ax.get_ylim()[1] == pytest.approx(2 * validation.get_ydata().min())


@pytest.mark.parametrize("kind", ["differences", "loss_curves"])
def test_files_are_the_same_every_time(kind: str, tmp_path: Path):
    contents = [written(kind, tmp_path / str(i)) for i in range(2)]
    assert contents[0] == contents[1]
    svg, png = contents[0]
    assert b"<svg" in svg
    assert b"dc:date" not in svg
    assert png.startswith(b"\x89PNG")


def written(kind: str, place: Path) -> list[bytes]:
    pairs = makers.EVERY_KIND[kind]
    folder = ResultFolder(place / "results")
    for run, result in pairs:
        folder.write(run, result)
    runs = tuple(run for run, _ in pairs)
    experiment = Experiment("e", "E", "s", runs, figure={"kind": kind})
    files = draw(experiment, folder, place / "figures" / f"v1.{kind}")
    assert [file.name for file in files] == [f"v1.{kind}.svg", f"v1.{kind}.png"]
    return [file.read_bytes() for file in files]


def test_style_does_not_leak():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    FIGURES["rotation"](makers.rotations(), {})
    assert dict(mpl.rcParams) == before


def test_unknown_kind_is_named(tmp_path: Path):
    experiment = Experiment("e", "E", "s", (), figure={"kind": "scater"})
    with pytest.raises(InvalidInput, match=r"figure 'scater' is not known. Use one of: scatter,"):
        draw(experiment, ResultFolder(tmp_path), tmp_path / "f")


def test_file_without_figure_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"small.toml asks for no figure"):
        draw(Experiment("small", "E", "s", ()), ResultFolder(tmp_path), tmp_path / "f")


@pytest.mark.parametrize("kind", FIGURES)
def test_nothing_to_draw_is_named(kind: str):
    with pytest.raises(InvalidInput, match=r"no run of this experiment has succeeded yet"):
        FIGURES[kind]([], {})


def test_unknown_score_is_named():
    with pytest.raises(InvalidInput, match=r"no run has a score 'f1'. They have accuracy"):
        FIGURES["differences"](makers.accuracies(2), {"score": "f1"})


def test_missing_baseline_is_named():
    with pytest.raises(InvalidInput, match=r"no run of `tabm` has a score `accuracy`"):
        FIGURES["differences"](makers.accuracies(2), {"baseline": "tabm"})


def test_same_settings_everywhere_are_named():
    with pytest.raises(InvalidInput, match=r"all runs have the same settings"):
        FIGURES["sensitivity"](makers.configurations(("a",), n=1), {})


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependency, match=r'pip install "lassoflexnet\[plots\]"'):
        FIGURES["rotation"](makers.rotations(), {})
