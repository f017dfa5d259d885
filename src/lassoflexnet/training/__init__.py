"""When to step and when to stop: tasks, stages, the lambda path, the choice on it."""

from lassoflexnet.training.choice import AtMost, BestValidation, OneStandardError
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.endings import AsKept, TrainOn
from lassoflexnet.training.fit import Trainer
from lassoflexnet.training.history import History, Monitor
from lassoflexnet.training.members import Members
from lassoflexnet.training.path import PathSettings
from lassoflexnet.training.plan import Plan
from lassoflexnet.training.points import LambdaPath, PathPoint
from lassoflexnet.training.result import FitResult
from lassoflexnet.training.screening import MarginalScreening, ScreeningReport
from lassoflexnet.training.stage import Objective, StageSettings

__all__ = [
    "AsKept",
    "AtMost",
    "BestValidation",
    "FitResult",
    "History",
    "LambdaPath",
    "MarginalScreening",
    "Members",
    "Monitor",
    "Objective",
    "OneStandardError",
    "PathPoint",
    "PathSettings",
    "Plan",
    "Rows",
    "ScreeningReport",
    "StageSettings",
    "TrainOn",
    "Trainer",
    "TrainingData",
]
