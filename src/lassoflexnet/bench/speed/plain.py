"""The same network written plainly: one module per feature, in a loop.

The speed benchmark's yardstick for a training step. Layers and sizes are those of the
paper's model; nothing is batched over features, codes are dense, dropout is torch's.
"""

import torch
from torch import Tensor, nn

from lassoflexnet.nn.embeddings import ResidualEmbeddingSettings
from lassoflexnet.nn.mixer import MixerSettings


class PlainEmbedding(nn.Module):
    """Code of one feature -> token: (n, k) -> (n, e)."""

    def __init__(self, n_slots: int, s: ResidualEmbeddingSettings) -> None:
        super().__init__()
        self.first = nn.Linear(n_slots, s.d_layer)
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.Linear(s.d_layer, s.d_layer),
                nn.ReLU(),
                nn.LayerNorm(s.d_layer),
                nn.Dropout(s.dropout),
            )
            for _ in range(s.n_layers)
        )
        self.last = nn.Linear(s.d_layer, s.d_embedding)
        self.norm = nn.BatchNorm1d(s.d_embedding, affine=False)

    def forward(self, code: Tensor) -> Tensor:
        """Embed and normalise."""
        h = self.first(code)
        for layer in self.layers:
            h = h + layer(h)
        return self.norm(self.last(h))


class PlainMixing(nn.Module):
    """Linear, GELU, dropout, linear, dropout over the last axis."""

    def __init__(self, d_in: int, d_hidden: int, d_out: int, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(d_in, d_hidden)
        self.layers = nn.Sequential(
            self.inner,
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(d_hidden, d_out),
            nn.Dropout(dropout),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Mix."""
        return self.layers(x)


class PlainNetwork(nn.Module):
    """Dense codes (n, d, k) -> outputs (n, 1); the layers of ``Network`` with a Mixer."""

    def __init__(
        self,
        n_features: int,
        n_slots: int,
        embedding: ResidualEmbeddingSettings,
        mixer: MixerSettings,
        tau: float,
    ) -> None:
        super().__init__()
        d, e, h, p = n_features, embedding.d_embedding, mixer.d_hidden, mixer.dropout
        self.tau = tau
        self.embeddings = nn.ModuleList(PlainEmbedding(n_slots, embedding) for _ in range(d))
        self.beta = nn.Parameter(torch.zeros(d, 1))
        self.intercept = nn.Parameter(torch.zeros(1))
        self.token_norms = nn.ModuleList(nn.LayerNorm(e) for _ in range(mixer.n_blocks - 1))
        tokens = [PlainMixing(d, h, d, p) for _ in range(mixer.n_blocks)]
        self.tokens = nn.ModuleList(tokens)
        self.entry = tokens[0].inner
        self.channel_norms = nn.ModuleList(nn.LayerNorm(e) for _ in range(mixer.n_blocks - 1))
        self.channels = nn.ModuleList(PlainMixing(e, h, e, p) for _ in range(mixer.n_blocks))
        self.head_norm = nn.LayerNorm(e)
        self.head = nn.Linear(e, 1)

    def forward(self, codes: Tensor) -> Tensor:
        """Predict."""
        tokens = [embed(codes[:, j]) for j, embed in enumerate(self.embeddings)]
        z = torch.stack(tokens, dim=1)
        x = self.channels[0](self.tokens[0](z.transpose(1, 2)).transpose(1, 2))
        for i in range(1, len(self.tokens)):
            mixed = self.tokens[i](self.token_norms[i - 1](x).transpose(1, 2)).transpose(1, 2)
            x = x + mixed
            x = x + self.channels[i](self.channel_norms[i - 1](x))
        backbone = self.head(self.head_norm(x).mean(dim=1))
        return z.mean(dim=2) @ self.beta + self.intercept + self.tau * backbone

    @property
    def gated_weight(self) -> Tensor:
        """First-layer weights: (hidden, d)."""
        return self.entry.weight
