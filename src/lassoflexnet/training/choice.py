"""Which point of the path to keep: rules, as parts.

A rule says which points may be kept at all and, once their errors are comparable, in
which order they are liked; the judge keeps the first, where one network predicts the first that
is no worse than the dense stage, if that may be kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from torch import Tensor

from lassoflexnet.training.evaluation import clearly_worse
from lassoflexnet.training.points import PathPoint


class PathChoice(Protocol):
    """Points and weights of their errors' rows (n,) -> points to try, best liked first.

    ``constant`` is the error of the best constant on these rows. ``cross_fitted`` says whether
    errors should be of training rows too, by networks that have not seen them.
    """

    cross_fitted: ClassVar[bool]

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Points that may be kept, never none."""
        ...

    def __call__(
        self, points: Sequence[PathPoint], weight: Tensor, constant: float
    ) -> list[PathPoint]:
        """Order the candidates."""
        ...


@dataclass(frozen=True)
class BestValidation:
    """The point with the lowest validation error."""

    cross_fitted: ClassVar[bool] = False

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """All of them."""
        return points

    def __call__(
        self,
        points: Sequence[PathPoint],
        weight: Tensor,  # noqa: ARG002
        constant: float,  # noqa: ARG002
    ) -> list[PathPoint]:
        """One candidate."""
        return [_best(points)]


@dataclass(frozen=True)
class OneStandardError:
    """The sparsest point that is not clearly worse than the best one.

    Clearly: by more than ``multiple`` standard errors of the mean difference, paired
    over rows. Nor by more than the share ``most`` of what the best one explains: of few rows, a
    standard error is wide, and what it cannot rule out is not what one is ready to lose.
    """

    multiple: float = 1.0
    most: float = 0.005
    cross_fitted: ClassVar[bool] = True

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """All of them."""
        return points

    def __call__(
        self, points: Sequence[PathPoint], weight: Tensor, constant: float
    ) -> list[PathPoint]:
        """Candidates from the sparsest to the best."""
        best = _best(points)
        limit = best.validation_loss + self.most * max(constant - best.validation_loss, 0.0)
        affordable = [p for p in points if p.validation_loss <= limit]
        near = [p for p in affordable if _is_near(p, best, weight, self.multiple)]
        near.sort(key=lambda p: (p.n_features, p.validation_loss))
        return [*near[: near.index(best)], best]


@dataclass(frozen=True)
class AtMost:
    """The best point with at most ``n_features`` features."""

    n_features: int
    cross_fitted: ClassVar[bool] = True

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Those with few enough features, or the sparsest if none has."""
        few = [p for p in points if p.n_features <= self.n_features]
        return few or [min(points, key=lambda p: p.n_features)]

    def __call__(
        self, points: Sequence[PathPoint], weight: Tensor, constant: float
    ) -> list[PathPoint]:
        """One candidate."""
        return BestValidation()(points, weight, constant)


def _best(points: Sequence[PathPoint]) -> PathPoint:
    return min(points, key=lambda p: (p.validation_loss, p.n_features))


def _is_near(point: PathPoint, best: PathPoint, weight: Tensor, multiple: float) -> bool:
    """Whether a point is worse by at most so many standard errors."""
    assert point.snapshot is not None
    assert best.snapshot is not None
    return not clearly_worse(point.snapshot.errors, best.snapshot.errors, weight, multiple)
