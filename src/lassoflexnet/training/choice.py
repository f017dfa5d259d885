"""Which point of the path to keep: rules, as parts.

A rule says which points may be kept at all and, once their errors are comparable, in
which order they are liked; the judge keeps the first, where refits are compared the first that
is no worse than the dense stage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from torch import Tensor

from lassoflexnet.training.points import PathPoint


class PathChoice(Protocol):
    """Points and weights of their errors' rows (n,) -> points to try, best liked first.

    ``constant`` is the error of the best constant on these rows. ``paired`` says whether the rule
    looks at errors row by row.
    """

    paired: ClassVar[bool]

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

    paired: ClassVar[bool] = False

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
        return [min(points, key=lambda p: (p.validation_loss, p.n_features))]


@dataclass(frozen=True)
class OneStandardError:
    """The sparsest point that is not clearly worse than the best one.

    Clearly: by more than ``multiple`` standard errors of the mean difference, paired
    over rows. Pairing matters: the errors of two points of one path are
    strongly correlated, so their difference is known far better than either. Nor by more
    than the share ``most`` of what the best one explains: of few rows, a standard error is
    wide, and what it cannot rule out is not what one is ready to lose.
    """

    multiple: float = 1.0
    most: float = 0.02
    paired: ClassVar[bool] = True

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """All of them."""
        return points

    def __call__(
        self, points: Sequence[PathPoint], weight: Tensor, constant: float
    ) -> list[PathPoint]:
        """Candidates from the sparsest to the best."""
        best = min(points, key=lambda p: (p.validation_loss, p.n_features))
        limit = best.validation_loss + self.most * max(constant - best.validation_loss, 0.0)
        affordable = [p for p in points if p.validation_loss <= limit]
        near = [p for p in affordable if self._near(p, best, weight)]
        near.sort(key=lambda p: (p.n_features, p.validation_loss))
        return [*near[: near.index(best)], best]

    def _near(self, point: PathPoint, best: PathPoint, weight: Tensor) -> bool:
        assert point.snapshot is not None
        assert best.snapshot is not None
        share = weight.double() / weight.double().sum()
        difference = (point.snapshot.errors - best.snapshot.errors).double()
        mean = (share * difference).sum()
        error = (share.square() * (difference - mean).square()).sum().sqrt()
        return bool(mean <= self.multiple * error)


@dataclass(frozen=True)
class AtMost:
    """The best point with at most ``n_features`` features."""

    n_features: int
    paired: ClassVar[bool] = False

    def eligible(self, points: Sequence[PathPoint]) -> Sequence[PathPoint]:
        """Those with few enough features, or the sparsest if none has."""
        few = [p for p in points if p.n_features <= self.n_features]
        return few or [min(points, key=lambda p: p.n_features)]

    def __call__(
        self, points: Sequence[PathPoint], weight: Tensor, constant: float
    ) -> list[PathPoint]:
        """One candidate."""
        return BestValidation()(points, weight, constant)
