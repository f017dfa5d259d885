"""The paper's proximal algorithms, line by line in slow Python, against the operators."""

import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar

from lassoflexnet.gate import Gate
from lassoflexnet.prox import (
    ByCoordinate,
    ByLearningRate,
    JointHierProx,
    LiteralSequentialHierProx,
    Prox,
    SequentialHierProx,
    soft_threshold,
)

pytestmark = pytest.mark.paper


def S(x: float, t: float) -> float:
    return math.copysign(max(abs(x) - t, 0.0), x)


def sorted_level(start: float, W: list[float], lam: float, M: float) -> float:
    """Lines 3-8 of the algorithms: sort, w_m for m = 0..K, first m that fits."""
    size = sorted((abs(w) for w in W), reverse=True)
    K = len(size)
    w = [M / (1 + m * M**2) * S(start + M * sum(size[:m]), lam) for m in range(K + 1)]
    upper, lower = [math.inf, *size], [*size, 0.0]
    return next(w[m] for m in range(K + 1) if lower[m] <= w[m] <= upper[m])


def clipped(W: list[float], level: float) -> list[float]:
    return [math.copysign(min(level, abs(w)), w) for w in W]


def random_gate(d: int = 60, K: int = 5, seed: int = 0) -> Gate:
    rng = np.random.default_rng(seed)
    return Gate(torch.tensor(rng.normal(size=(d, 1))), torch.tensor(rng.normal(size=(d, K))))


@pytest.mark.parametrize("M", [0.2, 1.0, 10.0])
@pytest.mark.parametrize("lam", [0.01, 0.5, 3.0])
def test_hier_prox(M: float, lam: float):
    """alg:lassonet_prox, and the shared-scalar formula in the section on optimization."""
    gate = random_gate()
    out = JointHierProx(M)(gate, torch.tensor(lam, dtype=torch.float64))
    for j in range(len(gate.beta)):
        theta, W = gate.beta[j].item(), gate.w1[j].tolist()
        level = sorted_level(abs(theta), W, lam, M)
        assert out.beta[j].item() == pytest.approx(math.copysign(level / M, theta), abs=1e-12)
        assert out.w1[j].tolist() == pytest.approx(clipped(W, level), abs=1e-12)


@pytest.mark.parametrize("M", [0.2, 1.0, 10.0])
@pytest.mark.parametrize("lam", [0.01, 0.5, 3.0])
def test_seq_hier_prox_to_the_letter(M: float, lam: float):
    """alg:seq-hier-prox without averages, as printed."""
    gate = random_gate()
    out = LiteralSequentialHierProx(M)(gate, torch.tensor(lam, dtype=torch.float64))
    for j in range(len(gate.beta)):
        beta, W = S(gate.beta[j].item(), lam), gate.w1[j].tolist()
        level = sorted_level(abs(beta), W, lam, M)
        assert out.beta[j].item() == pytest.approx(beta, abs=1e-12)
        assert out.w1[j].tolist() == pytest.approx(clipped(W, level), abs=1e-12)


def test_printed_algorithm_breaks_the_hierarchy():
    """alg:seq-hier-prox is not Proposition 2: it leaves removed features in the network."""
    gate = random_gate(d=2000, K=64)
    out = LiteralSequentialHierProx(M=10.0)(gate, torch.tensor(0.5))
    broken = out.w1.abs().amax(1) > 10 * out.beta.abs().squeeze(1) * (1 + 1e-9)
    removed = ~out.support()
    assert removed.double().mean() > 0.3
    assert broken[removed].all(), "every removed feature keeps its weights"
    kept = out.w1[removed].abs().sum() / gate.w1[removed].abs().sum()
    assert kept > 0.9, "and almost all of their size"
    seq = SequentialHierProx(M=10.0)(gate, torch.tensor(0.5))
    assert not seq.w1[removed].any()


def test_printed_algorithm_with_one_weight_and_no_beta():
    """alg:seq-hier-prox, K = 1, beta~ = 0: W~ = M (M |W| - lambda) / (1 + M^2), not 0."""
    M, lam, W = 2.0, 0.3, 1.5
    gate = Gate(torch.tensor([[0.1]]), torch.tensor([[W]]))
    out = LiteralSequentialHierProx(M)(gate, torch.tensor(lam, dtype=torch.float64))
    assert out.beta.item() == 0
    assert out.w1.item() == pytest.approx(M * (M * W - lam) / (1 + M**2))


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("lambda_bar", [0.0, 0.3])
def test_joint_optimum_has_one_fitting_index(c: int, lambda_bar: float):
    """Proposition 1: b_s, a_s, the unique s*, and W* = sign(U) min(M ||b*||, S(|U|))."""
    rng = np.random.default_rng(0)
    lam, M, K = 0.7, 0.8, 5
    for _ in range(100):
        v, U = rng.normal(size=c), rng.normal(size=K)
        norm, size = np.linalg.norm(v), np.sort(np.abs(U))[::-1]
        shrunk = np.maximum(size - lambda_bar, 0)
        upper, lower = np.append(np.inf, shrunk), np.append(shrunk, 0)
        b = [
            max(1 - (lam - M * (size[:s] - lambda_bar).sum()) / norm, 0) / (1 + s * M**2) * v
            for s in range(K + 1)
        ]
        fits = [s for s in range(K + 1) if lower[s] <= M * np.linalg.norm(b[s]) < upper[s]]
        assert len(fits) == 1
        best = b[fits[0]]
        W = np.sign(U) * np.minimum(M * np.linalg.norm(best), np.maximum(np.abs(U) - lambda_bar, 0))
        out = JointHierProx(M, lambda_bar)(
            Gate(torch.tensor(v)[None], torch.tensor(U)[None]),
            torch.tensor(lam, dtype=torch.float64),
        )
        np.testing.assert_allclose(out.beta[0], best, atol=1e-12)
        np.testing.assert_allclose(out.w1[0], W, atol=1e-12)


