"""The last word on a support: a sparser one may challenge it, each by a network that could predict.

Called by the judge where such networks are trained afresh. Those that compare supports learn from
half of the rows, for half as long, and those of the path have seen too many columns: what takes few
columns, all rows and a whole training to be learnt, neither can show.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from lassoflexnet.training.evaluation import clearly_worse
from lassoflexnet.training.points import PathPoint
from lassoflexnet.training.stage import Snapshot
from lassoflexnet.training.supports import likely_rival

# Standard errors by which a challenger must be better.
CLEAR = 2.0


class Held(NamedTuple):
    """A support that has held its place, and the network that did, if it was challenged."""

    point: PathPoint
    member: Snapshot | None = None


def challenged(
    liked: PathPoint,
    supports: Sequence[PathPoint],
    member_of: Callable[[PathPoint], Snapshot],
    weight: Tensor,
) -> Held:
    """Let sparser supports challenge the one liked best, until one holds its place.

    Parameters
    ----------
    liked, supports : PathPoint, sequence of PathPoint
        The support that was chosen, and all of the path, with their networks there.
    member_of : callable
        Trains a network on a support, as those that predict, and judges it by the validation
        rows.
    weight : Tensor, shape (n,)
        Weights of these rows.
    """
    held = Held(liked)
    while (rival := likely_rival(held.point, supports, weight)) is not None:
        member = held.member or member_of(held.point)
        other = member_of(rival)
        if not clearly_worse(member.errors, other.errors, weight, CLEAR):
            return Held(held.point, member)
        held = Held(rival, other)
    return held
