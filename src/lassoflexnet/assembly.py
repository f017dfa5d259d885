"""Assembly: where a recipe meets the shape of the data.

Called by estimators.
"""

from dataclasses import replace

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


# A sketch is not made narrower than this: little time would be saved.
SKETCH_WIDTH = 64


# Dropout of a sketch above the recipe's, and its limit.
MORE_DROPOUT, MOST_DROPOUT = 0.1, 0.3


def sketched(recipe: Recipe) -> Recipe:
    """The recipe with a backbone of half the width and more dropout, to select columns with.

    Which columns a network needs shows at half its width too, in half the time. A sketch sees
    all columns and is trained on and on along the path: it would learn noise by heart.
    """
    width, dropout = recipe.backbone.d_hidden, recipe.backbone.dropout
    more = max(min(dropout + MORE_DROPOUT, MOST_DROPOUT), dropout)
    backbone = replace(
        recipe.backbone, d_hidden=max(width // 2, min(width, SKETCH_WIDTH)), dropout=more
    )
    return replace(recipe, backbone=backbone, embedding=recipe.embedding.with_dropout(more / 2))
