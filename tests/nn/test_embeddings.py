"""Embeddings: what each is made of, and that features do not touch one another."""

import pytest
import torch
import torch.nn.functional as F

from lassoflexnet.codes import dense_codes
from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.nn.embeddings import ResidualLayer
from tests.nn.makers import EMBEDDINGS, MIXED, RESIDUAL, random_codes, shake

N = 60
every_embedding = pytest.mark.parametrize("settings", EMBEDDINGS, ids=str)


@every_embedding
def test_width(settings):
    embedding, codes = settings.build(MIXED), random_codes(MIXED, N)
    assert embedding(codes).shape == (4, N, settings.width(MIXED))


@every_embedding
def test_each_feature_has_its_own_way(settings):
    embedding, codes = settings.build(MIXED).eval(), random_codes(MIXED, N)
    shake(embedding)
    other = random_codes(MIXED, N, seed=1)
    slot, fraction = codes.slot.clone(), codes.fraction.clone()
    slot[2:5], fraction[2:5] = other.slot[2:5], other.fraction[2:5]
    before, after = embedding(codes), embedding(codes._replace(slot=slot, fraction=fraction))
    assert torch.equal(before[[0, 1, 3]], after[[0, 1, 3]])
    assert not torch.equal(before[2], after[2])


@every_embedding
def test_moments_are_what_training_sees(settings):
    embedding, codes = settings.build(MIXED), random_codes(MIXED, N)
    shake(embedding)
    embedding.set_moments(codes)
    torch.testing.assert_close(embedding.eval()(codes), embedding.train()(codes))


def test_residual_embedding_is_first_layer_residual_layers_last_layer_norm():
    embedding, codes = RESIDUAL.build(MIXED), random_codes(MIXED, N)
    shake(embedding)
    (first, second), last = embedding.body, embedding.last
    expected = last(second(first(embedding.first(codes))))
    torch.testing.assert_close(embedding(codes), embedding.norm(expected))
    assert first.linear.weight.shape == (4, 5, 5)
    assert last.weight.shape == (4, 5, 4)


@pytest.mark.parametrize("n_layers", [0, 1, 3])
def test_number_of_residual_layers(n_layers: int):
    body = ResidualEmbeddingSettings(n_layers=n_layers).build(MIXED).body
    assert sum(isinstance(layer, ResidualLayer) for layer in body) == n_layers


def test_dropout_acts_on_the_branch_not_on_the_residual():
    layer = ResidualLayer(2, 8, dropout=0.5)
    shake(layer)
    h = torch.randn(2, 1000, 8)
    torch.manual_seed(0)
    branch, plain = layer(h) - h, layer.eval()(h) - h
    kept = branch.abs() > 1e-6
    assert 0.45 < kept.float().mean() < 0.55
    torch.testing.assert_close(branch[kept], 2 * plain[kept], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(plain, layer.norm(F.relu(layer.linear(h))), atol=1e-6, rtol=1e-5)


def test_dropout_of_the_settings_reaches_the_layers():
    body = ResidualEmbeddingSettings(dropout=0.5).build(MIXED).body
    assert [layer.dropout.p for layer in body] == [0.5, 0.5]


def test_linear_embedding_is_a_normalised_linear_map_of_the_code():
    embedding, codes = LinearEmbeddingSettings(3).build(MIXED), random_codes(MIXED, N)
    linear = dense_codes(codes, MIXED) @ embedding.first.weight + embedding.first.bias
    torch.testing.assert_close(embedding(codes), embedding.norm(linear), atol=1e-5, rtol=1e-4)


def test_identity_embedding_is_the_normalised_code():
    embedding, codes = IdentityEmbeddingSettings().build(MIXED), random_codes(MIXED, N)
    assert not list(embedding.parameters())
    torch.testing.assert_close(embedding(codes), embedding.norm(dense_codes(codes, MIXED)))


def test_learnable_norm_is_learned():
    embedding = ResidualEmbeddingSettings(learnable_norm=True).build(MIXED)
    assert {name for name, _ in embedding.norm.named_parameters()} == {"scale", "shift"}
