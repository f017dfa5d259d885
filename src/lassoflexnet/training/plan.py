"""The plan: stages, path and choice of a fit, with their budgets, as one value.

Part of a recipe; carried out by the trainer.
"""

from dataclasses import dataclass

from lassoflexnet.optim import AdamWSettings, OptimizerSettings
from lassoflexnet.training.choice import OneStandardError, PathChoice
from lassoflexnet.training.members import Ending, Members
from lassoflexnet.training.path import PathSettings
from lassoflexnet.training.screening import MarginalScreening
from lassoflexnet.training.stage import StageSettings


@dataclass(frozen=True)
class Plan:
    """How a network is trained.

    Attributes
    ----------
    optimizer, dense : parts
        Optimiser and budget of the dense stage. Networks of the comparison and refits are
        trained by the same optimiser; members have one of their own.
    path : PathSettings
        The lambda path.
    max_supports : int
        Supports of the path that are compared with the largest one. Without cross-fitting all
        that are compared: those of the lowest validation error, and if there are several the
        largest.
    n_folds : int
        Folds of the cross-fitted comparison; 0 compares refits on the validation rows alone.
    n_deals : int
        How often rows are dealt out to folds, the outputs averaged. One network on many columns
        is poor where several together are good; to compare supports by one each favours the
        smallest. Estimators with flat arguments choose it by the number of rows.
    fold : StageSettings
        Budget of each network of that comparison.
    choice : part
        Which support is kept.
    relax, refit : StageSettings
        Budgets of training the survivors once more without lambda: from the path's weights,
        and from scratch. 0 epochs leave it out; a fresh start cost as much and rarely won.
    ending : part
        What becomes of the kept features once nothing is left to choose.
    model_ema_decay : float
        Decay of the average of the whole network; 0 leaves it out.
    screening : MarginalScreening or None
        Which columns enter at all when there are very many; None takes all.
    """

    optimizer: OptimizerSettings = AdamWSettings(learning_rate=4e-3)
    dense: StageSettings = StageSettings()
    path: PathSettings = PathSettings()
    max_supports: int = 4
    n_folds: int = 2
    n_deals: int = 1
    fold: StageSettings = StageSettings(max_epochs=15, batch_size=256, evaluate_every=5)
    choice: PathChoice = OneStandardError()
    relax: StageSettings = StageSettings(max_epochs=18)
    refit: StageSettings = StageSettings(max_epochs=0)
    ending: Ending = Members()
    model_ema_decay: float = 0.99
    screening: MarginalScreening | None = MarginalScreening()
