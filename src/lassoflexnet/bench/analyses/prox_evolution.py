"""Joint against sequential prox: what repeated updates make of a dense network's gate.

An analysis (paper, appendix "Proximal Gradient Weight Evolution Comparison").
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lassoflexnet.bench.analyses.base import Found, rounded
from lassoflexnet.bench.analyses.ranking import auc, rank_correlation
from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.protocols import FeatureSelection
from lassoflexnet.bench.rows import Split
from lassoflexnet.bench.runs import digest
from lassoflexnet.estimators import RecipeClassifier, RecipeRegressor
from lassoflexnet.gate import Gate
from lassoflexnet.nn import MixerSettings
from lassoflexnet.prox import JointHierProx, Prox, SequentialHierProx
from lassoflexnet.recipe import Recipe
from lassoflexnet.variants import PAPER, with_budget

OPERATORS: Mapping[str, type[JointHierProx] | type[SequentialHierProx]] = {
    "joint": JointHierProx,
    "sequential": SequentialHierProx,
}


class Evolution(NamedTuple):
    """Sizes of skip weights, and largest first-layer weights: each (updates + 1, d)."""

    beta: np.ndarray
    w1: np.ndarray


@dataclass(frozen=True)
class ProxEvolution:
    """Apply either operator again and again to noised copies of one dense network's gate.

    As in the paper there are no gradient steps between the updates, and lambda itself is the
    threshold.

    Attributes
    ----------
    dataset, added, share, max_train_rows : str, str, float, int
        Data set, and its case in the feature-selection protocol.
    tau, n_blocks, d_hidden, batch_size, max_epochs : numbers
        The dense network; the rest is the paper's recipe.
    M : tuple of float
        Hierarchy coefficients, each tried on every draw.
    lambda_start, lambda_end, n_updates : numbers
        The sequence of lambdas, evenly spaced.
    noise, n_draws : numbers
        Noise in units of the weights' own deviation, and how often it is drawn.
    """

    dataset: str = "CH"
    added: str = "random"
    share: float = 0.5
    max_train_rows: int | None = 5000
    tau: float = 0.1
    n_blocks: int = 2
    d_hidden: int = 64
    batch_size: int = 128
    max_epochs: int = 20
    M: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0)
    lambda_start: float = 1e-5
    lambda_end: float = 1e-2
    n_updates: int = 50
    noise: float = 0.1
    n_draws: int = 10

    @property
    def recipe(self) -> Recipe:
        """The paper's recipe, small and without a path."""
        backbone = MixerSettings(n_blocks=self.n_blocks, d_hidden=self.d_hidden)
        return with_budget(
            replace(PAPER, tau=self.tau, backbone=backbone),
            dense_epochs=self.max_epochs,
            n_lambdas=0,
            epochs_per_lambda=0,
            batch_size=self.batch_size,
        )

    def fingerprint(self) -> str | None:
        """Hash of the recipe."""
        return digest(self.recipe.to_dict())

    def carry_out(self, seed: int, data: Path | None = None) -> dict[str, Any]:
        """Train one dense network, then let both operators work on its gate."""
        protocol = FeatureSelection(self.added, self.share, self.max_train_rows)
        split = protocol.split(load(self.dataset, data), seed)
        names = [str(name) for name in split.train.X]
        real = np.isin(names, split.real)
        found = self.evolve(self._dense_gate(split, seed), real, seed)
        found.facts.update(names=names, real=real.tolist())
        return found.to_dict()

    def _dense_gate(self, split: Split, seed: int) -> Gate:
        kind = RecipeRegressor if split.task == "regression" else RecipeClassifier
        model = kind(recipe=self.recipe, random_state=seed, n_threads=1)
        model.fit(*split.train, eval_set=tuple(split.validation))
        # First-layer weights are no attribute of the estimators.
        return model._network.gate()

    def evolve(self, dense: Gate, real: np.ndarray, seed: int) -> Found:
        """Compare the operators on noised copies of a gate (d columns, some of them real)."""
        generator = torch.Generator().manual_seed(seed)
        starts = [noised(dense, self.noise, generator) for _ in range(self.n_draws)]
        lambdas = np.linspace(self.lambda_start, self.lambda_end, self.n_updates)
        all_paths = {
            name: [[evolution(start, kind(M=M), lambdas) for start in starts] for M in self.M]
            for name, kind in OPERATORS.items()
        }
        measured = {
            name: np.array([[measures(p, dense, real) for p in row] for row in by_m])
            for name, by_m in all_paths.items()
        }
        scores = {
            f"{word}_{name}": float(found[:, :, i].mean())
            for i, word in enumerate(MEASURES)
            for name, found in measured.items()
        }
        noisy = [sizes(start) for start in starts]
        scores["rank_noised"] = float(np.mean([rank_correlation(sizes(dense), x) for x in noisy]))
        scores["auc_noised"] = float(np.mean([auc(x, real) for x in noisy]))
        facts = {
            "lambdas": rounded([0.0, *lambdas]),
            "M": list(self.M),
            **{name: averages(by_m) for name, by_m in all_paths.items()},
            "rank_by_m": {k: rounded(x[:, :, 0].mean(axis=1)) for k, x in measured.items()},
        }
        return Found(scores, facts)


MEASURES = ("rank", "rank_first", "auc", "alive")
"""What ``measures`` gives."""


def sizes(gate: Gate) -> np.ndarray:
    """Sizes of the skip weights: (d,)."""
    return gate.norm().numpy()


def averages(paths: list[list[Evolution]]) -> dict[str, Any]:
    """Mean evolution over hierarchy coefficients and draws."""
    beta, w1 = (np.mean([[p[i] for p in row] for row in paths], axis=(0, 1)) for i in (0, 1))
    return {"beta": rounded(beta), "w1": rounded(w1)}


def measures(path: Evolution, dense: Gate, real: np.ndarray) -> tuple[float, ...]:
    """How much of the dense network's order is left.

    Rank correlation with the dense sizes once no more columns live than are real (or at the
    end, if it does not come to that), and after the first update; AUC of real against added
    columns at the former; columns alive at the end.
    """
    learned, alive = sizes(dense), (path.beta > 0).sum(axis=1)
    at = path.beta[sparse_enough(alive, int(real.sum()))]
    first = rank_correlation(learned, path.beta[min(1, len(path.beta) - 1)])
    return rank_correlation(learned, at), first, auc(at, real), float(alive[-1])


def sparse_enough(alive: np.ndarray, most: int) -> int:
    """First update after which so many columns live at most; else the last.

    >>> sparse_enough(np.array([9, 7, 4, 2]), 5), sparse_enough(np.array([9, 7]), 5)
    (2, 1)
    """
    reached = np.flatnonzero(alive <= most)
    return int(reached[0]) if len(reached) else len(alive) - 1


def noised(gate: Gate, share: float, generator: torch.Generator) -> Gate:
    """Add normal noise, in units of each block's own deviation."""
    noise = (torch.randn(x.shape, generator=generator, dtype=x.dtype) for x in gate)
    return Gate(*(x + share * x.std() * e for x, e in zip(gate, noise, strict=True)))


def evolution(gate: Gate, prox: Prox, lambdas: np.ndarray) -> Evolution:
    """Update a gate by each lambda in turn, and note the sizes before and after each."""
    gates = [gate]
    for lam in lambdas:
        gates.append(prox(gates[-1], gate.beta.new_tensor(lam)))
    beta = torch.stack([g.norm() for g in gates])
    w1 = torch.stack([g.w1.abs().amax(dim=1) for g in gates])
    return Evolution(beta.numpy(), w1.numpy())
