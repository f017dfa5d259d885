"""Small problems, and the pieces a stage of training needs.

Used by the tests of training.
"""

import numpy as np
import torch
from torch import nn

from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.nn import Network
from lassoflexnet.nn.code_linear import CodeLinear
from lassoflexnet.nn.embeddings import Embedding, NoMap
from lassoflexnet.optim import AdamWSettings, Constant
from lassoflexnet.training import Monitor, Objective, Rows, StageSettings, TrainingData
from lassoflexnet.training.averaging import average_of
from lassoflexnet.training.stage import Stage
from lassoflexnet.training.tasks import squared_error
from tests.nn.makers import BACKBONES, codes_of, make_network, numbers

ADAM = AdamWSettings(learning_rate=0.01)
SHORT = StageSettings(max_epochs=3, patience=9, batch_size=32, schedule=Constant())


def rows(codes: Codes, target: torch.Tensor, weight: torch.Tensor | None = None) -> Rows:
    """Rows of equal weight, unless told otherwise."""
    return Rows(codes, target, torch.ones(codes.n_rows) if weight is None else weight)


def problem(n: int = 192, d: int = 5, seed: int = 0, noise: float = 0.1) -> TrainingData:
    """Two columns with an effect, the others without; a third of the rows validate."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, d))
    y = np.sin(4 * x[:, 0]) + 2 * np.abs(x[:, 1] - 0.5) + noise * rng.normal(size=n)
    y = torch.from_numpy((y - y.mean()) / y.std()).float()
    codes, cut = codes_of(x), 2 * n // 3
    return TrainingData(
        numbers(d),
        rows(codes.rows(slice(0, cut)), y[:cut]),
        rows(codes.rows(slice(cut, n)), y[cut:]),
    )


def objective(loss=squared_error, metric=squared_error) -> Objective:
    """Loss and metric with a silent monitor of their own."""
    return Objective(loss, metric, Monitor())


def make_stage(
    network: Network,
    data: TrainingData,
    *,
    settings: StageSettings = SHORT,
    goal: Objective | None = None,
    decay: float = 0.0,
    lam: float = 0.0,
    stepper=None,
) -> Stage:
    """Build a stage around a network."""
    return Stage(
        "dense",
        network,
        stepper or ADAM.build(*network.split_parameters()),
        data,
        settings=settings,
        objective=goal or objective(),
        average=average_of(network, decay),
        lam=lam,
    )


class NoNorm(nn.Module):
    """In place of BatchNorm, which knows no weights of rows."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    def set_moments(self, x: torch.Tensor) -> None:
        pass


class PlainEmbeddingSettings:
    """A linear embedding that is not normalised."""

    def build(self, layout: CodeLayout) -> Embedding:
        return Embedding(CodeLinear(layout, 4), nn.Sequential(), NoMap(), NoNorm())

    def width(self, layout: CodeLayout) -> int:
        return 4


def plain_network(data: TrainingData, n_outputs: int = 1) -> Network:
    """Build a network in which rows do not meet."""
    return make_network(
        data.layout, n_outputs, embedding=PlainEmbeddingSettings(), backbone=BACKBONES[0]
    )
