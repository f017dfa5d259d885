"""Selectors that train an MLP with a penalty on groups: of first-layer weights or of gradients.

Rows of the catalogue. The objective is (1 - strength) * loss + strength * sum of group norms.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lassoflexnet.bench.methods.networks import MLP, Problem
from lassoflexnet.bench.methods.training import Batch, Goal, Objective, plain
from lassoflexnet.bench.rows import Split

# Keeps the slope of a norm finite at zero.
_EPS = 1e-8


class Groups:
    """Norms of what belongs to each column of the frame, its levels taken together."""

    def __init__(self, problem: Problem) -> None:
        self.owners = torch.as_tensor(problem.encoder.owners)
        self.n_columns = problem.encoder.n_columns

    def norms(self, values: Tensor) -> Tensor:
        """L2 norms over rows and levels: (any, inputs) -> (columns,)."""
        squares = values.square().sum(dim=0)
        total = torch.zeros(self.n_columns).index_add(0, self.owners, squares)
        return (total + _EPS).sqrt()


def first_layer(module: nn.Module) -> Tensor:
    """Weights of the first layer, (hidden, inputs)."""
    return next(iter(module.parameters()))


def group_lasso(groups: Groups, strength: float, weights: Tensor) -> Objective:
    """Penalise the norms of the first layer's columns, each with its weight."""

    def objective(module: nn.Module, batch: Batch, goal: Goal) -> Tensor:
        penalty = (weights * groups.norms(first_layer(module))).sum()
        return (1 - strength) * plain(module, batch, goal) + strength * penalty

    return objective


def gradient_lasso(groups: Groups, strength: float) -> Objective:
    """Penalise the norms of the loss's slopes in each column, over the batch."""

    def objective(module: nn.Module, batch: Batch, goal: Goal) -> Tensor:
        inputs = batch.inputs[0].requires_grad_()
        loss = goal.loss(module(inputs), batch.target)
        (slopes,) = torch.autograd.grad(loss, inputs, create_graph=True)
        return (1 - strength) * loss + strength * groups.norms(slopes).sum()

    return objective


@dataclass(frozen=True)
class OneLayerLasso:
    """Group lasso on the first layer of an MLP; importance is the norm that is left."""

    strength: float = 0.1
    network: MLP = MLP()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        problem = self.network.pose(split)
        weights = torch.ones(problem.encoder.n_columns)
        return _norms(self.network, problem, self.strength, weights, seed=seed).numpy()


@dataclass(frozen=True)
class AdaptiveGroupLasso:
    """Group lasso twice: the second time each norm weighs 1 / (first norm)^gamma.

    The weights are divided by their mean, so that `strength` means the same both times.
    """

    strength: float = 0.1
    gamma: float = 1.0
    network: MLP = MLP()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        problem = self.network.pose(split)
        ones = torch.ones(problem.encoder.n_columns)
        first = _norms(self.network, problem, self.strength, ones, seed=seed)
        weights = first.pow(-self.gamma)
        weights = weights / weights.mean()
        return _norms(self.network, problem, self.strength, weights, seed=seed).numpy()


def _norms(
    network: MLP, problem: Problem, strength: float, weights: Tensor, *, seed: int
) -> Tensor:
    groups = Groups(problem)
    module, _ = network.train(problem, seed, group_lasso(groups, strength, weights))
    return groups.norms(first_layer(module).detach())


@dataclass(frozen=True)
class DeepLasso:
    """MLP with a group lasso on input gradients; importance is their norm on validation rows."""

    strength: float = 0.1
    network: MLP = MLP()

    def rank(self, split: Split, seed: int) -> np.ndarray:
        """Importance of each column."""
        problem = self.network.pose(split)
        groups = Groups(problem)
        module, _ = self.network.train(problem, seed, gradient_lasso(groups, self.strength))
        validation = problem.rows[1]
        inputs = validation.inputs[0].clone().requires_grad_()
        loss = problem.goal.loss(module.eval()(inputs), validation.target)
        (slopes,) = torch.autograd.grad(loss, inputs)
        return groups.norms(slopes).numpy()
