"""Methods whose settings are searched for before they are fitted.

Made by the catalogue from "tuned:" and a name; settled by ``execution``, which knows the
rows to search on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lassoflexnet.bench.methods.base import Fitted, Method
from lassoflexnet.bench.methods.spaces import ALL_SPACES
from lassoflexnet.bench.protocols.scores import BY_ACCURACY, BY_LOSS, Headline, score
from lassoflexnet.bench.rows import Split, Task
from lassoflexnet.checks import check_parts
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown
from lassoflexnet.training.history import watched
from lassoflexnet.tuning import StudyResult, StudySettings, run_study
from lassoflexnet.tuning.judging import EpochReport
from lassoflexnet.tuning.study import Report

Make = Callable[[str, Mapping[str, Any]], Method]

CRITERIA: dict[str, Mapping[Task, Headline]] = {"loss": BY_LOSS, "score": BY_ACCURACY}
"""What a search may judge trials by, on the validation rows."""


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
    prune : bool
        Whether trials that fall behind are ended early (successive halving by validation
        loss); of our own method only, since others report no epochs.
    by : {"loss", "score"}
        What is best: the lowest log loss, or the highest accuracy (of two classes ROC-AUC),
        as in the feature-selection benchmark. A regression has its RMSE either way.
    """

    method: str
    space: str
    n_trials: int = 40
    settings: Mapping[str, Any] = field(default_factory=dict)
    on: Mapping[str, Any] = field(default_factory=dict)
    prune: bool = True
    by: str = "loss"

    def __post_init__(self) -> None:
        """Check what a file may have said wrong."""
        check_parts(self)
        if self.by not in CRITERIA:
            raise unknown("`by`", self.by, CRITERIA)

    def search(self, split: Split, make: Make, settings: StudySettings) -> StudyResult:
        """Look for the settings that are best on the validation rows."""
        if not self.prune:
            settings = replace(settings, pruning=None)
        objective = _Objective(self, split, make, settings.random_state or 0)
        return run_study(objective, ALL_SPACES[self.space], settings)

    def with_settings(self, found: Mapping[str, Any], make: Make) -> Method:
        """The method with these settings."""
        return make(self.method, nested({**self.settings, **found}))


@dataclass(frozen=True)
class _Objective:
    """Settings -> what is minimised of the method fitted with them."""

    tuned: Tuned
    split: Split
    make: Make
    seed: int

    def __call__(self, params: dict[str, Any], report: Report) -> float:
        """Fit and judge; our own method reports its epochs on the way."""
        method = self.tuned.with_settings(params, self.make)
        with watched(EpochReport(report)):
            fitted = method.fit(self.split, self.seed)
        return judged(fitted, self.split, self.tuned.by)


def judged(fitted: Fitted, split: Split, by: str = "loss") -> float:
    """What a search minimises: the loss on the validation rows, or minus the score there."""
    if fitted.learnt_validation:
        return _own_account(fitted, by)
    rows, (name, higher_is_better) = split.validation, CRITERIA[by][split.task]
    found = score(rows.y, fitted.predict(rows.X), split.task, split.n_classes)
    if name not in found:
        raise InvalidInput(
            f"the validation rows have no `{name}`: not every class is among them. Tune by "
            "loss, or on more rows."
        )
    return -found[name] if higher_is_better else found[name]


def _own_account(fitted: Fitted, by: str) -> float:
    """Validation loss by what a method says that has learnt from the rows since."""
    if by != "loss":
        raise InvalidInput(
            f"`by` is {by!r}, and the method learns from the validation rows in the end: of "
            'the time before that it keeps their loss alone. Use "loss".'
        )
    return float((fitted.facts or {})["validation_loss"])


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
