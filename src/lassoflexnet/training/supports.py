"""Supports of the path: which of them are worth comparing.

Called by the judge.
"""

from collections.abc import Sequence

from lassoflexnet.training.points import PathPoint


def likely_supports(points: Sequence[PathPoint], most: int) -> list[PathPoint]:
    """At most so many supports to compare: those that look best, among several the largest.

    Few validation rows may like a whole path of small supports by chance; only beside the
    largest is it seen what the columns that they lack are worth.
    """
    supports = best_of_each_support(points)
    largest = max(supports, key=lambda p: p.n_features)
    found = supports[:most]
    return found if largest in found or most == 1 else [*found[: most - 1], largest]


def best_of_each_support(points: Sequence[PathPoint]) -> list[PathPoint]:
    """The point of lowest validation error of each support, best first."""
    best: dict[tuple[int, ...], PathPoint] = {}
    for point in sorted(points, key=lambda p: (p.validation_loss, p.n_features)):
        best.setdefault(point.features, point)
    return list(best.values())
