"""What a selector is, and the two stages: rank columns, then train on the best of them.

Selectors are frozen dataclasses with one method, ``rank``; ``TwoStage`` makes a method of one.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lassoflexnet.bench.methods.base import Fitted, Method
from lassoflexnet.bench.rows import Split


class Selector(Protocol):
    """A frozen dataclass of settings."""

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column of the frame, higher is better."""
        ...


def n_kept(split: Split) -> int:
    """Columns to keep: as many as were there before any were added, else half of them."""
    return len(split.real) or max(1, round(split.train.X.shape[1] / 2))


@dataclass(frozen=True)
class TwoStage:
    """Rank the columns, cut out the best, and train on those alone.

    How many are kept is known to it, as in the feature-selection benchmark.
    """

    selector: Selector
    downstream: Method

    def fit(self, split: Split, seed: int) -> Fitted:
        """Fit both stages with one seed."""
        importance = np.nan_to_num(self.selector.rank(split, seed), nan=-np.inf)
        # Not in the order of the table: there, the real columns come first.
        chance = np.random.default_rng(seed).random(len(importance))
        order = np.lexsort((chance, -importance))
        names = split.train.X.columns
        kept = [names[j] for j in np.sort(order[: n_kept(split)])]
        found = self.downstream.fit(split.only(kept), seed)
        facts = {**(found.facts or {}), "ranking": [str(names[j]) for j in order]}
        return found._replace(
            predict=lambda X: found.predict(X[kept]),
            selected=tuple(str(name) for name in kept),
            facts=facts,
        )
