"""``tune``: the best parameters of an estimator by trials, and a model fitted with them.

Called by users and by the command line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from lassoflexnet.estimators import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.estimators.inputs import check_lengths, naming, read_eval_set, read_weights
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.table import holdout
from lassoflexnet.tuning.judging import Judge, Sample, judge_of
from lassoflexnet.tuning.space import Space
from lassoflexnet.tuning.spaces import EVERYDAY
from lassoflexnet.tuning.study import Halving, Report, StudySettings, run_study
from lassoflexnet.tuning.trials import StudyResult

PRUNING: Mapping[Any, Halving | None] = {True: Halving(), False: None}
"""What the two short forms of ``pruning`` mean."""


@dataclass(frozen=True)
class TuneResult:
    """What ``tune`` found.

    Attributes
    ----------
    best_estimator : estimator
        Fitted with the best parameters, as in its trial: rows held out to judge by were not
        trained on.
    best_params : dict
        Those parameters.
    best_score : float
        Of ``best_estimator`` on the validation rows: for our estimators the loss (lower is
        better; of a regression, the squared error of the standardised target), for others
        their score (higher is better).
    study : StudyResult
        All trials; ``study.to_frame()`` is the table.
    """

    best_estimator: Any
    best_params: dict[str, Any]
    best_score: float
    study: StudyResult

    def to_frame(self) -> Any:
        """One row per trial (needs pandas)."""
        return self.study.to_frame()


@dataclass(frozen=True)
class FitObjective:
    """Parameters -> loss of the estimator fitted with them; the same rows every time."""

    estimator: Any
    judge: Judge
    train: Sample
    held: Sample

    def __call__(self, params: dict[str, Any], report: Report) -> float:
        """Fit and judge."""
        return self.judge.loss(self.fitted(params, report), self.held)

    def fitted(self, params: dict[str, Any], report: Report) -> Any:
        """Fit a copy of the estimator with these parameters."""
        model = clone(self.estimator).set_params(**params)
        self.judge.fit(model, self.train, self.held, report)
        return model


def tune(  # noqa: PLR0913
    estimator: Any,
    X: Any,
    y: Any,
    *,
    space: Space | None = None,
    n_trials: int = 40,
    timeout: float | None = None,
    eval_set: Any = None,
    storage: str | Path | None = None,
    study_name: str = "lassoflexnet",
    n_workers: int = 1,
    pruning: bool | Halving = True,
    random_state: int | None = None,
    sample_weight: Any = None,
) -> TuneResult:
    """Search for an estimator's best parameters (TPE) and fit a model with them.

    Parameters
    ----------
    estimator : estimator
        One of ours, or any of scikit-learn's kind. It is copied, never fitted itself; what
        the space does not name stays as it is.
    X, y, sample_weight
        Training rows, as for ``fit``.
    space : Space or None
        What to search; None is ``spaces.EVERYDAY`` for our flat estimators.
    n_trials, timeout, n_workers
        Budget, see ``StudySettings``. Trials that the study already has count.
    eval_set : tuple (X_val, y_val) or (X_val, y_val, sample_weight), or None
        Rows to judge by. None holds some out, the same in every trial.
    storage, study_name
        Where trials are kept, to go on later or to share them: the path of a journal file
        or a database URL. None keeps them in memory.
    pruning : bool or Halving
        Whether trials of our estimators may be ended after some epochs (successive
        halving), or by which rungs.
    random_state : int or None
        Seed of the search, of the hold-out, and of the fits if the estimator has none.

    Returns
    -------
    TuneResult
        The fitted model, its parameters and score, and all trials.
    """
    space = _space_for(estimator, space)
    settings = StudySettings(
        n_trials=n_trials,
        timeout=timeout,
        storage=storage,
        name=study_name,
        n_workers=n_workers,
        pruning=PRUNING.get(pruning, pruning),  # type: ignore[arg-type]
        random_state=random_state,
    ).settled()
    assert settings.random_state is not None
    judge, seed = judge_of(estimator), settings.random_state
    given = Sample(X, judge.target(estimator, y), sample_weight)
    train, held = _divided(estimator, judge, given, eval_set, np.random.default_rng(seed))
    objective = FitObjective(_seeded(estimator, seed), judge, train, held)
    study = run_study(objective, space, settings)
    best = objective.fitted(study.best_params, lambda *_: None)
    return TuneResult(best, study.best_params, judge.score(judge.loss(best, held)), study)


def _space_for(estimator: Any, space: Space | None) -> Space:
    """Space to search, its names checked."""
    name = type(estimator).__name__
    if space is None:
        if not isinstance(estimator, (LassoFlexNetRegressor, LassoFlexNetClassifier)):
            raise InvalidInput(
                f"`space` is None, and {name} has no space of its own. Pass a `Space`."
            )
        space = EVERYDAY
    space.check_names(estimator.get_params(), name)
    return space


def _seeded(estimator: Any, seed: int) -> Any:
    """Give the estimator a seed unless it has one, so that the best fit can be repeated."""
    model = clone(estimator)
    has_none = "random_state" in model.get_params() and model.random_state is None
    return model.set_params(random_state=seed % 2**31) if has_none else model


def _divided(
    estimator: Any, judge: Judge, given: Sample, eval_set: Any, rng: np.random.Generator
) -> tuple[Sample, Sample]:
    """Training and validation rows."""
    n_rows = given.X.shape[0] if hasattr(given.X, "shape") else len(given.X)
    check_lengths(n_rows, len(given.y), "y")
    weight = read_weights(given.weight, n_rows)
    given = given._replace(weight=None if given.weight is None else weight)
    if eval_set is not None:
        with naming("eval_set"):
            held = read_eval_set(eval_set)
            return given, Sample(held.X, judge.target(estimator, held.y), held.sample_weight)
    used = np.flatnonzero(weight)
    strata = given.y[used] if is_classifier(estimator) else None
    train, at = holdout(len(used), judge.fraction(estimator), strata, rng=rng)
    return given.rows(used[train]), given.rows(used[at])
