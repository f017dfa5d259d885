"""The network and its training against the paper's equations, in slow loops."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.gate import Gate
from lassoflexnet.nn import Network
from lassoflexnet.nn.embeddings import ResidualLayer
from lassoflexnet.optim import AdamWSettings, Constant, ProximalOptimizer
from lassoflexnet.optim.step_sizes import GRADIENT_FLOOR
from lassoflexnet.prox import (
    ByCoordinate,
    ByLearningRate,
    JointHierProx,
    LiteralSequentialHierProx,
    Prox,
    SequentialHierProx,
    UniformWeights,
)
from lassoflexnet.training import PathSettings, Plan, StageSettings, Trainer
from lassoflexnet.training.lambda_grid import polynomial
from tests.nn.makers import BACKBONES, EMBEDDINGS, close_gate, make_network, numbers, random_codes
from tests.nn.makers import shake as draw_anew
from tests.training.makers import objective, problem

pytestmark = pytest.mark.paper

LAYOUT = numbers(4)
N = 30
every_backbone = pytest.mark.parametrize("backbone", BACKBONES, ids=str)


def make(*, n_outputs: int = 1, **parts) -> tuple[Network, Codes]:
    """Build a network in double precision that has seen its rows."""
    network, codes = make_network(LAYOUT, n_outputs, **parts).double(), random_codes(LAYOUT, N)
    codes = codes._replace(fraction=codes.fraction.double())
    draw_anew(network)
    network.set_moments(codes)
    return network.eval(), codes


def replaced(codes: Codes, feature: int, slot: int, fraction: float) -> Codes:
    """Codes with one feature at the same place in all rows."""
    slots, fractions = codes.slot.clone(), codes.fraction.clone()
    slots[feature], fractions[feature] = slot, fraction
    return Codes(slots, fractions)


@every_backbone
@pytest.mark.parametrize("tau", [0.0, 0.5, 2.0])
def test_prediction_is_skip_plus_tau_times_backbone(backbone, tau: float):
    """eq:lassoflexnet_tau; with tau = 0 it is a sum of functions of one feature each."""
    network, codes = make(backbone=backbone, tau=tau)
    z, beta = network.embedding(codes), network.gate().beta[:, 0]
    main, bias = network.backbone(z), network.skip.intercept
    out = network(codes)
    for n in range(N):
        skip = sum(beta[i] * sum(z[i, n].tolist()) / z.shape[2] for i in range(4))
        assert out[n].item() == pytest.approx((bias + skip + tau * main[n]).item(), abs=1e-10)
    corners = {
        (a, b): network(replaced(replaced(codes, 0, a, 0.3), 2, b, 0.6))
        for a in (0, 3)
        for b in (1, 2)
    }
    interaction = corners[0, 1] - corners[0, 2] - corners[3, 1] + corners[3, 2]
    assert (interaction.abs().max() < 1e-10) == (tau == 0)


def test_embedding_layer():
    """PFE: h_l = h_{l-1} + LN(ReLU(W h_{l-1} + b)), each feature with its own W and b."""
    layer = ResidualLayer(3, 5, dropout=0.0).double()
    draw_anew(layer)
    h = torch.randn(3, N, 5, dtype=torch.float64)
    out = layer(h)
    W, b, scale, shift = (
        p.detach().numpy()
        for p in (layer.linear.weight, layer.linear.bias, layer.norm.scale, layer.norm.shift)
    )
    for i in range(3):
        for n in range(N):
            x = h[i, n].numpy()
            r = np.array([max(sum(x * W[i, :, k]) + b[i, 0, k], 0.0) for k in range(5)])
            normed = (r - r.mean()) / math.sqrt(((r - r.mean()) ** 2).mean() + 1e-5)
            expected = x + normed * scale[i, 0] + shift[i, 0]
            np.testing.assert_allclose(out[i, n].detach(), expected, atol=1e-10)


@pytest.mark.parametrize("embedding", [EMBEDDINGS[0], *EMBEDDINGS[2:]], ids=str)
def test_embedding_is_normalised_without_parameters(embedding):
    """PFE: mean 0 and deviation 1 of each feature and channel, and nothing to learn in it.

    At inference a row is normalised by statistics of the training rows, so that its
    prediction does not depend on the rows beside it.
    """
    network, codes = make(embedding=embedding)
    assert not list(network.embedding.norm.parameters())
    z = network.train().embedding(codes)
    raw = network.embedding.last(network.embedding.body(network.embedding.first(codes)))
    assert z.mean(dim=1).abs().max() < 1e-9
    varies = raw.std(dim=1, correction=0) > 0.05
    assert varies.any()
    deviation = z.std(dim=1, correction=0)[varies]
    torch.testing.assert_close(deviation, torch.ones_like(deviation), atol=3e-3, rtol=0)
    alone = network.eval()(codes.rows(slice(0, 1)))
    torch.testing.assert_close(network(codes)[:1], alone, atol=1e-12, rtol=1e-10)
    other = random_codes(LAYOUT, N, seed=1)
    slots, fractions = other.slot.clone(), other.fraction.double()
    slots[:, 0], fractions[:, 0] = codes.slot[:, 0], codes.fraction[:, 0]
    assert torch.equal(network(Codes(slots, fractions))[0], network(codes)[0])


def test_skip_sees_the_pooled_embedding():
    """Tied group Lasso: one beta_i for all channels of z_i, which enter by their mean."""
    network, codes = make(tau=0.0)
    z = network.embedding(codes).detach().requires_grad_()
    network.head(z).sum().backward()
    expected = network.gate().beta[:, :, None] / z.shape[2]
    torch.testing.assert_close(z.grad, expected.expand_as(z))
    shuffled = z.detach()[:, :, [2, 0, 3, 1]]
    torch.testing.assert_close(network.head(shuffled), network.head(z))
    assert network.gate_parameter().numel() == 4


@every_backbone
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_removed_feature_has_no_effect(backbone, n_outputs: int):
    """Main module: with beta_i = 0 and row i of W^(1) zero, x_i is nowhere, to the bit."""
    network, codes = make(backbone=backbone, n_outputs=n_outputs)
    values = [replaced(codes, 2, slot, share) for slot in range(5) for share in (0.0, 0.7, 1e30)]
    open_ = network(codes)
    assert all((network(value) - open_).abs().max() > 1e-6 for value in values)
    close_gate(network, [2])
    closed = network(codes)
    assert all(torch.equal(network(value), closed) for value in values)


class Adam:
    """Adam of one tensor, from its definition."""

    def __init__(self, x: Tensor, lr: float) -> None:
        self.x, self.lr, self.t = x.numpy().copy(), lr, 0
        self.m, self.v = np.zeros_like(self.x), np.zeros_like(self.x)

    def step(self, g: Tensor) -> np.ndarray:
        """Move, and return the step size of each coordinate."""
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g.numpy()
        self.v = 0.999 * self.v + 0.001 * g.numpy() ** 2
        m, root = self.m / (1 - 0.9**self.t), np.sqrt(self.v / (1 - 0.999**self.t))
        self.x = self.x - self.lr * m / (root + 1e-8)
        return self.lr / (root + GRADIENT_FLOOR)


def stepper(network: Network, prox: Prox, ema_decay: float, lam: float) -> ProximalOptimizer:
    settings = AdamWSettings(learning_rate=0.01, weight_decay=0.0)
    optimizer = ProximalOptimizer(
        settings.build(*network.split_parameters()),
        network,
        prox=prox,
        threshold=ByCoordinate(),
        ema_decay=ema_decay,
        weights=torch.ones(4, dtype=torch.float64),
    )
    optimizer.lam = lam
    return optimizer


def descend(network: Network, codes: Codes) -> None:
    """Gradients of a squared loss in all rows."""
    target = torch.linspace(-1, 1, N, dtype=torch.float64)
    network.zero_grad()
    (network.train()(codes)[:, 0] - target).square().mean().backward()


def soft(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


def test_adam_step():
    """Proximal Adam: beta - eta m / (sqrt(v) + eps), then a threshold lambda eta_i each."""
    network, codes = make()
    lam, optimizer = 0.05, stepper(network, SequentialHierProx(M=1e9), 0.0, 0.05)
    slow = Adam(network.gate().beta, 0.01)
    for _ in range(5):
        descend(network, codes)
        eta = slow.step(network.skip.weight.grad)
        slow.x = soft(slow.x, lam * eta)
        optimizer.step()
        np.testing.assert_allclose(network.gate().beta, slow.x, atol=1e-10)
    assert np.ptp(eta) > 0.01, "coordinates have steps of their own"


@pytest.mark.parametrize("kind", [SequentialHierProx, LiteralSequentialHierProx])
def test_average_inside_the_step(kind: type):
    """alg:seq-hier-prox: sizes from the averages, signs from the live weights, written back."""
    network, codes = make()
    M, lam, decay = 0.5, 0.02, 0.8
    optimizer = stepper(network, kind(M=M), decay, lam)
    beta, w1 = (Adam(x, 0.01) for x in network.gate())
    mean_beta, mean_w1 = beta.x.copy(), w1.x.copy()
    for _ in range(6):
        descend(network, codes)
        gradient = network.backbone.w1.grad.flatten(1)
        eta, _ = beta.step(network.skip.weight.grad), w1.step(gradient)
        mean_beta = decay * mean_beta + (1 - decay) * beta.x
        mean_w1 = decay * mean_w1 + (1 - decay) * w1.x
        shrunk = np.abs(soft(mean_beta, lam * eta))
        if kind is SequentialHierProx:
            level = M * shrunk
        else:
            size = -np.sort(-np.abs(mean_w1), axis=1)
            totals = np.pad(size.cumsum(axis=1), ((0, 0), (1, 0)))
            m = np.arange(totals.shape[1])
            w = M / (1 + m * M**2) * soft(shrunk + M * totals, lam * eta)
            lower = np.pad(size, ((0, 0), (0, 1)))
            upper = np.pad(size, ((0, 0), (1, 0)), constant_values=np.inf)
            first = ((lower <= w) & (w <= upper)).argmax(axis=1)
            level = np.take_along_axis(w, first[:, None], axis=1)
        beta.x = np.sign(beta.x) * shrunk
        w1.x = np.sign(w1.x) * np.minimum(level, np.abs(mean_w1))
        optimizer.step()
        np.testing.assert_allclose(network.gate().beta, beta.x, atol=1e-9)
        np.testing.assert_allclose(network.gate().w1, w1.x, atol=1e-9)
        np.testing.assert_allclose(optimizer.average.beta, mean_beta, atol=1e-9)


@pytest.mark.parametrize("prox", [SequentialHierProx(M=0.7), JointHierProx(M=0.7)], ids=str)
@every_backbone
def test_hierarchy_holds_after_each_step(backbone, prox: Prox):
    """LassoNet's constraint ||W_i||_inf <= M |beta_i|, also with averages inside the step."""
    network, codes = make(backbone=backbone)
    optimizer = stepper(network, prox, 0.9, 0.1)
    gate = network.gate()
    assert (gate.w1.abs().amax(dim=1) > 0.7 * gate.norm()).any(), "or there is nothing to do"
    for _ in range(40):
        descend(network, codes)
        optimizer.step()
        gate = network.gate()
        assert (gate.w1.abs().amax(dim=1) <= 0.7 * gate.norm() + 1e-12).all()


