"""A moving average of the whole network, evaluated beside the live weights.

Used by stages. Apart from the average of the gate inside the proximal step.
"""

import copy
from typing import Generic, TypeVar, cast

import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.nn import Crew, Network

# Rows that recompute the normalisation of averaged weights; more change little. With many
# columns they are fewer: all their tokens are in memory at once.
MOMENT_ROWS = 4096
MOMENT_TOKENS = 1 << 22


def moment_rows(codes: Codes) -> Codes:
    """The first rows, as many as it takes.

    >>> from torch import zeros
    >>> [moment_rows(Codes(zeros(p, 5000), zeros(p, 5000))).n_rows for p in (8, 10_000)]
    [4096, 512]
    """
    n_pieces = max(codes.slot.shape[0], 1)
    return codes.rows(slice(0, max(min(MOMENT_ROWS, MOMENT_TOKENS // n_pieces), 512)))


Kind = TypeVar("Kind", bound=Network | Crew)
"""A network, or several as one."""


class ModelAverage(Generic[Kind]):
    """Exponential moving average of all parameters of a live network."""

    def __init__(self, live: Kind, decay: float) -> None:
        self.decay = decay
        self.n_updates = 0
        self.live = live
        self.network = copy.deepcopy(live)
        # Looked up once: it takes as long as the average itself, and they stay the same objects.
        self._averaged: list[Tensor] = list(self.network.parameters())
        self._live: list[Tensor] = list(live.parameters())

    def update(self) -> None:
        """Move towards the live weights; slowly at first would remember the start."""
        self.n_updates += 1
        decay = min(self.decay, (1 + self.n_updates) / (10 + self.n_updates))
        with torch.no_grad():
            torch._foreach_lerp_(self._averaged, self._live, 1.0 - decay)

    def settle(self, codes: Codes) -> Kind:
        """The averaged network, fit for evaluation.

        An average is never exactly zero, so features that are dead in the live network
        are cleared; and the normalisation is recomputed on these rows.
        """
        gate, alive = self.network.gate(), self.live.gate().support()[:, None]
        self.network.set_gate(gate._replace(beta=gate.beta * alive, w1=gate.w1 * alive))
        self.network.set_moments(moment_rows(codes))
        return self.network

    def keep(self, features: Tensor) -> None:
        """Follow the live network after features were cut out."""
        cast("Network", self.network).keep(features)

    def state_dict(self) -> dict:
        """Everything an update changes."""
        return {"network": self.network.state_dict(), "n_updates": self.n_updates}

    def load_state_dict(self, state: dict) -> None:
        """Go back to a saved state."""
        self.network.load_state_dict(state["network"])
        self.n_updates = state["n_updates"]


class NoAverage(Generic[Kind]):
    """The live network in place of an average, at no cost."""

    def __init__(self, live: Kind) -> None:
        self.live = live

    def update(self) -> None:
        """Nothing to remember."""

    def settle(self, codes: Codes) -> Kind:  # noqa: ARG002
        """The live network."""
        return self.live

    def keep(self, features: Tensor) -> None:
        """Nothing to cut."""

    def state_dict(self) -> dict:
        """Nothing to save."""
        return {}

    def load_state_dict(self, state: dict) -> None:
        """Nothing to go back to."""


def average_of(live: Kind, decay: float) -> ModelAverage[Kind] | NoAverage[Kind]:
    """Average with this decay; 0 leaves it out."""
    return ModelAverage(live, decay) if decay else NoAverage(live)
