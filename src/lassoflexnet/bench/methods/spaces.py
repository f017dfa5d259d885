"""Search spaces by name: ours, the baselines', and those of two stages tuned together.

Used by methods that are tuned first. Names with dots are settings of a stage.
"""

from lassoflexnet.tuning import FloatRange, IntRange, Space, ZeroOr
from lassoflexnet.tuning.baselines import BASELINES, FT_TRANSFORMER, MLP
from lassoflexnet.tuning.ranges import Range
from lassoflexnet.tuning.spaces import SPACES


def _within(part: str, space: Space) -> dict[str, Range]:
    """The same ranges, for a part of something."""
    return {f"{part}.{name}": values for name, values in space.ranges.items()}


_STRENGTH: dict[str, Range] = {"strength": FloatRange(1e-2, 5e-1, log=True)}

# The feature-selection benchmark's ranges of its selectors: a selector that trains a network
# draws that network's settings too, apart from those of the model behind it. Of the adaptive
# group lasso and of LassoNet no ranges were published: the first has the strength alone.
SELECTORS: dict[str, dict[str, Range]] = {
    "univariate": {},
    "lasso": {"lasso.alpha": FloatRange(1e-4, 1.0)},
    "one_layer_lasso": {**_STRENGTH, **_within("network", MLP)},
    "adaptive_group_lasso": _STRENGTH,
    "lassonet": {},
    "attention_map": _within("network", FT_TRANSFORMER),
    "random_forest": {
        "forest.n_estimators": IntRange(10, 2000),
        "forest.max_depth": IntRange(3, 10),
    },
    "xgboost": {
        "trees.max_depth": IntRange(3, 10),
        "trees.min_child_weight": FloatRange(1e-8, 1e5, log=True),
        "trees.subsample": FloatRange(0.5, 1.0),
        "trees.colsample_bytree": FloatRange(0.5, 1.0),
        "trees.learning_rate": FloatRange(1e-5, 1.0, log=True),
        "trees.gamma": ZeroOr(FloatRange(1e-3, 100.0, log=True)),
        "trees.reg_lambda": ZeroOr(FloatRange(0.1, 10.0, log=True)),
    },
    "deep_lasso": {**_STRENGTH, **_within("network", MLP)},
}


def _two_stages(selector: str, downstream: str) -> Space:
    first = _within("selector", Space(SELECTORS[selector]))
    return Space({**first, **_within("downstream", BASELINES[downstream])})


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