@dataclass(frozen=True)
class Watched:
    """The sequential operator, noting gates and thresholds."""

    calls: list[tuple[Gate, float]] = field(default_factory=list, compare=False)
    exact: ClassVar[bool] = True

    def __call__(self, gate: Gate, threshold: Tensor) -> Gate:
        self.calls.append((gate, float(threshold.max())))
        return SequentialHierProx()(gate, threshold)


def test_training_loop():
    """alg:Lasso_train, alg:nonlinear_lasso_train.

    Dense training without prox, then lambda by lambda steps with a prox of threshold
    alpha lambda each, until none of the k non-zero beta is left.
    """
    data, watched = problem(n=96), Watched()
    budget = StageSettings(max_epochs=2, patience=9, batch_size=32, schedule=Constant())
    adam = AdamWSettings(learning_rate=0.01)
    path = PathSettings(
        n_lambdas=9, start=0.1, multiplier=1e5, power=0.95, budget=budget, optimizer=adam,
        prox=watched, threshold=ByLearningRate(), weights=UniformWeights(),
    )  # fmt: skip
    plan = Plan(
        optimizer=adam,
        dense=budget,
        path=path,
        relax=StageSettings(0),
        refit=StageSettings(0),
        model_ema_decay=0.0,
    )
    goal = objective()
    trainer = Trainer(plan, lambda layout: make_network(layout), data, goal)
    points = trainer.fit().path.points
    assert [row.stage for row in goal.monitor.epochs[:2]] == ["dense"] * 2
    visited = [point.lam for point in points[1:]]
    assert visited == pytest.approx(polynomial(0.1, 1e4, 9, 0.95)[: len(visited)])
    for point in points:
        beta = point.snapshot.network.gate().beta
        assert point.n_features == int((beta != 0).sum()) == len(point.features)
    alive = [point.n_features for point in points]
    assert alive[0] == 5
    assert alive[-1] == 0
    assert 0 not in alive[:-1]
    assert 1 < len(visited) < 9, "it stops in the middle of the path"
    steps_per_lambda = 2 * 2
    thresholds = [threshold for _, threshold in watched.calls]
    expected = [0.01 * lam for lam in visited for _ in range(steps_per_lambda)]
    assert thresholds == pytest.approx(expected), "none in the dense stage"
