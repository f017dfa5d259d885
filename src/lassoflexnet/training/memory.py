"""What a fit will need of memory, before it asks for any.

Called by ``fit``. Wide tables are what runs out of memory: every column has weights of
its own, and every row of a batch a token for every column.
"""

from collections.abc import Callable
from pathlib import Path

import torch

from lassoflexnet.codes import CodeLayout
from lassoflexnet.exceptions import NotEnoughMemory
from lassoflexnet.nn import Network

# Copies of every weight that are alive at once: the network, gradients, two moments, two
# averages, the state to go back to (four), the best network, the dense stage's, and
# cross-fitted networks on all features (up to six, of half the width). Networks that are trained
# as one have more, but are small (``joined.LARGEST_STEP``): it is not they that run out of memory.
COPIES_OF_WEIGHTS = 15

# Networks of the path that are kept until the choice is made; they shrink as columns go.
SHARE_KEPT_PER_LAMBDA = 0.5

# Tensors of the size of all tokens that backward keeps, per embedding layer and beside them.
TOKENS_PER_LAYER, TOKENS_BESIDE = 4, 6

# Tensors of the size of all hidden units that backward keeps.
ACTIVATIONS_PER_UNIT = 3


def estimated_bytes(
    build: Callable[[CodeLayout], Network], layout: CodeLayout, batch_size: int, n_lambdas: int
) -> int:
    """Estimate of the peak of a fit beyond the coded table."""
    with torch.device("meta"):
        network = build(layout)
        token = network.embedding.norm.running_mean.shape[-1]
    weights = sum(p.numel() for p in network.parameters())
    n_layers = len(network.embedding.body) + 1
    tokens = layout.n_features * batch_size * token
    embedding = (TOKENS_PER_LAYER * n_layers + TOKENS_BESIDE) * tokens
    backbone = batch_size * network.backbone.n_hidden
    copies = COPIES_OF_WEIGHTS + SHARE_KEPT_PER_LAMBDA * n_lambdas
    return int(4 * (copies * weights + embedding + ACTIVATIONS_PER_UNIT * backbone))


def check_memory(needed: int, available: int | None) -> None:
    """Raise if a fit would not fit."""
    if available is not None and needed > available:
        raise NotEnoughMemory(
            f"this fit needs about {needed / 2**30:.1f} GiB of memory and {available / 2**30:.1f} "
            "GiB are free. Use `screening=True`, fewer columns, or smaller `batch_size`, "
            "`d_hidden` or `n_bins`."
        )


def available_bytes(facts: Path = Path("/proc/meminfo")) -> int | None:
    """Memory that can be had without swapping; None where the system does not say."""
    try:
        lines = facts.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * int(found[0]) if found else None
