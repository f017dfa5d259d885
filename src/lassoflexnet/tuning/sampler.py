"""TPE that depends on the seed and the trial's number alone, besides the results so far.

Used by every worker of a study; needs Optuna, so it is imported when a study starts.
"""

import warnings
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import BaseSampler, TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial


class NumberedTPE(BaseSampler):
    """Multivariate TPE with a fresh generator for each trial.

    One generator per process would make workers of one seed draw the same first trials, and
    a resumed study repeat those of its first run. A generator per trial number makes a study
    the same whether it was interrupted or not.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._tpe = _tpe(seed, 0)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Start anew for this trial."""
        self._tpe = _tpe(self.seed, trial.number)
        self._tpe.before_trial(study, trial)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Parameters to be drawn together."""
        return self._tpe.infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Draw those."""
        return self._tpe.sample_relative(study, trial, search_space)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """Draw a parameter alone."""
        return self._tpe.sample_independent(study, trial, param_name, param_distribution)


def _tpe(seed: int, number: int) -> TPESampler:
    own = int(np.random.SeedSequence((seed, number)).generate_state(1)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        # `group`: whether a `ZeroOr` is on is drawn together with what it switches on.
        return TPESampler(multivariate=True, group=True, constant_liar=True, seed=own)
