"""Small layouts, codes and networks, and how they are taken apart.

Used by the tests of networks, steps and training.
"""

import numpy as np
import torch
from torch import Tensor, nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
    Network,
    NoSkipSettings,
    ResidualEmbeddingSettings,
    TiedGroupSkipSettings,
)

# A number, a category, a date (moment and two calendar parts), a scaled number.
MIXED = CodeLayout(
    feature=(0, 1, 2, 2, 2, 3),
    offset=(0, 0, 0, 4, 8, 0),
    n_ordered=(4, 0, 3, 0, 0, 1),
    n_slots=(5, 5, 11, 2),
)

RESIDUAL = ResidualEmbeddingSettings(d_embedding=4, n_layers=2, d_layer=5, dropout=0.0)
EMBEDDINGS = [
    RESIDUAL,
    ResidualEmbeddingSettings(4, 1, 5, 0.0, learnable_norm=True),
    LinearEmbeddingSettings(d_embedding=4),
    IdentityEmbeddingSettings(),
]
BACKBONES = [
    MLPSettings(n_blocks=2, d_hidden=8, dropout=0.0),
    MixerSettings(n_blocks=2, d_hidden=8, dropout=0.0),
    MixerSettings(n_blocks=2, d_hidden=8, dropout=0.0, n_tokens=3, pool_tokens=False),
]


def numbers(n_features: int, n_bins: int = 4) -> CodeLayout:
    """Layout of numeric columns: bins and a slot for missing values."""
    zeros = (0,) * n_features
    return CodeLayout(
        feature=tuple(range(n_features)),
        offset=zeros,
        n_ordered=(n_bins,) * n_features,
        n_slots=(n_bins + 1,) * n_features,
    )


def piece_sizes(layout: CodeLayout) -> list[int]:
    """Number of slots of each piece."""
    ends = [
        layout.offset[p + 1] if layout.feature[p + 1 : p + 2] == (f,) else layout.n_slots[f]
        for p, f in enumerate(layout.feature)
    ]
    return [end - start for start, end in zip(layout.offset, ends, strict=True)]


def random_codes(layout: CodeLayout, n: int, seed: int = 0) -> Codes:
    """Rows anywhere in the layout, missing values among them."""
    rng = np.random.default_rng(seed)
    slot = np.zeros((layout.n_pieces, n), dtype=np.int16)
    fraction = np.ones((layout.n_pieces, n), dtype=np.float32)
    for p, size in enumerate(piece_sizes(layout)):
        own = rng.integers(size, size=n)
        fraction[p] = np.where(own < layout.n_ordered[p], rng.random(n), 1.0)
        slot[p] = own + layout.offset[p]
    return Codes(torch.from_numpy(slot), torch.from_numpy(fraction))


def codes_of(x: np.ndarray, n_bins: int = 4) -> Codes:
    """Code numbers between 0 and 1, (n, d), in equal bins, as ``numbers`` lays them out."""
    slot = np.minimum((x.T * n_bins).astype(np.int64), n_bins - 1)
    return Codes(torch.from_numpy(slot), torch.from_numpy(x.T * n_bins - slot).float())


def make_network(
    layout: CodeLayout = MIXED,
    n_outputs: int = 1,
    *,
    embedding=RESIDUAL,
    backbone=BACKBONES[0],
    skip=TiedGroupSkipSettings(),  # noqa: B008
    tau: float = 1.0,
    seed: int = 0,
) -> Network:
    """Build a small network."""
    torch.manual_seed(seed)
    d = layout.n_features
    return Network(
        layout,
        embedding=embedding.build(layout),
        skip=skip.build(d, n_outputs),
        backbone=backbone.build(d, embedding.width(layout), n_outputs),
        tau=tau,
    )


def close_gate(network: Network, features: list[int]) -> None:
    """Set the gate of these features to zero."""
    beta, w1 = (x.clone() for x in network.gate())
    beta[features], w1[features] = 0.0, 0.0
    network.set_gate(Gate(beta, w1))


def shake(module: nn.Module, seed: int = 1) -> None:
    """Draw every parameter anew, so that none stays at zero or one."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.rand(p.shape, generator=generator) - 0.5)


def named_state(network: Network) -> dict[str, Tensor]:
    """Copies of all parameters and buffers that are saved."""
    return {name: x.clone() for name, x in network.state_dict().items()}


NO_SKIP = NoSkipSettings()
