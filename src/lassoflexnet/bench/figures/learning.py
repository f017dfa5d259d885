"""Pictures of how learning goes: what analyses have followed.

"targeted", "prox_evolution", "rotation" and "loss_curves" in experiment files.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lassoflexnet.bench.analyses.targeted import Targeted
from lassoflexnet.bench.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    NAMES,
    ORANGE,
    VERMILION,
    Results,
    facts_of,
    labels,
    matplotlib,
    new_figure,
    series,
    styled,
)

DENSE = "with the dense network's"

BAND = 0.12
"""Opacity of the range over columns; the quartiles lie on top of it."""

TOP = 2.0
"""Loss curves are shown up to so many times the lowest validation loss."""


@styled
def targeted(results: Results, options: Mapping[str, Any]) -> Any:  # noqa: ARG001
    """Loss (left) and sizes of skip weights (right) by epoch, one row per label."""
    rows = labels(results)
    figure = new_figure(7.4, 0.4 + 2.3 * len(rows))
    axes = figure.subplots(len(rows), 2, sharex=True, sharey="col", squeeze=False)
    for (left, right), label in zip(axes, rows, strict=True):
        facts = facts_of(results, label)
        _draw_losses(left, facts)
        _draw_weights(right, facts)
        what = _with_rate(label, results)
        left.set_title(f"{what}\nmean of {len(facts)} seeds")
        right.set_title(f"{what}\nAUC at the end: {series(facts, 'auc')[:, -1].mean():.2f}")
    for ax in axes[-1]:
        ax.set_xlabel("epoch")
    axes[0, 0].legend()
    figure.legend(handles=_what_is_what(axes[0, 1]), loc="outside lower right", ncols=2)
    return figure


def _with_rate(label: str, results: Results) -> str:
    """The label, with the learning rate unless it says so itself."""
    settings = next(run.settings for run, _ in results if run.label == label)
    rate = settings.get("learning_rate", Targeted.learning_rate)
    return label if "learning rate" in label else f"{label}, learning rate {rate:g}"


def _what_is_what(ax: Any) -> list[Any]:
    """Entries of a legend: the lines of a panel, and the two bands around each."""
    patches = matplotlib().patches
    bands = [(2 * BAND, "middle half of the columns"), (BAND, "all columns")]
    return [
        *ax.get_legend_handles_labels()[0],
        *(patches.Patch(color=BLACK, alpha=alpha, lw=0, label=words) for alpha, words in bands),
    ]


def _draw_losses(ax: Any, facts: list[dict[str, Any]]) -> None:
    for name, colour, words in (
        ("train_loss", GREY, "training"),
        ("validation_loss", BLUE, "validation"),
    ):
        mean = series(facts, name).mean(axis=0)
        ax.plot(np.arange(1, len(mean) + 1), mean, color=colour, label=words)
    ax.set_yscale("log")
    ax.set_ylabel("mean squared error")


def _draw_weights(ax: Any, facts: list[dict[str, Any]]) -> None:
    """Mean, quartiles (darker) and range over columns, each the mean over runs."""
    for kind, colour, words in (("false", ORANGE, "false"), ("true", BLACK, "true")):
        at = {q: series(facts, kind, q).mean(axis=0) for q in ("mean", "q0", "q25", "q75", "q100")}
        epochs = np.arange(len(at["mean"]))
        ax.fill_between(epochs, at["q0"], at["q100"], color=colour, alpha=BAND, linewidth=0)
        ax.fill_between(epochs, at["q25"], at["q75"], color=colour, alpha=BAND, linewidth=0)
        ax.plot(epochs, at["mean"], color=colour, label=f"mean of {words} columns")
    ax.set_ylabel("|skip weight|")


@styled
def prox_evolution(results: Results, options: Mapping[str, Any]) -> Any:  # noqa: ARG001
    """Skip weights (left) and first-layer weights (right) by update, one row per operator."""
    facts = [result["facts"] for _, result in results]
    real = np.array(facts[0]["real"])
    figure = new_figure(7.4, 5.4)
    axes = figure.subplots(2, 2, sharex=True, sharey="col")
    for row, name in zip(axes, ("joint", "sequential"), strict=True):
        rank = np.mean([result["scores"][f"rank_{name}"] for _, result in results])
        _draw_evolution(row[0], series(facts, name, "beta").mean(axis=0), real)
        _draw_evolution(row[1], series(facts, name, "w1").mean(axis=0), real)
        row[0].set_title(f"{name} prox; rank correlation of skip weights\n{DENSE}: {rank:.2f}")
        row[1].set_title(f"{name} prox")
        row[0].set_ylabel("|skip weight|")
        row[1].set_ylabel("largest |first-layer weight|")
    for ax in axes[1]:
        ax.set_xlabel("update")
    axes[0, 0].legend()
    seeds = f"{len(facts)} seeds" if len(facts) > 1 else "one seed"
    title = f"{results[0][0].dataset}: one line per column, mean over {seeds}, all M and all draws"
    figure.suptitle(title, x=0.01, ha="left", fontsize=9.5)
    return figure


def _draw_evolution(ax: Any, sizes: np.ndarray, real: np.ndarray) -> None:
    """One line per column."""
    for kind, colour, words in ((False, ORANGE, "added columns"), (True, BLUE, "real columns")):
        lines = ax.plot(sizes[:, real == kind], color=colour, linewidth=1.1, alpha=0.9)
        for line in lines[:1]:
            line.set_label(words)
    ax.set_ylim(bottom=0)


@styled
def rotation(results: Results, options: Mapping[str, Any]) -> Any:  # noqa: ARG001
    """Test loss of each method before and after the rotation, with its spread over seeds."""
    rows = labels(results)
    figure = new_figure(1.6 + 1.3 * len(rows), 3.2)
    ax = figure.add_subplot()
    cases = (("plain_loss", BLUE, "as they are"), ("rotated_loss", ORANGE, "rotated"))
    for i, (name, colour, words) in enumerate(cases):
        found = [[r["scores"][name] for run, r in results if run.label == row] for row in rows]
        at = np.arange(len(rows)) + 0.38 * (i - 0.5)
        mean, spread = [np.mean(x) for x in found], [np.std(x) for x in found]
        bars = ax.bar(at, mean, 0.36, yerr=spread, color=colour, ecolor=BLACK, label=words)
        ax.bar_label(bars, fmt="%.3f", fontsize=7.5, padding=2)
    ax.set_xticks(range(len(rows)), [NAMES.get(row, row) for row in rows])
    loss = results[0][1]["facts"]["loss"].replace("_", " ")
    ax.set_ylabel(f"test {loss.upper() if loss == 'rmse' else loss}")
    ax.margins(y=0.1)
    ax.legend(title="columns", ncols=2, loc="lower left", bbox_to_anchor=(0, 1), alignment="left")
    return figure


@styled
def loss_curves(results: Results, options: Mapping[str, Any]) -> Any:  # noqa: ARG001
    """Training, validation and averaged loss of the first run, epoch by epoch."""
    facts = results[0][1]["facts"]
    figure = new_figure(6.4, 3.4)
    ax = figure.add_subplot()
    for name, colour, words in (
        ("train_loss", GREY, "training"),
        ("validation_loss", BLUE, "validation"),
        ("average_loss", GREEN, "validation, averaged weights"),
    ):
        values = np.array(facts[name], dtype=float)
        # On the path validation rows are looked at when a lambda ends, not after each epoch.
        seen = np.flatnonzero(np.isfinite(values))
        ax.plot(seen + 1, values[seen], color=colour, label=words)
    end = facts["stage"].count("dense")
    ax.axvline(end + 0.5, color=VERMILION, linewidth=1, linestyle="--")
    ax.annotate(
        "the path begins",
        (end + 0.5, 1),
        xycoords=("data", "axes fraction"),
        xytext=(5, -9),
        textcoords="offset points",
        color=VERMILION,
        fontsize=8,
    )
    ax.set(xlabel="epoch", ylabel="loss", xlim=(0, len(facts["stage"]) + 1))
    # The path ends without columns: shown in full, that would flatten everything else.
    ax.set_ylim(top=TOP * np.nanmin(np.array(facts["validation_loss"], dtype=float)))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return figure
