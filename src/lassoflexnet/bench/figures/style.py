"""What all pictures of results share: fonts, colours, an empty figure.

Used by every function that draws one.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lassoflexnet.bench.results import Result
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput, MissingDependency

Results = Sequence[tuple[Run, Result]]
"""Finished runs with their results."""

Draw = Callable[[Results, Mapping[str, Any]], Any]
"""Results and what the experiment file says of the figure -> matplotlib figure."""

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, GREY, BLACK = "#CC79A7", "#56B4E9", "#8C8C8C", "#222222"
COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.edgecolor": BLACK,
    "axes.titlelocation": "left",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    # Else names of parts in the SVG are drawn at random.
    "svg.hashsalt": "lassoflexnet",
}
NAMES = {
    "lassoflexnet": "LassoFlexNet",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "lightgbm": "LightGBM",
    "random_forest": "Random forest",
    "mlp": "MLP",
    "ft_transformer": "FT-Transformer",
    "tabm": "TabM",
    "tabm_mini": "TabM-mini",
    "realmlp": "RealMLP",
    "lassonet": "LassoNet",
    "ebm": "EBM",
    "lasso": "Lasso",
    "ridge": "Ridge",
}
"""Methods as readers know them."""


def matplotlib() -> Any:
    """The package, or an error that says what to install."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.patches
    except ImportError as error:
        raise MissingDependency(
            "figures need matplotlib, which is not installed: run "
            '`pip install "lassoflexnet[plots]"`.'
        ) from error
    return matplotlib


def styled(draw: Draw) -> Draw:
    """Draw in our style, and only if there is something to draw."""

    @functools.wraps(draw)
    def drawn(results: Results, options: Mapping[str, Any]) -> Any:
        if not results:
            raise InvalidInput(
                "no run of this experiment has succeeded yet. Run `lassoflexnet bench run` first."
            )
        with matplotlib().rc_context(STYLE):
            return draw(results, options)

    return drawn


def new_figure(width: float, height: float) -> Any:
    """An empty figure of so many inches; not one of pyplot, which would keep it open."""
    return matplotlib().figure.Figure(figsize=(width, height), layout="constrained")


def labels(results: Results) -> list[str]:
    """Labels of the runs, in order of appearance."""
    return list(dict.fromkeys(run.label for run, _ in results))


def facts_of(results: Results, label: str) -> list[dict[str, Any]]:
    """What the runs of one label have noted, seed by seed."""
    return [result["facts"] for run, result in results if run.label == label]


def series(facts: Sequence[Mapping[str, Any]], *path: str) -> np.ndarray:
    """One noted series of every run: (runs, ...)."""
    return np.array([functools.reduce(lambda a, key: a[key], path, f) for f in facts], dtype=float)


def boxes(ax: Any, values: Sequence[np.ndarray], positions: Sequence[float], **options: Any) -> Any:
    """Plain box plots, whiskers from end to end, with every value as a dot."""
    colour, width = options.pop("colour", BLUE), options.pop("width", 0.55)
    drawn = ax.boxplot(
        list(values),
        positions=list(positions),
        widths=width,
        whis=(0, 100),
        showcaps=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "alpha": 0.25, "edgecolor": colour},
        whiskerprops={"color": colour},
        medianprops={"color": colour, "linewidth": 2},
        manage_ticks=False,
        **options,
    )
    for at, found in zip(positions, values, strict=True):
        # Spread evenly, not at random, so that a figure is the same every time.
        aside = np.linspace(-0.3, 0.3, len(found)) * width if len(found) > 1 else [0.0]
        ax.plot(at + np.asarray(aside), found, ".", color=colour, markersize=3, alpha=0.7)
    return drawn
