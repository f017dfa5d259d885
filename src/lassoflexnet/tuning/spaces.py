"""Search spaces of LassoFlexNet: the paper's two, and a smaller one for everyday use.

Names are arguments of ``LassoFlexNetRegressor`` and ``LassoFlexNetClassifier``.
"""

from typing import Any

from lassoflexnet.tuning.ranges import Choice, Fixed, FloatRange, IntRange
from lassoflexnet.tuning.space import Space

# Where the flat arguments differ from the paper: one `d_hidden` for both of the Mixer's
# hidden layers, as its table reads; AdamW's rate on the path is half the dense stage's, since
# no range says "as much as another"; the schedule and lambda's weights are the defaults, not
# the paper's. The paper gives lambda's two ranges without a scale; over two powers of ten
# only a logarithmic one makes sense.
PAPER = Space(
    {
        "backbone": Fixed("mixer"),
        "binning": Fixed("tree"),
        "batch_size": Choice((512, 1024, 2048)),
        "n_blocks": IntRange(2, 5),
        "d_hidden": Choice((64, 128, 256, 512)),
        "d_embedding": IntRange(8, 32, step=2),
        "n_bins": IntRange(4, 32, step=2),
        "tau": FloatRange(0.01, 2.0),
        "embedding_dropout": FloatRange(0.05, 0.25),
        "dropout": FloatRange(0.05, 0.25),
        "n_embedding_layers": IntRange(2, 5),
        "d_embedding_layer": IntRange(8, 32),
        "learning_rate": FloatRange(1e-4, 1e-3, log=True),
        "weight_decay": FloatRange(1e-6, 1e-3, log=True),
        "lambda_start": FloatRange(1e-8, 1e-6, log=True),
        "lambda_multiplier": FloatRange(1e3, 1e5, log=True),
        "lambda_power": Fixed(0.95),
        "optimizer": Fixed("adamw"),
    }
)
"""The paper's space for feature selection and TabZilla."""

PAPER_TABRED = PAPER.changed(
    batch_size=Choice((1024, 2048, 4096)),
    n_blocks=IntRange(2, 6),
    n_bins=IntRange(16, 64, step=2),
    embedding_dropout=FloatRange(0.05, 0.5),
    n_embedding_layers=IntRange(2, 8),
    learning_rate=FloatRange(1e-5, 1e-3, log=True),
)
"""The paper's space for TabReD."""

PAPER_TRAINING: dict[str, Any] = {
    "max_epochs": 200,
    "max_epochs_per_lambda": 100,
    "patience": 20,
    "selection": "best",
    "refit": False,
}
"""How the paper trains in every trial: arguments to give to the estimator, not searched."""

EVERYDAY = Space(
    {
        "n_bins": IntRange(4, 64, log=True),
        "d_embedding": IntRange(8, 32, step=4),
        "n_blocks": IntRange(1, 5),
        "d_hidden": IntRange(32, 512, log=True),
        "dropout": FloatRange(0.0, 0.5),
        "tau": FloatRange(0.1, 2.0),
        "learning_rate": FloatRange(5e-4, 1e-2, log=True),
        "weight_decay": FloatRange(1e-4, 1e-1, log=True),
    }
)
"""Ranges around our defaults; what ``tune`` searches if it is given no space."""

SPACES = {"paper": PAPER, "paper_tabred": PAPER_TABRED, "everyday": EVERYDAY}
"""Our spaces by the names that a command or an experiment file may give."""
