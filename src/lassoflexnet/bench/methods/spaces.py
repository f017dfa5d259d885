"""Search spaces by name: ours, the baselines', and those of two stages tuned together.

Used by methods that are tuned first. Names with dots are settings of a stage.
"""

from lassoflexnet.tuning import FloatRange, IntRange, Space
from lassoflexnet.tuning.baselines import BASELINES
from lassoflexnet.tuning.ranges import Range
from lassoflexnet.tuning.spaces import SPACES

_STRENGTH: dict[str, Range] = {"strength": FloatRange(1e-2, 5e-1, log=True)}

# The feature-selection benchmark's ranges of its selectors; attention map and LassoNet are
# tuned by nothing of their own there.
SELECTORS: dict[str, dict[str, Range]] = {
    "univariate": {},
    "lasso": {"lasso.alpha": FloatRange(1e-4, 1.0)},
    "one_layer_lasso": _STRENGTH,
    "adaptive_group_lasso": _STRENGTH,
    "lassonet": {},
    "attention_map": {},
    "random_forest": {
        "forest.n_estimators": IntRange(10, 2000),
        "forest.max_depth": IntRange(3, 10),
    },
    "xgboost": {
        "trees.max_depth": IntRange(3, 10),
        "trees.learning_rate": FloatRange(1e-5, 1.0, log=True),
        "trees.reg_lambda": FloatRange(0.1, 10.0, log=True),
    },
    "deep_lasso": _STRENGTH,
}


def _two_stages(selector: str, downstream: str) -> Space:
    ranges = {f"selector.{name}": part for name, part in SELECTORS[selector].items()}
    behind = BASELINES[downstream].ranges
    return Space({**ranges, **{f"downstream.{name}": part for name, part in behind.items()}})


ALL_SPACES: dict[str, Space] = {
    **BASELINES,
    **SPACES,
    **{
        f"{selector}+{downstream}": _two_stages(selector, downstream)
        for selector in SELECTORS
        for downstream in ("mlp", "ft_transformer")
    },
}
"""Every search space by the name it has in experiment files."""
