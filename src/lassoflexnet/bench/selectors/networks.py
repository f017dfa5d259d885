"""Selectors read off other networks: attention of the FT-Transformer, and LassoNet's path.

Rows of the catalogue.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lassoflexnet.bench.methods.lassonet import LassoNet
from lassoflexnet.bench.methods.networks import FTTransformer, Tokens
from lassoflexnet.bench.methods.training import outputs
from lassoflexnet.bench.rows import Split


@dataclass(frozen=True)
class LassoNetSelector:
    """Number of points of LassoNet's path at which a column is still in use."""

    network: LassoNet = LassoNet()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        # Not the package's importances: a column that is out from the start is infinite there.
        return self.network.walk(split, seed).alive.sum(axis=0).astype(float)


@dataclass(frozen=True)
class AttentionMap:
    """Attention that the output token pays to each column, on the validation rows."""

    network: FTTransformer = FTTransformer()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column: mean over rows, heads and blocks."""
        problem = self.network.pose(split)
        module, _ = self.network.train(problem, seed)
        attention = attention_of_output(module, problem.rows[1].inputs)
        found = np.zeros(problem.encoder.n_columns)
        found[problem.encoder.tokens] = attention.numpy()
        return found


def attention_of_output(module: Tokens, inputs: tuple[Tensor, ...]) -> Tensor:
    """Attention from the output token to those of columns: (numeric and nominal columns,)."""
    seen: list[Tensor] = []
    blocks: list[Any] = [block["attention"] for block in module.network.backbone.blocks]

    def look(attention: Any, tokens: tuple[Tensor, Tensor], _: Tensor) -> None:
        query, key = attention.W_q(tokens[0][:, :1]), attention.W_k(tokens[1])
        query, key = (_heads(values, attention._n_heads) for values in (query, key))
        logits = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        seen.append(logits.softmax(dim=-1)[:, :, 0, 1:].mean(dim=1))

    hooks = [attention.register_forward_hook(look) for attention in blocks]
    try:
        outputs(module, inputs)
    finally:
        for hook in hooks:
            hook.remove()
    # Rows may have come in several chunks of different lengths.
    return torch.cat(seen).mean(dim=0)


def _heads(values: Tensor, n_heads: int) -> Tensor:
    """(n, tokens, d) -> (n, heads, tokens, d / heads)."""
    n, n_tokens, width = values.shape
    return values.reshape(n, n_tokens, n_heads, width // n_heads).transpose(1, 2)
