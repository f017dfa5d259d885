"""Search spaces of the baselines, by the names that methods have in experiment files.

Data only: the benchmark hands them to ``run_study``. Names are fields of its adapters.
"""

from lassoflexnet.tuning.ranges import Fixed, FloatRange, IntRange, ZeroOr
from lassoflexnet.tuning.space import Space

# TabZilla's ranges. Its 100 or 500 trees do not let the smaller learning rates come to an
# end; with as many as here, early stopping decides, as in the feature-selection benchmark.
_N_TREES = Fixed(2000)
_RATE = FloatRange(0.01, 0.3, log=True)

XGBOOST = Space(
    {
        "n_estimators": _N_TREES,
        "max_depth": IntRange(2, 12, log=True),
        "reg_alpha": FloatRange(1e-8, 1.0, log=True),
        "reg_lambda": FloatRange(1e-8, 1.0, log=True),
        "learning_rate": _RATE,
    }
)
CATBOOST = Space(
    {
        "n_estimators": _N_TREES,
        "max_depth": IntRange(2, 12, log=True),
        "l2_leaf_reg": FloatRange(0.5, 30.0, log=True),
        "learning_rate": _RATE,
    }
)
LIGHTGBM = Space(
    {
        "n_estimators": _N_TREES,
        "num_leaves": IntRange(2, 4096, log=True),
        "reg_alpha": FloatRange(1e-8, 10.0, log=True),
        "reg_lambda": FloatRange(1e-8, 10.0, log=True),
        "learning_rate": _RATE,
    }
)
RANDOM_FOREST = Space({"max_depth": IntRange(2, 12, log=True), "n_estimators": IntRange(5, 100)})

# The feature-selection benchmark's ranges. It draws the first, the middle and the last width
# of the MLP apart; here all layers have one.
MLP = Space(
    {
        "n_blocks": IntRange(1, 8),
        "d_block": IntRange(1, 512),
        "dropout": ZeroOr(FloatRange(0.0, 0.5)),
        "learning_rate": FloatRange(1e-5, 1e-2, log=True),
        "weight_decay": ZeroOr(FloatRange(1e-6, 1e-3, log=True)),
    }
)
FT_TRANSFORMER = Space(
    {
        "n_blocks": IntRange(1, 4),
        # Steps of 8, so that eight heads divide it.
        "d_block": IntRange(64, 512, step=8),
        "ffn_factor": FloatRange(2 / 3, 8 / 3),
        "attention_dropout": FloatRange(0.0, 0.5),
        "ffn_dropout": FloatRange(0.0, 0.5),
        "residual_dropout": ZeroOr(FloatRange(0.0, 0.2)),
        "learning_rate": FloatRange(1e-5, 1e-3, log=True),
        "weight_decay": FloatRange(1e-6, 1e-3, log=True),
    }
)

# TabM's own ranges, without embeddings of numbers: with them, at most 4 blocks.
TABM = Space(
    {
        "n_blocks": IntRange(1, 5),
        "d_block": IntRange(64, 1024, step=16),
        "dropout": ZeroOr(FloatRange(0.0, 0.5)),
        "lr": FloatRange(1e-4, 5e-3, log=True),
        "weight_decay": ZeroOr(FloatRange(1e-4, 1e-1, log=True)),
    }
)

# TabZilla tunes nothing else of it.
DEEPFM = Space({"dropout": FloatRange(0.0, 0.9)})

BASELINES: dict[str, Space] = {
    "xgboost": XGBOOST,
    "catboost": CATBOOST,
    "lightgbm": LIGHTGBM,
    "random_forest": RANDOM_FOREST,
    "mlp": MLP,
    "ft_transformer": FT_TRANSFORMER,
    "tabm": TABM,
    "tabm_mini": TABM,
    "deepfm": DEEPFM,
}
"""Space of each method that is tuned."""
