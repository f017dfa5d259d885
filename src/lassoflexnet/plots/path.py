"""The lambda path as a picture: what each column's skip weight and the error do.

Draws a ``LambdaPath``; needs matplotlib.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput, MissingDependency
from lassoflexnet.training import LambdaPath

NAMED_COLOURS = (
    *("#1f6fb2", "#d1601f", "#2f8f4e", "#8a4fa8"),
    *("#b8860b", "#17a2a2", "#c2407f", "#6b4a2f"),
)
"""Colours of the columns that the legend names; no more of them are named than there are."""

_UNNAMED, _REMOVED, _MARK = "#7fa3c4", "#c4c4c4", "#333333"
_TICK_GAP = 0.09
"""Least distance of the word "dense" from the next tick, as a share of the lambdas' range."""


def plot_path(
    path: Any, names: Sequence[str], *, kept: float | None = None, axes: Any = None
) -> Any:
    """Draw skip weights and validation error along the path, over lambda on a log scale.

    Parameters
    ----------
    path : LambdaPath
        A fitted estimator's ``path_``.
    names : sequence of str
        Names of all columns of the table, such as ``list(X.columns)``.
    kept : float or None
        Lambda of the point that was kept, a fitted estimator's ``lambda_``. Columns alive there
        are drawn in colour: those kept, unless a challenge went on to remove some of them. None
        marks no point, and no column.
    axes : pair of matplotlib axes or None
        Where to draw; None makes a figure. Names stand to the right of the upper one.

    Returns
    -------
    ndarray of two matplotlib axes
        Skip weights above, validation error and number of columns below. Save the picture
        with ``axes[0].figure.savefig("path.png")``.
    """
    _check(path, names, kept)
    if axes is None:
        axes = _new_axes()
    x = _places(path.lambdas())
    kept_at = None if kept is None else int(np.argmin(np.abs(path.lambdas() - kept)))
    _draw_weights(axes[0], x, path.norms(), names, kept_at)
    _draw_error(axes[1], x, path, kept_at)
    for ax in axes:
        if kept_at is not None:
            ax.axvline(x[kept_at], color=_MARK, linewidth=1, linestyle="--")
        ax.set_xticks(*_ticks(x))
        ax.margins(x=0.02)
    axes[1].set_xlabel("lambda, on a log scale; left of it the dense stage, without lambda")
    return axes


