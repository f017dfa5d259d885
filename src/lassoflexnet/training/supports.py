"""Supports of the path: which of them are worth comparing.

Called by the judge and by the challenge.
"""

from collections.abc import Collection, Sequence

from torch import Tensor

from lassoflexnet.training.evaluation import clearly_worse
from lassoflexnet.training.points import PathPoint


def likely_supports(supports: Sequence[PathPoint], most: int) -> list[PathPoint]:
    """At most so many of the supports, best first: those that look best, and the largest.

    Few validation rows may like a whole path of small supports by chance; only beside the
    largest is it seen what the columns that they lack are worth.
    """
    largest = max(supports, key=lambda p: p.n_features)
    found = [*supports[:most]]
    return found if largest in found or most == 1 else [*found[: most - 1], largest]


def best_of_each_support(points: Sequence[PathPoint]) -> list[PathPoint]:
    """The point of lowest validation error of each support, best first."""
    best: dict[tuple[int, ...], PathPoint] = {}
    for point in sorted(points, key=lambda p: (p.validation_loss, p.n_features)):
        best.setdefault(point.features, point)
    return list(best.values())


def next_to_compare(here: int, compared: Collection[int], n: int) -> int | None:
    """Middle of the wider gap between the support liked best and compared ones on its sides.

    Numbers of supports, from 0, the densest, to n - 1; None if both neighbours are compared.

    >>> [next_to_compare(here, seen, 12) for here, seen in ((0, {0}), (6, {0, 6}), (6, {0, 6, 9}))]
    [6, 9, 3]
    """
    denser = max((i for i in compared if i < here), default=here)
    sparser = min((i for i in compared if i > here), default=n)
    start, end = max((denser, here), (here, sparser), key=lambda gap: (gap[1] - gap[0], gap))
    return (start + end) // 2 if end - start > 1 else None


def likely_rival(
    point: PathPoint, supports: Sequence[PathPoint], weight: Tensor
) -> PathPoint | None:
    """The sparser support of the lowest error on the path; None if it is clearly worse there."""
    sparser = [p for p in supports if 0 < p.n_features < point.n_features]
    rival = min(sparser, key=lambda p: p.validation_loss, default=None)
    if rival is None:
        return None
    assert rival.snapshot is not None
    assert point.snapshot is not None
    is_worse = clearly_worse(rival.snapshot.errors, point.snapshot.errors, weight, 1.0)
    return None if is_worse else rival
