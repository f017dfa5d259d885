"""Pictures of scores over data sets and configurations.

"differences", "scatter" and "sensitivity" in experiment files.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.figures.style import (
    BLUE,
    COLOURS,
    GREY,
    NAMES,
    VERMILION,
    Results,
    boxes,
    new_figure,
    styled,
)
from lassoflexnet.exceptions import InvalidInput

OURS = "lassoflexnet"
LOSSES = ("rmse", "log_loss")
"""Scores of which less is better: shown with their sign turned."""


@styled
def differences(results: Results, options: Mapping[str, Any]) -> Any:
    """Score of each method less ours, one value per data set (mean over its splits).

    ``score`` says which, ``baseline`` another label to compare with.
    """
    name, ours = options.get("score", "accuracy"), options.get("baseline", OURS)
    means = _frame(results, name).pivot_table("value", "dataset", "label", sort=False)
    if ours not in means:
        raise InvalidInput(f"no run of `{ours}` has a score `{name}`: nothing to compare with.")
    if name in LOSSES:
        means = -means
    less = means.drop(columns=ours).sub(means[ours], axis=0)
    values = {label: less[label].dropna().to_numpy() for label in less}
    order = sorted(values, key=lambda label: -float(np.median(values[label])))
    figure = new_figure(max(3.6, 1.4 + 1.05 * len(order)), 3.6)
    ax = figure.add_subplot()
    ax.axhline(0, color=GREY, linewidth=0.9, linestyle="--", zorder=0)
    boxes(ax, [values[label] for label in order], range(len(order)))
    ticks = [f"{NAMES.get(label, label)}\n({len(values[label])})" for label in order]
    ax.set_xticks(range(len(order)), ticks)
    sign = "minus " if name in LOSSES else ""
    ax.set_ylabel(f"{sign}{_words(name)}: method less {NAMES.get(ours, ours)}")
    ax.set_xlabel("(number of data sets)")
    ax.set_title(f"Below zero {NAMES.get(ours, ours)} is better")
    return figure


@styled
def scatter(results: Results, options: Mapping[str, Any]) -> Any:  # noqa: ARG001
    """Best validation loss of the path against that of the dense stage, by data set."""
    datasets = list(dict.fromkeys(run.dataset for run, _ in results))
    figure = new_figure(0.3 + 2.7 * len(datasets), 3.0)
    for i, dataset in enumerate(datasets):
        ax = figure.add_subplot(1, len(datasets), i + 1)
        facts = [result["facts"] for run, result in results if run.dataset == dataset]
        x, y = ([f[k] for f in facts] for k in ("dense_validation_loss", "path_validation_loss"))
        _draw_scatter(ax, np.array(x), np.array(y))
        ax.set_title(dataset)
        ax.set_ylabel("validation loss, best of the path" if i == 0 else "")
        ax.set_xlabel("validation loss, dense stage")
    return figure


def _draw_scatter(ax: Any, x: np.ndarray, y: np.ndarray) -> None:
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    edge = 0.06 * (high - low) or 0.01
    ends = (low - edge, high + edge)
    ax.plot(ends, ends, color=GREY, linewidth=0.9, linestyle="--", zorder=0)
    ax.plot(x, y, "o", color=BLUE, markersize=4.5, alpha=0.65, markeredgewidth=0)
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    ax.locator_params(nbins=5)
    note = f"lower than dense:\n{(y < x).sum()} of {len(x)}"
    ax.text(0.05, 0.95, note, transform=ax.transAxes, va="top", fontsize=8)


@styled
def sensitivity(results: Results, options: Mapping[str, Any]) -> Any:
    """Validation score over configurations: by task, and by the value of each parameter.

    Above, the paper's box plot with one standard deviation in red. Below, scores less their
    task's median, by thirds of what was drawn, so that tasks can be put together.
    """
    name = options.get("score", "accuracy")
    found = _frame(results, name, part="validation").assign(dataset=_tasks(results))
    parameters = _varied(results)
    columns = 4
    rows = -(-len(parameters) // columns)
    figure = new_figure(9.0, 2.8 + 1.75 * rows)
    grid = figure.add_gridspec(1 + rows, columns, height_ratios=[2.6] + [1.75] * rows)
    _draw_tasks(figure.add_subplot(grid[0, :]), found, name)
    found["value"] -= found.groupby("dataset")["value"].transform("median")
    first = None
    for i, parameter in enumerate(parameters):
        ax = figure.add_subplot(grid[1 + i // columns, i % columns], sharey=first)
        first = first or ax
        drawn = pd.Series([run.settings[parameter] for run, _ in results], found.index)
        _draw_thirds(ax, found["value"], drawn)
        ax.set_title(parameter.replace("_", " "))
        ax.tick_params(labelleft=i % columns == 0)
        ax.set_ylabel("less task's\nmedian" if i % columns == 0 else "")
    return figure


def _draw_tasks(ax: Any, found: pd.DataFrame, name: str) -> None:
    groups = found.groupby("dataset", sort=False)["value"]
    boxes(ax, [group.to_numpy() for _, group in groups], range(len(groups)), width=0.4)
    for at, (_, group) in enumerate(groups):
        ax.annotate(
            f"{group.std():.3f}",
            (at, group.max()),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            color=VERMILION,
            fontsize=8,
        )
    ax.set_xticks(range(len(groups)), [dataset for dataset, _ in groups])
    ax.margins(y=0.12)
    ax.set_ylabel(f"validation {_words(name).lower()}")
    ax.set_title("Random configurations, by task; standard deviation in red")


def _draw_thirds(ax: Any, value: pd.Series, drawn: pd.Series) -> None:
    groups = thirds(drawn)
    values = [value[drawn.isin(group)].to_numpy() for group in groups]
    ax.axhline(0, color=GREY, linewidth=0.9, linestyle="--", zorder=0)
    for at, found in enumerate(values):
        boxes(ax, [found], [at], colour=COLOURS[0], width=0.6)
    ax.set_xticks(range(len(groups)), [_span(group) for group in groups], fontsize=7)


def thirds(drawn: pd.Series) -> list[list[Any]]:
    """Values that were drawn, in at most three groups from low to high.

    >>> thirds(pd.Series([5, 1, 9, 5, 2, 7]))
    [[1, 2], [5, 7], [9]]
    """
    values = np.array(sorted(drawn.unique()))
    return [part.tolist() for part in np.array_split(values, min(3, len(values)))]


def _span(group: list[Any]) -> str:
    low, high = short(group[0]), short(group[-1])
    return low if low == high else f"{low} to\n{high}"


def short(value: float) -> str:
    """A number as short as a tick label must be; whole ones in full.

    >>> [short(x) for x in (64, 0.0005, 0.1234, 1.5e-08, 5234.5)]
    ['64', '5e-4', '0.12', '1.5e-8', '5200']
    """
    rough = float(f"{value:.2g}")
    if value == int(value):
        return str(int(value))
    if rough >= 100:
        return f"{rough:.0f}"
    return f"{rough:g}" if rough >= 1e-3 else f"{rough:.1e}".replace("e-0", "e-").replace(".0", "")


def _varied(results: Results) -> list[str]:
    """Numeric settings that differ between runs."""
    settings = pd.DataFrame([dict(run.settings) for run, _ in results])
    numeric = settings.select_dtypes("number")
    varied = [str(name) for name in numeric if len(numeric[name].unique()) > 1]
    if not varied:
        raise InvalidInput("all runs have the same settings. Draw some by `sample` in the file.")
    return varied


def _tasks(results: Results) -> list[str]:
    """Data set of each run, with whatever of its case differs between runs."""
    cases = pd.DataFrame([dict(run.case) for run, _ in results])
    varied = [str(name) for name in cases if len(cases[name].unique()) > 1]
    return [
        "\n".join([run.dataset, *(str(run.case[name]) for name in varied if name in run.case)])
        for run, _ in results
    ]


def _frame(results: Results, name: str, part: str = "scores") -> pd.DataFrame:
    """One row per run: data set, label, and one of its scores on the test or validation rows."""
    rows = [(run.dataset, run.label, result[part].get(name)) for run, result in results]
    found = pd.DataFrame(rows, columns=["dataset", "label", "value"])
    if found["value"].isna().all():
        known = ", ".join(dict.fromkeys(key for _, result in results for key in result[part]))
        raise InvalidInput(f"no run has a score {name!r}. They have {known}.")
    return found


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
