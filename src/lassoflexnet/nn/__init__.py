"""Codes -> prediction: embeddings, skip connection, backbones, network. Torch only."""

from lassoflexnet.nn.committee import Committee, Predictor, Trained
from lassoflexnet.nn.crew import Crew, can_be_crew
from lassoflexnet.nn.embeddings import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    ResidualEmbeddingSettings,
)
from lassoflexnet.nn.mixer import MixerSettings
from lassoflexnet.nn.mlp import MLPSettings
from lassoflexnet.nn.network import Network
from lassoflexnet.nn.skip import NoSkipSettings, TiedGroupSkipSettings

__all__ = [
    "Committee",
    "Crew",
    "IdentityEmbeddingSettings",
    "LinearEmbeddingSettings",
    "MLPSettings",
    "MixerSettings",
    "Network",
    "NoSkipSettings",
    "Predictor",
    "ResidualEmbeddingSettings",
    "TiedGroupSkipSettings",
    "Trained",
    "can_be_crew",
]
