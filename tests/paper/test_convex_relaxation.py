"""The convex relaxation: closed form, geometry, and its recursion with noise alone.

Expectations are exact, as in ``test_convergence``: noise takes the corners of a cube.
"""

from itertools import product

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from lassoflexnet.gate import Gate
from lassoflexnet.prox import ConvexHierProx

pytestmark = pytest.mark.paper

ALPHA, GROUP, LAM_W, M = 0.1, 1.5, 0.01, 2.0
PROX = ConvexHierProx(M, GROUP, LAM_W)
D, K = 2, 2
N = D * (1 + K)
L, MU, SIGMA = 2.0, 0.5, 0.6
CORNERS = np.array(list(product((-1.0, 1.0), repeat=N))) * SIGMA / np.sqrt(N)


def prox(z: np.ndarray) -> np.ndarray:
    """relaxed:eq:psi-def in scaled coordinates (theta, W / M): (n, 6) -> (n, 6)."""
    rows = torch.tensor(np.atleast_2d(z)).reshape(-1, 1 + K)
    gate = Gate(rows[:, :1], M * rows[:, 1:])
    out = PROX(gate, torch.tensor(ALPHA, dtype=torch.float64))
    return torch.cat([out.beta, out.w1 / M], dim=1).reshape(-1, N).numpy()


def omega(x: np.ndarray) -> np.ndarray:
    """def:OmegaSG, eq:OmegaSG, in scaled coordinates, one row (theta_j, W_j / M) per feature."""
    blocks = x.reshape(*x.shape[:-1], D, 1 + K)
    theta, W = np.abs(blocks[..., 0]), np.abs(blocks[..., 1:])
    groups = np.sqrt((blocks**2).sum(-1))
    total = ALPHA * theta.sum(-1) + LAM_W * M * W.sum((-1, -2))
    return total + GROUP * ALPHA * groups.sum(-1)


def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(N, N)))[0]
    return Q @ np.diag(np.linspace(MU, L, N)) @ Q.T, rng.normal(size=N)


H, TARGET = problem()


def f(x: np.ndarray) -> np.ndarray:
    return 0.5 * np.einsum("...i,ij,...j", x - TARGET, H, x - TARGET)


def grad(x: np.ndarray) -> np.ndarray:
    return (x - TARGET) @ H


def F(x: np.ndarray, eta: float) -> np.ndarray:
    """relaxed:eq:Fdef."""
    return eta * f(x) + omega(x)


def G(x: np.ndarray, eta: float) -> np.ndarray:
    """def:PG."""
    return x - prox(x - eta * grad(x))


def square(x: np.ndarray) -> np.ndarray:
    return (x**2).sum(-1)


def points(n: int = 100, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, N))


def lowest(eta: float) -> float:
    x = np.zeros((1, N))
    for _ in range(int(60 / eta)):
        x = prox(x - eta * grad(x))
    return float(F(x, eta)[0])


every_step = pytest.mark.parametrize("eta", [0.05, 0.25])


def test_scaled_loss_and_its_gradient():
    """eq:ftilde and remark "How gradients rescale": d f / d W~ = M d f_orig / d W."""
    W = torch.tensor([0.3, -1.2], dtype=torch.float64)
    original = W.clone().requires_grad_()
    (by_w,) = torch.autograd.grad((original**3).sum(), original)
    scaled = (W / M).clone().requires_grad_()
    (by_scaled,) = torch.autograd.grad(((M * scaled) ** 3).sum(), scaled)
    torch.testing.assert_close(by_scaled, M * by_w)


def test_penalty_in_original_variables():
    """def:OmegaSG, second form, and remark "Prox parameter": lambda-bar = lambda_w M."""
    for x in points(20):
        theta, W = x.reshape(D, 1 + K)[:, 0], M * x.reshape(D, 1 + K)[:, 1:]
        groups = sum(np.sqrt(theta[j] ** 2 + ((W[j] / M) ** 2).sum()) for j in range(D))
        value = ALPHA * np.abs(theta).sum() + LAM_W * np.abs(W).sum() + GROUP * ALPHA * groups
        assert omega(x) == pytest.approx(value)


