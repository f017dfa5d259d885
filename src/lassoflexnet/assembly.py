"""Assembly: where a recipe meets the shape of the data.

Called by estimators.
"""

import torch

from lassoflexnet.codes import CodeLayout
from lassoflexnet.nn import Network
from lassoflexnet.recipe import Recipe


def build_network(recipe: Recipe, layout: CodeLayout, n_outputs: int) -> Network:
    """Make the recipe's network for a table and a number of outputs."""
    d, width = layout.n_features, recipe.embedding.width(layout)
    return Network(
        layout,
        embedding=recipe.embedding.build(layout),
        skip=recipe.skip.build(d, n_outputs),
        backbone=recipe.backbone.build(d, width, n_outputs),
        tau=recipe.tau,
        precision=getattr(torch, recipe.precision),
    )
