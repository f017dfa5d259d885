"""From a recipe to a network."""

from dataclasses import replace

import pytest
import torch

from lassoflexnet.assembly import build_network, sketched
from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
    NoSkipSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.nn.mixer import Mixer
from lassoflexnet.nn.mlp import MLP
from lassoflexnet.nn.skip import NoSkip, TiedGroupSkip
from lassoflexnet.recipe import Recipe
from tests.nn.makers import MIXED, random_codes

RESIDUAL = ResidualEmbeddingSettings(d_embedding=6, n_layers=1, d_layer=5)


@pytest.mark.parametrize(
    ("embedding", "width"),
    [(RESIDUAL, 6), (LinearEmbeddingSettings(7), 7), (IdentityEmbeddingSettings(), 11)],
)
@pytest.mark.parametrize("backbone", [MLPSettings(1, 8), MixerSettings(1, 8)], ids=str)
def test_parts_fit_together(embedding, width: int, backbone):
    network = build_network(Recipe(embedding=embedding, backbone=backbone), MIXED, n_outputs=3)
    codes = random_codes(MIXED, 10)
    assert network.embedding(codes).shape == (4, 10, width)
    assert network(codes).shape == (10, 3)
    assert network.gate().beta.shape == (4, 3)
    assert network.layout == MIXED


def test_parts_are_those_of_the_recipe():
    small = Recipe(embedding=RESIDUAL, backbone=MLPSettings(2, 8), tau=0.25)
    network = build_network(small, MIXED, 1)
    assert isinstance(network.backbone, MLP)
    assert isinstance(network.skip, TiedGroupSkip)
    assert network.tau == 0.25
    assert network.backbone.head.in_features == 8
    other = Recipe(embedding=RESIDUAL, backbone=MixerSettings(2, 8), skip=NoSkipSettings())
    network = build_network(other, MIXED, 1)
    assert isinstance(network.backbone, Mixer)
    assert isinstance(network.skip, NoSkip)


def test_seed_decides_the_weights():
    recipe = Recipe(embedding=RESIDUAL, backbone=MLPSettings(1, 8))

    def weights(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        network = build_network(recipe, MIXED, 1)
        return torch.cat([p.detach().flatten() for p in network.parameters()])

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))


@pytest.mark.parametrize(("width", "narrower"), [(256, 128), (100, 64), (64, 64), (16, 16)])
@pytest.mark.parametrize(("dropout", "more"), [(0.1, 0.2), (0.25, 0.3), (0.4, 0.4)])
@pytest.mark.parametrize("kind", [MLPSettings, MixerSettings])
def test_sketch_is_narrower_has_more_dropout_and_is_the_same_otherwise(
    kind, dropout: float, more: float, width: int, narrower: int
):
    recipe = Recipe(embedding=RESIDUAL, backbone=kind(3, width, dropout), tau=0.3)
    embedding = replace(RESIDUAL, dropout=max(more / 2, RESIDUAL.dropout))
    assert sketched(recipe) == Recipe(
        embedding=embedding, backbone=kind(3, narrower, more), tau=0.3
    )


def test_sketch_of_an_embedding_without_dropout():
    recipe = Recipe(embedding=LinearEmbeddingSettings())
    assert sketched(recipe).embedding == recipe.embedding
