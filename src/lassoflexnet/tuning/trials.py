"""What a study leaves: its trials as values, and the best of them.

Made at the end of ``run_study``; read by users, tables and plots.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.training.history import to_frame
from lassoflexnet.tuning.space import Space
from lassoflexnet.tuning.storage import require_optuna
from lassoflexnet.tuning.workers import ERROR, has_failed

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial


@dataclass(frozen=True)
class TrialRow:
    """One trial.

    Attributes
    ----------
    number : int
        Its number in the study. Numbers of trials whose worker was stopped are missing.
    state : {"complete", "pruned", "failed"}
        How it ended.
    value : float or None
        What is minimised; of a trial ended early, the last it reported.
    params : dict
        Its parameters.
    steps : int
        The last step it reported: for our estimators, epochs.
    seconds : float
        Time it took.
    error : str
        Why it failed.
    """

    number: int
    state: str
    value: float | None
    params: dict[str, Any]
    steps: int
    seconds: float
    error: str


@dataclass(frozen=True)
class StudyResult:
    """Best parameters of a study, their value (lower is better), and all trials."""

    best_params: dict[str, Any]
    best_value: float
    best_number: int
    trials: tuple[TrialRow, ...]

    def to_frame(self) -> Any:
        """One row per trial, one column per parameter (needs pandas)."""
        frame = to_frame(self.trials, TrialRow, ("params",))
        for name in self.best_params:
            frame[name] = [row.params.get(name) for row in self.trials]
        return frame


def read_study(study: "Study", space: Space) -> StudyResult:
    """Trials of a study and the best of them."""
    TrialState = require_optuna().trial.TrialState
    names = {TrialState.COMPLETE: "complete", TrialState.PRUNED: "pruned"}
    trials = study.get_trials(deepcopy=False)
    rows = tuple(
        _row(trial, names.get(trial.state, "failed"), space)
        for trial in trials
        if trial.state in names or has_failed(trial)
    )
    complete = [row for row in rows if row.state == "complete" and row.value is not None]
    if not complete:
        errors = [row.error for row in rows if row.error]
        reason = f"The first error: {errors[0]}" if errors else "There was no time for one."
        raise InvalidInput(
            f"none of {len(rows)} trials of study `{study.study_name}` was completed. {reason} "
            "Change the space, or allow more trials or time."
        )
    best = min(complete, key=lambda row: (row.value, row.number))
    assert best.value is not None
    return StudyResult(best.params, best.value, best.number, rows)


def _row(trial: "FrozenTrial", state: str, space: Space) -> TrialRow:
    return TrialRow(
        number=trial.number,
        state=state,
        value=trial.value,
        # Optuna stores neither what is fixed nor a zero.
        params=space.suggest(require_optuna().trial.FixedTrial(trial.params)),
        steps=trial.last_step or 0,
        seconds=trial.duration.total_seconds() if trial.duration else 0.0,
        error=trial.user_attrs.get(ERROR, ""),
    )
