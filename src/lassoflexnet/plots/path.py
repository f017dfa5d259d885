"""The lambda path as a picture: what each column's skip weight and the error do.

Draws a ``LambdaPath``; needs matplotlib.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput, MissingDependency
from lassoflexnet.training import LambdaPath

N_LABELLED = 8
_BLUE, _GREY, _RED = "#1f6fb2", "#b8b8b8", "#c8442c"


def plot_path(path: Any, names: Sequence[str], *, kept: float, axes: Any = None) -> Any:
    """Draw skip weights and validation error along the path.

    Parameters
    ----------
    path : LambdaPath
        A fitted estimator's ``path_``.
    names : sequence of str
        Names of all columns of the table, such as ``list(X.columns)``.
    kept : float
        Lambda of the point that was kept, a fitted estimator's ``lambda_``.
    axes : pair of matplotlib axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    ndarray of two matplotlib axes
        Skip weights above, validation error and number of columns below.
    """
    _check(path, names, kept)
    if axes is None:
        axes = _new_axes()
    steps = np.arange(len(path.points))
    kept_at = int(np.argmin(np.abs(path.lambdas() - kept)))
    _draw_weights(axes[0], steps, path.norms(), names, kept_at)
    _draw_error(axes[1], steps, path, kept_at)
    ticks = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), 6)).astype(int))
    labels = ["dense" if i == 0 else f"{path.lambdas()[i]:.1e}" for i in ticks]
    axes[1].set_xticks(ticks, labels)
    axes[1].set_xlabel("lambda")
    return axes


def _check(path: Any, names: Sequence[str], kept: float) -> None:
    if not isinstance(path, LambdaPath):
        raise InvalidInput(f"`path` is a {type(path).__name__}. Pass a fitted model's `path_`.")
    if len(names) != path.n_features_in:
        raise InvalidInput(
            f"`names` holds {len(names)} names, the table has {path.n_features_in} columns. "
            "Pass the names of all columns, not only of those kept."
        )
    if kept not in path.lambdas():
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


def _draw_weights(
    ax: Any, steps: np.ndarray, norms: np.ndarray, names: Sequence[str], kept_at: int
) -> None:
    """Lines per column; blue where the column is kept, names where it lasts longest."""
    lasts = (norms > 0).sum(axis=0)
    labelled = np.argsort(-lasts, kind="stable")[:N_LABELLED]
    for j in np.argsort(lasts, kind="stable"):
        alive = norms[kept_at, j] > 0
        line = norms[: lasts[j] + 1, j]
        ax.plot(
            steps[: len(line)],
            line,
            color=_BLUE if alive else _GREY,
            linewidth=1.6 if alive else 0.9,
            marker="x" if lasts[j] < len(steps) else None,
            markevery=[len(line) - 1],
            markersize=5,
        )
    _name_lines(ax, norms[0], labelled[norms[kept_at, labelled] > 0], names)
    ax.axvline(kept_at, color=_RED, linewidth=1, linestyle="--")
    ax.set_ylabel("size of skip weight")
    ax.set_title("Kept columns in blue, removed ones in grey; a cross marks the exit", fontsize=10)
    ax.set_ylim(bottom=0)


def _name_lines(ax: Any, starts: np.ndarray, lines: np.ndarray, names: Sequence[str]) -> None:
    """Names left of where the lines start, moved apart where they would overlap."""
    gap = 0.05 * starts.max()
    ax.set_xlim(left=-0.28 * (ax.get_xlim()[1] + 1))
    lowest = -np.inf
    for j in lines[np.argsort(starts[lines], kind="stable")]:
        lowest = max(lowest + gap, starts[j])
        ax.annotate(
            names[j],
            (0, starts[j]),
            xytext=(-0.5, lowest),
            textcoords="data",
            ha="right",
            va="center",
            fontsize=8,
            color=_BLUE,
            arrowprops={"arrowstyle": "-", "color": _GREY, "linewidth": 0.6},
        )


def _draw_error(ax: Any, steps: np.ndarray, path: Any, kept_at: int) -> None:
    losses = [point.validation_loss for point in path.points]
    counts = [point.n_features for point in path.points]
    ax.plot(steps, losses, color=_BLUE, marker="o", markersize=3)
    ax.set_ylabel("validation error", color=_BLUE)
    ax.axvline(kept_at, color=_RED, linewidth=1, linestyle="--")
    ax.annotate(
        f"kept: {counts[kept_at]} columns",
        (kept_at, max(losses)),
        xytext=(4, -8),
        textcoords="offset points",
        fontsize=9,
        color=_RED,
    )
    right = ax.twinx()
    right.step(steps, counts, where="mid", color=_GREY)
    right.set_ylabel("columns alive", color="#777777")
    right.set_ylim(bottom=0)
