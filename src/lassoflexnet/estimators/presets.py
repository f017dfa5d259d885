"""Presets: named sets of arguments for the flat estimators, beside their defaults.

Used by ``from_preset`` alone: a constructor knows nothing of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

from lassoflexnet.names import unknown


@dataclass(frozen=True)
class Preset:
    """Arguments that differ from the defaults, and what they cost.

    >>> print(PRESETS["fast"])  # doctest: +ELLIPSIS
    fast: ...
    """

    name: str
    cost: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """Name, cost and arguments."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.name}: {self.cost} {given}"


FAST = Preset(
    "fast",
    "One network, a third of the epochs or fewer, a short and steep path, no cross-fitting: about "
    "a quarter of the default's time, less where rows or columns are few.",
    MappingProxyType(
        {
            "n_lambdas": 5,
            "max_epochs": 10,
            "max_epochs_per_lambda": 2,
            "selection": "best",
            "n_members": 1,
        }
    ),
)

BEST = Preset(
    "best",
    "Eight networks that predict together, and finer bins from 1,960 training rows on: up to about "
    "twice the default's time.",
    MappingProxyType({"n_bins": "fine", "n_members": 8}),
)

PAPER = Preset(
    "paper",
    "The paper's network and training (variants.PAPER); it takes the time of up to 200 epochs of "
    "a Mixer, and of up to 100 more for each lambda.",
    MappingProxyType(
        {
            "n_bins": 32,
            "binning": "tree",
            "d_embedding": 16,
            "n_embedding_layers": 3,
            "d_embedding_layer": 16,
            "embedding_dropout": 0.1,
            "backbone": "mixer",
            "n_blocks": 3,
            "d_hidden": 128,
            "dropout": 0.1,
            "tau": 0.5,
            "lambda_power": 0.95,
            "lambda_weights": "uniform",
            "optimizer": "adamw",
            "learning_rate": 1e-3,
            "path_learning_rate": 1e-3,
            "schedule": "constant",
            "weight_decay": 1e-5,
            "batch_size": 512,
            "max_epochs": 200,
            "max_epochs_per_lambda": 100,
            "patience": 20,
            "selection": "best",
            "refit": False,
            "n_members": 1,
            "screening": False,
        }
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({p.name: p for p in (FAST, BEST, PAPER)})
"""Every preset by name."""


class FromPreset:
    """The door to presets."""

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Self:
        """Make an estimator with a preset's arguments.

        Parameters
        ----------
        name : {"fast", "best", "paper"}
            A name of ``lassoflexnet.PRESETS``; printed, a preset says what it sets and costs.
        **changes
            Arguments of the constructor; they win over the preset's.

        Returns
        -------
        estimator
            Not fitted; an estimator as any other, with the preset's arguments in
            ``get_params``.
        """
        if name not in PRESETS:
            raise unknown("preset", str(name), PRESETS)
        return cls(**{**PRESETS[name].arguments, **changes})