def _check(path: Any, names: Sequence[str], kept: float | None) -> None:
    if not isinstance(path, LambdaPath):
        raise InvalidInput(f"`path` is a {type(path).__name__}. Pass a fitted model's `path_`.")
    if len(names) != path.n_features_in:
        raise InvalidInput(
            f"`names` holds {len(names)} names, the table has {path.n_features_in} columns. "
            "Pass the names of all columns, not only of those kept."
        )
    if kept is not None and kept not in path.lambdas():
        raise InvalidInput(f"`kept` is {kept!r}, no lambda of this path. Pass `model.lambda_`.")


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingDependency(
            "plots need matplotlib, which is not installed: run `pip install lassoflexnet[plots]`."
        ) from error
    _, axes = plt.subplots(
        2, 1, figsize=(8, 6.2), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
    return axes


def _places(lambdas: np.ndarray) -> np.ndarray:
    """Where the points stand: log10 of lambda, and the dense stage a little to the left."""
    logs = np.log10(lambdas[1:])
    if not len(logs):
        return np.zeros(1)
    width = float(np.ptp(logs)) or 1.0
    return np.array([logs[0] - max(width / len(logs), _TICK_GAP * width), *logs])


def _ticks(x: np.ndarray) -> tuple[list[float], list[str]]:
    """A tick for the dense stage, and at most six at round lambdas."""
    if len(x) == 1:
        return [x[0]], ["dense"]
    whole = np.arange(np.floor(x[1]), np.ceil(x[-1]) + 1)
    free = max(x[1] - 1e-9, x[0] + _TICK_GAP * float(np.ptp(x)))
    for within in ((1,), (1, 3), (1, 2, 5)):
        round_ones = np.add.outer(whole, np.log10(within)).ravel()
        round_ones = round_ones[(round_ones >= free) & (round_ones <= x[-1] + 1e-9)]
        if len(round_ones) > 2:
            break
    every = -(-len(round_ones) // 6) or 1
    ticks = round_ones[::every].tolist() or [float(x[-1])]
    return [float(x[0]), *ticks], ["dense", *(f"{10**tick:.3g}" for tick in ticks)]


def _draw_weights(
    ax: Any, x: np.ndarray, norms: np.ndarray, names: Sequence[str], kept_at: int | None
) -> None:
    """Lines per column; those alive there (or all, if none is marked) in colour, the last named."""
    lasts = (norms > 0).sum(axis=0)
    shown = np.ones(len(lasts), dtype=bool) if kept_at is None else norms[kept_at] > 0
    longest = np.lexsort((-norms[0], -lasts))
    named = longest[shown[longest]][: len(NAMED_COLOURS)]
    colour = dict(zip(named.tolist(), NAMED_COLOURS, strict=False))
    for j in longest[::-1].tolist():
        line = norms[: lasts[j] + 1, j]
        ax.plot(
            x[: len(line)],
            line,
            color=colour.get(j, _UNNAMED if shown[j] else _REMOVED),
            linewidth=1.8 if j in colour else 1.0,
            marker="x" if lasts[j] < len(x) else None,
            markevery=[len(line) - 1],
            markersize=5,
            label=names[j] if j in colour else None,
        )
    _add_legend(ax, n_shown=int(shown.sum()), n_named=len(named), is_kept=kept_at is not None)
    ax.set_ylabel("size of skip weight")
    what = "In colour, columns alive at the dashed lambda" if kept_at is not None else "All columns"
    ax.set_title(f"{what}; a cross marks the exit", fontsize=10)
    ax.set_ylim(bottom=0)


def _add_legend(ax: Any, *, n_shown: int, n_named: int, is_kept: bool) -> None:
    """Names, the last to go first; and how many have none."""
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    handles, labels = handles[::-1], labels[::-1]
    if n_shown > n_named:
        handles.append(Line2D([], [], color=_UNNAMED, linewidth=1.0))
        labels.append(f"and {n_shown - n_named} more")
    if handles:
        title = f"{n_shown} alive there, last to go first" if is_kept else "last to go first"
        right = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
        look = {"frameon": False, "handlelength": 1.2, "fontsize": 8, "title_fontsize": 8}
        ax.legend(handles, labels, title=title, alignment="left", **right, **look)


def _draw_comparison(ax: Any, x: np.ndarray, losses: np.ndarray) -> None:
    """The errors that the choice went by, which need not fall where the path's do."""
    compared = np.isfinite(losses)
    if compared.any():
        label = "of supports compared: trained anew, cross-fitted"
        look = {"marker": "D", "s": 22, "facecolors": "none", "edgecolors": NAMED_COLOURS[1]}
        ax.scatter(x[compared], losses[compared], label=label, zorder=3, **look)
        above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
        ax.legend(ncols=2, fontsize=8, frameon=False, **above)


def _draw_error(ax: Any, x: np.ndarray, path: Any, kept_at: int | None) -> None:
    losses = [point.validation_loss for point in path.points]
    counts = [point.n_features for point in path.points]
    ax.plot(x, losses, color=NAMED_COLOURS[0], marker="o", markersize=3, label="on the path")
    _draw_comparison(ax, x, np.array([point.cross_fitted_loss for point in path.points]))
    ax.set_ylabel("validation error", color=NAMED_COLOURS[0])
    right = ax.twinx()
    right.step(x, counts, where="mid", color=_REMOVED)
    right.set_ylabel("columns alive", color="#777777")
    right.set_ylim(bottom=0)
    right.yaxis.get_major_locator().set_params(integer=True)
    if kept_at is not None:
        in_left_half = x[kept_at] < (x[0] + x[-1]) / 2
        ax.annotate(
            f"alive here: {counts[kept_at]} columns",
            (x[kept_at], 1.0),
            xycoords=ax.get_xaxis_transform(),
            xytext=(5 if in_left_half else -5, -13),
            textcoords="offset points",
            ha="left" if in_left_half else "right",
            fontsize=9,
            color=_MARK,
        )
