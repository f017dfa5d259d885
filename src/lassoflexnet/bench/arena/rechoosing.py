"""Choosing among candidates by the other data sets, to see that no single one made a rule.

Called by ``lassoflexnet bench rechoose`` and by the points.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.bench.arena.collecting import CATBOOST, middles, sets_of
from lassoflexnet.bench.arena.comparing import OURS, geometric_mean
from lassoflexnet.exceptions import InvalidInput

DEFAULT = "default"
"""What candidates change: the arena's own runs of the default constructor."""


class Rechosen(NamedTuple):
    """What would have been chosen without each data set.

    Attributes
    ----------
    table : DataFrame
        By data set the candidate that is best on the others, and its test error there in
        units of CatBoost's.
    overall : str
        The candidate that is best on all data sets.
    unfinished : tuple of str
        Candidates with runs that are not done; if there are no others, nothing is chosen.
    """

    table: pd.DataFrame
    overall: str | None
    unfinished: tuple[str, ...]

    @property
    def ratio(self) -> float | None:
        """Geometric mean over the data sets left out; None unless all took part that should."""
        return None if self.unfinished else geometric_mean(self.table["ratio"])


def rechoose(candidates: pd.DataFrame, arena: pd.DataFrame) -> Rechosen:
    """Leave out each data set in turn, choose on validation rows of the others, test there.

    Parameters
    ----------
    candidates : DataFrame
        Runs of the candidates, by ``with_default``. The first is what they change; one that is
        not to be run on a data set changes nothing there.
    arena : DataFrame
        Runs of the arena, with CatBoost in its chosen form.
    """
    _check_same_rows(candidates, arena)
    candidates = _filled(candidates)
    is_done = candidates[["error", "validation"]].notna().all(axis=1)
    unfinished = tuple(candidates.loc[~is_done, "method"].unique())
    complete = [name for name in candidates["method"].unique() if name not in unfinished]
    if not complete:
        return Rechosen(pd.DataFrame({"chosen": [], "ratio": []}), None, unfinished)
    validation = np.log(middles(candidates, "validation", complete))
    both = pd.concat([candidates, arena[arena["method"] == CATBOOST]], ignore_index=True)
    errors = middles(both, "error", [*complete, CATBOOST]).reindex(validation.index)
    # A geometric mean relative to some candidate has its minimum where that of the errors is.
    chosen = {name: str(validation.drop(index=name).mean().idxmin()) for name in validation.index}
    ratio = [errors.loc[name, of] / errors.loc[name, CATBOOST] for name, of in chosen.items()]
    table = pd.DataFrame({"chosen": chosen.values(), "ratio": ratio}, index=validation.index)
    return Rechosen(table, str(validation.mean().idxmin()), unfinished)


def with_default(candidates: pd.DataFrame, arena: pd.DataFrame) -> pd.DataFrame:
    """Candidates, and before them the arena's default on their data sets and seeds."""
    wanted = set(zip(candidates["dataset"], candidates["seed"], strict=True))
    ours = arena[arena["method"] == OURS]
    taken = [pair in wanted for pair in zip(ours["dataset"], ours["seed"], strict=True)]
    return pd.concat([ours[taken].assign(method=DEFAULT), candidates], ignore_index=True)


def _filled(candidates: pd.DataFrame) -> pd.DataFrame:
    """Candidates with runs of the first one on data sets that they are not for."""
    names, sets = candidates["method"].unique(), set(candidates["dataset"])
    if len(sets) < 2:
        raise InvalidInput(f"candidates are run on {len(sets)} data set. Use two or more.")
    first = candidates[candidates["method"] == names[0]]
    lacking = {name: sets - set(sets_of(candidates, name)) for name in names}
    more = [first[first["dataset"].isin(lacking[name])].assign(method=name) for name in names]
    return pd.concat([candidates, *more], ignore_index=True)


def _check_same_rows(candidates: pd.DataFrame, arena: pd.DataFrame) -> None:
    """Errors can be compared on the same splits only."""
    theirs = arena[arena["method"] == CATBOOST]
    known = set(zip(theirs["dataset"], theirs["rows"], strict=True))
    for pair in zip(candidates["dataset"], candidates["rows"], strict=True):
        if pair not in known:
            raise InvalidInput(
                f"candidates are run on `{pair[0]}` by {pair[1]}, CatBoost in the arena is not. "
                "Use the arena's protocol, case and data sets."
            )
