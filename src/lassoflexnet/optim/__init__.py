"""How a step is taken: optimisers as parts, schedules and the proximal wrapper."""

from lassoflexnet.optim.optimizers import (
    AdamWSettings,
    HypergradientAdamSettings,
    MuonSettings,
    NesterovSettings,
    OptimizerSettings,
)
from lassoflexnet.optim.proximal import ProximalOptimizer
from lassoflexnet.optim.schedules import Constant, WarmupCosine
from lassoflexnet.optim.stepper import Stepper

__all__ = [
    "AdamWSettings",
    "Constant",
    "HypergradientAdamSettings",
    "MuonSettings",
    "NesterovSettings",
    "OptimizerSettings",
    "ProximalOptimizer",
    "Stepper",
    "WarmupCosine",
]
