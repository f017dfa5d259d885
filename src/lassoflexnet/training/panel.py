"""The panel: networks that are each trained without some of the rows, to be read on these.

Asked for what features are worth before the path is walked, and by the judge, which compares
supports by it.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lassoflexnet.nn import Network
from lassoflexnet.training.crossfit import CrossFitted, Folds, cross_fit, stratified_folds
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.workshop import Workshop
from lassoflexnet.training.worth import contributions, lower_bound, telling_rows

# Folds of fewer rows tell nothing; the validation rows alone then decide.
FOLD_ROWS = 10

# Share that counts of what others may stand in for, beside what is lost when a feature alone goes.
STAND_IN = 0.25


@dataclass(frozen=True)
class Panel:
    """Cross-fitted networks on all features, or on those of a support."""

    plan: Plan
    workshop: Workshop
    data: TrainingData

    @property
    def sits(self) -> bool:
        """Whether such networks are wanted, and there are rows enough to train and read them."""
        plan, n_rows = self.plan, self.data.train.n_rows
        wanted = plan.choice.cross_fitted and plan.n_folds and plan.fold.max_epochs
        return bool(wanted) and n_rows >= FOLD_ROWS * plan.n_folds

    @functools.cached_property
    def deals(self) -> list[Folds]:
        """Training rows dealt out to folds; the same for all supports."""
        plan, target = self.plan, self.data.train.target
        return [stratified_folds(target, plan.n_folds) for _ in range(plan.n_deals)]

    @functools.cached_property
    def whole(self) -> CrossFitted:
        """Networks on all features: of their worth, and the largest support."""
        return cross_fit(self.data, self.deals, self._train)

    def on(self, features: Sequence[int]) -> CrossFitted:
        """Networks from scratch on these features."""
        if len(features) == self.data.layout.n_features:
            return self.whole
        data = self.data.keep(torch.tensor(features, dtype=torch.long))
        return cross_fit(data, self.deals, self._train)

    def _train(self, parts: Sequence[TrainingData]) -> list[Network]:
        named = [("fold", part) for part in parts]
        found = self.workshop.train_each(named, self.plan.fold, self.workshop.sketch)
        return [one.network for one in found]

    def worth(self, dense: Network, alone: Tensor) -> Tensor:
        """What each feature is worth, (d,), by rows that the networks have not seen.

        The larger of two lower bounds: some of what it takes off the error in random orders,
        and what the dense network is known to lose by it alone (``alone``), which sees what
        needs all rows to be learnt, or all other features to matter. Where no panel sits, the
        dense network tells both, on validation rows.
        """
        n_orders = self.plan.path.weights.n_orders
        if not n_orders:
            return torch.ones_like(alone)
        loss, draws = self.workshop.objective.loss, torch.Generator()
        draws.manual_seed(torch.initial_seed())

        def reader(network: Network, rows: Rows) -> Tensor:
            return contributions(network, rows, loss, n_orders, draws)

        most = telling_rows(self.data.layout.n_features)
        if self.sits:
            found = self.whole.thinned(most).read(reader)
        else:
            found = reader(dense, self.data.validation.at(slice(0, most)))
        return torch.maximum(STAND_IN * lower_bound(found), alone)
