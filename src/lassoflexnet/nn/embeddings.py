"""Embeddings: the code of each feature -> its token, normalised over rows.

Called by the network. Each has frozen settings with ``build(layout)``.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from lassoflexnet.nn.code_linear import CodeLinear
from lassoflexnet.nn.dropout import Dropout
from lassoflexnet.nn.per_feature import (
    LearnableBatchNorm,
    PerFeatureBatchNorm,
    PerFeatureLayerNorm,
    PerFeatureLinear,
    ScaleShift,
)


class ResidualLayer(nn.Module):
    """h + LN(ReLU(W h + b)), per feature (paper, "Per-Feature Embedding")."""

    def __init__(self, n_features: int, width: int, dropout: float) -> None:
        super().__init__()
        self.linear = PerFeatureLinear(n_features, width, width)
        self.norm = PerFeatureLayerNorm(n_features, width)
        self.dropout = Dropout(dropout)

    def forward(self, h: Tensor) -> Tensor:
        """(d, n, width) -> (d, n, width)."""
        return self.dropout.added(h, self.norm(self.linear(h).relu_()))


class Embedding(nn.Module):
    """Code of each feature -> token: first layer, body, last map, normalisation.

    Shape: codes of n rows -> (d, n, d_embedding).
    """

    def __init__(
        self,
        first: "CodeLinear | DenseCodes",
        body: nn.Sequential,
        last: "PerFeatureLinear | NoMap",
        norm: PerFeatureBatchNorm,
    ) -> None:
        super().__init__()
        self.first = first
        self.body = body
        self.last = last
        self.norm = norm

    def forward(self, codes: Codes) -> Tensor:
        """Embed and normalise."""
        return self.norm(self._embedded(codes))

    def _embedded(self, codes: Codes) -> Tensor:
        embedded: Tensor = self.last(self.body(self.first(codes)))
        return embedded

    def set_layout(self, layout: CodeLayout) -> None:
        """Take another layout, after features were cut out."""
        self.first.set_layout(layout)

    def finished(self) -> nn.Sequential:
        """The same to predict with, never to be trained again."""
        end = self.last.then(self.norm.finished())
        return nn.Sequential(self.first.finished(), *self.body, end)

    def set_moments(self, codes: Codes) -> None:
        """Set the normalisation's statistics to those of these rows."""
        training = self.training
        self.eval()
        with torch.no_grad():
            self.norm.set_moments(self._embedded(codes))
        self.train(training)


class NoMap(nn.Module):
    """No last map: tokens are what comes before."""

    def forward(self, x: Tensor) -> Tensor:
        """Return them."""
        return x

    def then(self, after: ScaleShift) -> ScaleShift:
        """What is applied to them alone."""
        return after


class DenseCodes(nn.Module):
    """The codes themselves as vectors: (d, n, k)."""

    def __init__(self, layout: CodeLayout) -> None:
        super().__init__()
        self.set_layout(layout)

    def set_layout(self, layout: CodeLayout) -> None:
        """Note the layout."""
        self.layout = layout

    def finished(self) -> "DenseCodes":
        """They have no weights."""
        return self

    def forward(self, codes: Codes) -> Tensor:
        """Expand."""
        return dense_codes(codes, self.layout)


@dataclass(frozen=True)
class ResidualEmbeddingSettings:
    """A small residual network per feature (the paper's PFE).

    Attributes
    ----------
    d_embedding : int
        Width of the token.
    n_layers, d_layer : int
        Residual layers and their width.
    dropout : float
        Dropout inside the residual layers.
    learnable_norm : bool
        Whether the final BatchNorm has a learnable scale and shift. The paper's has
        not, so that skip weights of different features can be compared.
    """

    d_embedding: int = 16
    n_layers: int = 2
    d_layer: int = 16
    dropout: float = 0.1
    learnable_norm: bool = False

    def build(self, layout: CodeLayout) -> Embedding:
        """Make the module for a table."""
        d = layout.n_features
        layers = [ResidualLayer(d, self.d_layer, self.dropout) for _ in range(self.n_layers)]
        last = PerFeatureLinear(d, self.d_layer, self.d_embedding)
        norm = LearnableBatchNorm if self.learnable_norm else PerFeatureBatchNorm
        first = CodeLinear(layout, self.d_layer)
        return Embedding(first, nn.Sequential(*layers), last, norm(d, self.d_embedding))

    def width(self, layout: CodeLayout) -> int:  # noqa: ARG002
        """Width of the token."""
        return self.d_embedding

    def with_dropout(self, least: float) -> "ResidualEmbeddingSettings":
        """The same with at least so much dropout."""
        return replace(self, dropout=max(least, self.dropout))


@dataclass(frozen=True)
class LinearEmbeddingSettings:
    """One linear map per feature (the paper's "linear PFE" ablation)."""

    d_embedding: int = 16

    def build(self, layout: CodeLayout) -> Embedding:
        """Make the module for a table."""
        norm = PerFeatureBatchNorm(layout.n_features, self.d_embedding)
        return Embedding(CodeLinear(layout, self.d_embedding), nn.Sequential(), NoMap(), norm)

    def width(self, layout: CodeLayout) -> int:  # noqa: ARG002
        """Width of the token."""
        return self.d_embedding

    def with_dropout(self, least: float) -> "LinearEmbeddingSettings":  # noqa: ARG002
        """The same: it has no layers to drop from."""
        return self


@dataclass(frozen=True)
class IdentityEmbeddingSettings:
    """The padded code itself as token (the paper's "no PFE" ablation)."""

    def build(self, layout: CodeLayout) -> Embedding:
        """Make the module for a table."""
        norm = PerFeatureBatchNorm(layout.n_features, layout.max_slots)
        return Embedding(DenseCodes(layout), nn.Sequential(), NoMap(), norm)

    def width(self, layout: CodeLayout) -> int:
        """Width of the token."""
        return layout.max_slots

    def with_dropout(self, least: float) -> "IdentityEmbeddingSettings":  # noqa: ARG002
        """The same: it has no layers to drop from."""
        return self
