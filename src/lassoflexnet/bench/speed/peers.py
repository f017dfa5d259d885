"""The packages we are timed against, behind one call each; same rows, same threads.

LassoNet holds out rows itself, as we do; the others are told which. Used by the sections on
fitting and predicting. Imported where needed: they are extras.
"""

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from lassoflexnet.bench.rows import Split


def lassonet_path(split: Split) -> int:
    """LassoNet's whole path at its default multiplier of 1.02; its number of lambdas."""
    from lassonet import LassoNetRegressor

    X, y = split.train.joined(split.validation)
    X = StandardScaler().fit_transform(X).astype(np.float32)
    model = LassoNetRegressor(path_multiplier=1.02, random_state=0, torch_seed=0, device="cpu")
    return len(model.path(X, y.astype(np.float32), return_state_dicts=False))


def realmlp(split: Split, n_threads: int) -> Any:
    """RealMLP with its tuned defaults."""
    from pytabkit import RealMLP_TD_Regressor

    model = RealMLP_TD_Regressor(random_state=0, n_threads=n_threads, device="cpu")
    return model.fit(*split.train, *split.validation)


def tabm(split: Split, n_threads: int, **changes: Any) -> Any:
    """TabM with its defaults."""
    from pytabkit import TabM_D_Regressor

    model = TabM_D_Regressor(random_state=0, n_threads=n_threads, device="cpu", **changes)
    return model.fit(*split.train, *split.validation)


def catboost(split: Split, n_threads: int) -> Any:
    """CatBoost with its defaults."""
    from catboost import CatBoostRegressor

    model = CatBoostRegressor(
        random_seed=0, thread_count=n_threads, verbose=False, allow_writing_files=False
    )
    return model.fit(*split.train, eval_set=tuple(split.validation))
