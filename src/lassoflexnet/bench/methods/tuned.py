"""Methods whose settings are searched for before they are fitted.

Made by the catalogue from "tuned:" and a name; settled by ``execution``, which knows the
rows to search on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lassoflexnet.bench.methods.base import Fitted, Method
from lassoflexnet.bench.methods.spaces import ALL_SPACES
from lassoflexnet.bench.protocols.scores import score
from lassoflexnet.bench.rows import Split
from lassoflexnet.training.history import watched
from lassoflexnet.tuning import StudyResult, StudySettings, run_study
from lassoflexnet.tuning.judging import EpochReport
from lassoflexnet.tuning.study import Report

Make = Callable[[str, Mapping[str, Any]], Method]


@dataclass(frozen=True)
class Tuned:
    """A method and where to look for its settings.

    Attributes
    ----------
    method : str
        Name of the method.
    space : str
        Name of its search space.
    n_trials : int
        Trials in all.
    settings : mapping
        What is the same in every trial.
    on : mapping
        Case of the protocol to search on, where it is not the run's own: runs that share it
        share the search.
    """

    method: str
    space: str
    n_trials: int = 40
    settings: Mapping[str, Any] = field(default_factory=dict)
    on: Mapping[str, Any] = field(default_factory=dict)

    def search(self, split: Split, make: Make, settings: StudySettings) -> StudyResult:
        """Look for the settings of the lowest validation loss."""
        objective = _Objective(self, split, make, settings.random_state or 0)
        return run_study(objective, ALL_SPACES[self.space], settings)

    def with_settings(self, found: Mapping[str, Any], make: Make) -> Method:
        """The method with these settings."""
        return make(self.method, nested({**self.settings, **found}))


@dataclass(frozen=True)
class _Objective:
    """Settings -> validation loss of the method fitted with them."""

    tuned: Tuned
    split: Split
    make: Make
    seed: int

    def __call__(self, params: dict[str, Any], report: Report) -> float:
        """Fit and judge; our own method reports its epochs on the way."""
        method = self.tuned.with_settings(params, self.make)
        with watched(EpochReport(report)):
            return validation_loss(method.fit(self.split, self.seed), self.split)


def validation_loss(fitted: Fitted, split: Split) -> float:
    """RMSE or log loss on the validation rows; by its own account, if it has learnt from them."""
    if fitted.learnt_validation and fitted.facts:
        return float(fitted.facts["validation_loss"])
    rows = split.validation
    found = score(rows.y, fitted.predict(rows.X), split.task, split.n_classes)
    return found["rmse"] if split.task == "regression" else found["log_loss"]


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names -> mappings within mappings.

    >>> nested({"selector.strength": 0.1, "downstream.d_block": 8, "x": 1})
    {'selector': {'strength': 0.1}, 'downstream': {'d_block': 8}, 'x': 1}
    """
    found: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        place = found
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return found