def test_soft_thresholding_solves_the_l1_part():
    """Definition "Soft-thresholding", eq:soft-subgrad: y - S(y) is a subgradient."""
    y = np.linspace(-2, 2, 81)
    shrunk = np.sign(y) * np.maximum(np.abs(y) - ALPHA, 0)
    residual = y - shrunk
    active = shrunk != 0
    np.testing.assert_allclose(residual[active], ALPHA * np.sign(shrunk[active]))
    assert (np.abs(residual[~active]) <= ALPHA + 1e-12).all()


def test_closed_form():
    """prop:local-opt-M, eq:block-prox, in the paper's two steps and by its two cases."""
    removed = 0
    for z in points(200).reshape(-1, 1 + K) * 0.4:
        v, U = z[0], z[1:]
        b = np.sign(v) * max(abs(v) - ALPHA, 0)
        w = np.sign(U) * np.maximum(np.abs(U) - LAM_W * M, 0)
        r = np.sqrt(b**2 + w @ w)
        kappa = 0.0 if r <= GROUP * ALPHA else 1 - GROUP * ALPHA / r
        removed += kappa == 0
        out = prox(np.concatenate([z, z]))[0][: 1 + K]
        np.testing.assert_allclose(out, kappa * np.append(b, w), atol=1e-12)
    assert 0 < removed < 400


def test_closed_form_is_the_minimum():
    """prop:local-opt-M, eq:opt-prop1, by a general-purpose optimiser from several starts."""
    for z in points(10):
        best = prox(z)[0]
        value = omega(best) + 0.5 * square(best - z)
        for start in (z, 1.2 * best + 0.01, np.zeros(N) + 0.01):
            found = minimize(lambda x, z=z: omega(x) + 0.5 * square(x - z), start, method="Powell")
            assert value <= found.fun + 1e-12
            assert found.fun == pytest.approx(value, abs=1e-2)


def test_closed_form_back_in_original_variables():
    """Remark "Back to original variables": W+ = kappa S_{lambda_w M^2}(U)."""
    for z in points(50):
        v, U = z[0], M * z[1 : 1 + K]
        b = np.sign(v) * max(abs(v) - ALPHA, 0)
        w = np.sign(U) * np.maximum(np.abs(U) - LAM_W * M**2, 0)
        kappa = max(1 - GROUP * ALPHA / np.sqrt(b**2 + w @ w / M**2), 0)
        out = prox(z)[0]
        assert out[0] == pytest.approx(kappa * b)
        np.testing.assert_allclose(M * out[1 : 1 + K], kappa * w, atol=1e-12)


def test_preconditioned_view():
    """Remark "Equivalent view": same point, metric ||theta||^2 + ||W||^2 / M^2."""
    for z in points(10):
        best = prox(z)[0].reshape(D, 1 + K)
        for other in points(50, seed=2).reshape(-1, D, 1 + K):

            def value(x: np.ndarray, z: np.ndarray = z) -> float:
                theta, W, U = x[:, 0], M * x[:, 1:], M * z.reshape(D, 1 + K)[:, 1:]
                pull = square(theta - z.reshape(D, 1 + K)[:, 0]) / 2
                return omega(x.ravel()) + pull + ((W - U) ** 2).sum() / (2 * M**2)

            assert value(best) <= value(other)


def test_firmly_nonexpansive():
    """lem:firm, everywhere: also across signs, where the joint operator jumps."""
    x, y = points(500, seed=1), points(500, seed=2)
    y[:250] = x[:250] * np.tile([-1, 1, 1], D)
    moved, given = prox(x) - prox(y), x - y
    product_ = (moved * given).sum(-1)
    assert (square(moved) <= product_ + 1e-12).all()
    assert (product_ <= square(given) + 1e-12).all()


def test_three_point_inequality():
    """relaxed:lem:prox-opt, eq:three-point."""
    others = points(100, seed=3)
    for z in points(50):
        best = prox(z)[0]
        left = omega(best) + 0.5 * square(best - z)
        right = omega(others) + 0.5 * square(others - z) - 0.5 * square(others - best)
        assert (left <= right + 1e-12).all()