@pytest.mark.parametrize("lambda_bar", [0.0, 0.3])
def test_sequential_optimum(lambda_bar: float):
    """Proposition 2: each of the two problems, solved by a scalar search."""
    lam, M = 0.4, 0.9
    gate = random_gate(d=20, K=3)
    out = SequentialHierProx(M, lambda_bar)(gate, torch.tensor(lam, dtype=torch.float64))
    for j in range(20):
        v = gate.beta[j].item()
        b = minimize_scalar(
            lambda b, v=v: 0.5 * (v - b) ** 2 + lam * abs(b),
            bounds=(-5, 5),
            options={"xatol": 1e-9},
        ).x
        assert out.beta[j].item() == pytest.approx(b, abs=1e-4)
        bound = M * abs(out.beta[j].item())
        for u, w in zip(gate.w1[j].tolist(), out.w1[j].tolist(), strict=True):
            grid = np.linspace(-bound, bound, 20_001)
            best = grid[np.argmin(0.5 * (u - grid) ** 2 + lambda_bar * np.abs(grid))]
            assert w == pytest.approx(best, abs=2e-4)


@pytest.mark.parametrize("eta", [0.1, 1.0])
def test_lasso_step(eta: float):
    """eqn:lasso_beta_prox: S_{lambda eta} minimises (beta - b)^2 / (2 eta) + lambda |b|."""
    lam, beta = 0.6, torch.linspace(-2, 2, 41, dtype=torch.float64)
    threshold = ByLearningRate()(lam, eta, beta)
    b = torch.linspace(-2.5, 2.5, 50_001, dtype=torch.float64)
    for x, closed in zip(beta, soft_threshold(beta, threshold), strict=True):
        best = b[((x - b) ** 2 / (2 * eta) + lam * b.abs()).argmin()]
        assert closed.item() == pytest.approx(best.item(), abs=1e-4)


def test_lasso_step_of_each_coordinate():
    """Proximal Adam, second display: each coordinate with its own step size."""
    lam, beta = 0.6, torch.tensor([1.0, 1.0, -1.0, 0.2], dtype=torch.float64)
    eta = torch.tensor([0.1, 1.5, 0.5, 0.4], dtype=torch.float64)
    closed = soft_threshold(beta, ByCoordinate()(lam, 1e-3, eta))
    b = torch.linspace(-2, 2, 40_001, dtype=torch.float64)
    for i in range(4):
        best = b[((b - beta[i]) ** 2 / (2 * eta[i]) + lam * b.abs()).argmin()]
        assert closed[i].item() == pytest.approx(best.item(), abs=1e-4)


@pytest.mark.parametrize("K", [1, 8, 64])
def test_wide_layers_drown_the_skip_weight_in_the_joint_operator(K: int):
    """Paragraph "Joint optimization blinds Lasso guidance".

    Where the constraint binds, the joint beta keeps 1 / (1 + K M^2) of a difference in
    beta; the sequential one keeps all of it.
    """
    M, t = 1.0, torch.tensor(0.01)
    gate = Gate(torch.tensor([[0.2], [0.3]]), torch.full((2, K), 5.0))
    joint, sequential = JointHierProx(M)(gate, t).beta, SequentialHierProx(M)(gate, t).beta
    assert joint.diff(dim=0).item() == pytest.approx(0.1 / (1 + K * M**2), rel=1e-3)
    assert sequential.diff(dim=0).item() == pytest.approx(0.1, rel=1e-5)


def test_joint_operator_washes_out_the_order_of_skip_weights():
    """app:prox_grad: both operators again and again, lambda from 1e-5 to 1e-2, no gradient.

    The first joint update pulls separated skip weights together; sequential updates only
    shift them, and clear W of the small ones.
    """
    beta = torch.linspace(0.02, 0.4, 20, dtype=torch.float64)[:, None]
    w1 = torch.rand(20, 64, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    lambdas = torch.linspace(1e-5, 1e-2, 50, dtype=torch.float64)

    def evolve(operator: Prox, n: int) -> Gate:
        gate = Gate(beta, w1)
        for lam in lambdas[:n]:
            gate = operator(gate, lam)
        return gate

    joint = evolve(JointHierProx(M=1.0), 1).beta
    assert joint.std() / joint.mean() < 0.1 * beta.std() / beta.mean()
    torch.testing.assert_close(evolve(SequentialHierProx(M=1.0), 1).beta, beta - 1e-5)
    end = evolve(SequentialHierProx(M=1.0), 50)
    assert 0 < end.support().sum() < 20
    assert not end.w1[~end.support()].any()
    assert evolve(JointHierProx(M=1.0), 50).support().all()


def test_joint_operator_at_lambda_zero_is_not_a_plain_step():
    """Section on optimization: "if lambda = 0, the HPG reduces to SGD". It does not."""
    gate = Gate(torch.tensor([[0.1]]), torch.tensor([[3.0, -0.01]]))
    out = JointHierProx(M=1.0)(gate, torch.tensor(0.0))
    assert out.beta.item() > 0.5
    assert out.w1[0, 0].item() < 2
