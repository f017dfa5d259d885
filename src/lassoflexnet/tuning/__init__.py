"""Search for good settings with Optuna: spaces as data, studies that many workers share."""

from lassoflexnet.tuning.ranges import Choice, Fixed, FloatRange, IntRange, ZeroOr
from lassoflexnet.tuning.search import TuneResult, tune
from lassoflexnet.tuning.space import Space
from lassoflexnet.tuning.study import Halving, StudySettings, run_study
from lassoflexnet.tuning.trials import StudyResult, TrialRow

__all__ = [
    "tune",
    "TuneResult",
    "run_study",
    "StudySettings",
    "StudyResult",
    "TrialRow",
    "Halving",
    "Space",
    "IntRange",
    "FloatRange",
    "Choice",
    "ZeroOr",
    "Fixed",
]