@every_step
def test_deterministic_descent(eta: float):
    """relaxed:lem:det-descent, eq:det-descent, eq:key-rearrange; even with 3/4 for 1/4."""
    x = points()
    new = x - G(x, eta)
    slope = (grad(x) * (new - x)).sum(-1)
    assert (omega(new) <= omega(x) - square(x - new) - eta * slope + 1e-12).all()
    assert (F(new, eta) <= F(x, eta) - 0.75 * square(x - new) + 1e-12).all()


def outcomes(x: np.ndarray, eta: float) -> tuple[np.ndarray, np.ndarray]:
    """relaxed:eq:update for all values of the noise, and the noiseless step."""
    z_bar = x - eta * grad(x)
    return prox(z_bar - eta * CORNERS), prox(z_bar)[0]


@every_step
def test_stochastic_descent(eta: float):
    """relaxed:lem:stoch1 for each outcome, relaxed:cor:stoch-descent for their mean."""
    for x in points(50):
        new, _ = outcomes(x, eta)
        cross = eta * (CORNERS * (new - x)).sum(-1)
        bound = F(x, eta) - (1 - eta * L) / 2 * square(new - x) - cross
        assert (F(new, eta) <= bound + 1e-12).all()
        mean = F(x, eta) - (1 - eta * L) / 4 * square(new - x).mean()
        mean += eta**2 / (1 - eta * L) * SIGMA**2
        assert F(new, eta).mean() <= mean + 1e-12


@every_step
def test_lower_bound_on_the_step(eta: float):
    """lem:lowerbound-convex, both inequalities."""
    for x in points(50):
        new, noiseless = outcomes(x, eta)
        spread = square(new - noiseless).mean()
        assert square(new - x).mean() >= 0.5 * square(G(x, eta)) - spread - 1e-12
        assert spread <= (eta * SIGMA) ** 2 + 1e-12


@every_step
def test_master_recursion(eta: float):
    """relaxed:thm:master, eq:master, with eq:pPL as tight as it can be at each point."""
    best = lowest(eta)
    for x in points(50):
        new, _ = outcomes(x, eta)
        gap = F(x, eta) - best
        mu = 0.5 * square(G(x, eta)) / gap
        noise = (eta * SIGMA) ** 2 * ((1 - eta * L) / 4 + 1 / (1 - eta * L))
        bound = (1 - mu * (1 - eta * L) / 4) * gap + noise
        assert F(new, eta).mean() - best <= bound + 1e-12


def test_linear_convergence_without_noise():
    """relaxed:thm:master at sigma = 0, prp:soft-hier-prox-converges: geometric to F*."""
    eta, x = 0.2, 3 * points(1)
    best = lowest(eta)
    gaps = []
    for _ in range(60):
        gaps.append(F(x, eta)[0] - best)
        x = prox(x - eta * grad(x))
    rates = np.array(gaps[1:]) / np.array(gaps[:-1])
    assert rates.max() < 1
    assert gaps[-1] < 1e-4 * gaps[0]


def test_proximal_pl_fails_where_a_feature_is_removed():
    """def:pPL, eq:pPL "for all x": impossible once the optimum has a zero block.

    F grows linearly away from it and ||G||^2 quadratically. Here f = ||x||^2 / 2.
    """
    eta, ratios = 0.2, []
    for size in (1e-2, 1e-3, 1e-4):
        x = np.array([size, 0, 0, 0, 0, 0])
        step = x - prox((1 - eta) * x)[0]
        ratios.append(0.5 * square(step) / (eta * 0.5 * square(x) + omega(x)))
    np.testing.assert_allclose(ratios[1:], np.array(ratios[:-1]) / 10, rtol=0.05)


def test_larger_M_shrinks_more():
    """Paragraph "M-tuning intuition": kappa falls with M, unlike the bound M |theta|."""
    gate = Gate(torch.tensor([[0.5]]), torch.tensor([[3.0, -2.0]]))
    t = torch.tensor(0.1)
    sizes = [ConvexHierProx(M)(gate, t).w1.abs().sum() for M in (1.0, 3.0, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_hard_hierarchy_is_given_up():
    """Remark "What we give up": a feature with theta = 0 may keep its weights."""
    gate = Gate(torch.tensor([[0.05]]), torch.tensor([[3.0, -2.0]]))
    out = ConvexHierProx(M=1.0)(gate, torch.tensor(0.1))
    assert out.beta.item() == 0
    assert out.w1.abs().min() > 1
