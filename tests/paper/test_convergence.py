"""Descent and noise of the joint operator on a quadratic, with exact expectations.

Two features with one weight each. Noise takes the 16 corners of a cube with equal chance,
so conditional expectations are finite sums and inequalities can be checked without error.
"""

from itertools import product

import numpy as np
import pytest
import torch

from lassoflexnet.gate import Gate
from lassoflexnet.prox import JointHierProx, Prox, SequentialHierProx

pytestmark = pytest.mark.paper

LAM, M, SIGMA = 0.05, 1.0, 0.8
L, MU = 2.0, 0.5
CORNERS = np.array(list(product((-1.0, 1.0), repeat=4))) * SIGMA / 2
JOINT, SEQUENTIAL = JointHierProx(M), SequentialHierProx(M)


def hessian() -> np.ndarray:
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    return Q @ np.diag([MU, 0.8, 1.5, L]) @ Q.T


H = hessian()
TARGET = np.array([1.5, -1.2, 0.6, -2.0])  # theta_1, theta_2, W_1, W_2


def f(y: np.ndarray) -> np.ndarray:
    return 0.5 * np.einsum("...i,ij,...j", y - TARGET, H, y - TARGET)


def grad(y: np.ndarray) -> np.ndarray:
    return (y - TARGET) @ H


def prox(z: np.ndarray, operator: Prox = JOINT, lam: float = LAM) -> np.ndarray:
    """eq:psi-def, eq:Omega, for many points at once: (n, 4) -> (n, 4)."""
    rows = torch.tensor(np.atleast_2d(z)).reshape(-1, 2, 2).transpose(1, 2).reshape(-1, 2)
    out = operator(Gate(rows[:, :1], rows[:, 1:]), torch.tensor(lam, dtype=torch.float64))
    return torch.cat(out, dim=1).reshape(-1, 2, 2).transpose(1, 2).reshape(-1, 4).numpy()


def omega(y: np.ndarray) -> np.ndarray:
    """eq:Omega."""
    theta, W = y[..., :2], y[..., 2:]
    broken = (np.abs(W) > M * np.abs(theta) + 1e-12).any(-1)
    return np.where(broken, np.inf, LAM * np.abs(theta).sum(-1))


def F(y: np.ndarray, eta: float) -> np.ndarray:
    """eq:Fdef: the Lyapunov function eta f + Omega."""
    return eta * f(y) + omega(y)


def G(y: np.ndarray, eta: float) -> np.ndarray:
    """Prox-gradient mapping y - T(y)."""
    return y - prox(y - eta * grad(y))


def square(x: np.ndarray) -> np.ndarray:
    return (x**2).sum(-1)


def feasible_points(n: int = 200, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(n, 2))
    return np.hstack([theta, M * np.abs(theta) * rng.uniform(-1, 1, (n, 2))])


def lowest(eta: float) -> float:
    """F*: the best of many deterministic descents."""
    y = feasible_points(20, seed=9)
    for _ in range(int(25 / eta)):
        y = prox(y - eta * grad(y))
    return float(F(y, eta).min())


def switched(z: np.ndarray, z_bar: np.ndarray) -> np.ndarray:
    """def:margin: whether the sign pattern of the gates differs."""
    return ((z[..., :2] >= 0) != (z_bar[..., :2] >= 0)).any(-1)


every_step = pytest.mark.parametrize("eta", [0.02, 0.2, 0.45])


def test_prox_optimality():
    """lem:prox-opt: the output beats every feasible point."""
    y = feasible_points()
    for z in 2 * np.random.default_rng(1).normal(size=(50, 4)):
        best = prox(z)[0]
        value = omega(best) + 0.5 * square(best - z)
        assert (value <= omega(y) + 0.5 * square(y - z) + 1e-12).all()


@pytest.mark.parametrize("eta", [0.02, 0.2, 1 / L])
def test_deterministic_descent(eta: float):
    """lem:det-descent: F(T(y)) <= F(y) - (1 - eta L) / 2 ||G(y)||^2."""
    y = feasible_points()
    after = F(y - G(y, eta), eta)
    assert (after <= F(y, eta) - (1 - eta * L) / 2 * square(G(y, eta)) + 1e-12).all()


def test_sequential_operator_is_no_descent_method():
    """lem:det-descent rests on the joint minimum: a sequential step away from it raises F."""
    eta, y = 0.2, np.array([1.5, -1.2, 0.6, -1.2])
    for _ in range(300):
        y = prox(y - eta * grad(y))[0]
    assert F(y, eta) == pytest.approx(lowest(eta))
    after = prox(y - eta * grad(y), SEQUENTIAL)[0]
    assert np.isfinite(omega(after))
    assert F(after, eta) > F(y, eta) + 1e-3


def outcomes(y: np.ndarray, eta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """alg:main, eq:update: all z_t, their y_{t+1}, and the noiseless point."""
    z_bar = y - eta * grad(y)
    z = z_bar - eta * CORNERS
    return z, prox(z), z_bar


@every_step
def test_stochastic_descent(eta: float):
    """lem:stoch1, for each outcome of the noise."""
    for y in feasible_points(50):
        _, new, _ = outcomes(y, eta)
        cross = eta * (CORNERS * (new - y)).sum(-1)
        bound = F(y, eta) - (1 - eta * L) / 2 * square(new - y) - cross
        assert (F(new, eta) <= bound + 1e-12).all()


@every_step
def test_young(eta: float):
    """lem:young, for each outcome; equality is reached at xi = -alpha step / eta."""
    alpha = (1 - eta * L) / 2
    for y in feasible_points(50):
        _, new, _ = outcomes(y, eta)
        bound = eta**2 / (2 * alpha) * square(CORNERS) + alpha / 2 * square(new - y)
        assert (-eta * (CORNERS * (new - y)).sum(-1) <= bound + 1e-12).all()


@every_step
def test_conditional_descent(eta: float):
    """cor:stoch-descent, with alpha = (1 - eta L) / 2."""
    for y in feasible_points(50):
        _, new, _ = outcomes(y, eta)
        step, noise = square(new - y).mean(), square(CORNERS).mean()
        bound = F(y, eta) - (1 - eta * L) / 4 * step + eta**2 / (1 - eta * L) * noise
        assert F(new, eta).mean() <= bound + 1e-12


def jump_and_chance(y: np.ndarray, eta: float) -> tuple[float, float]:
    """J = 2R with the smallest R that covers these outcomes, and q_t."""
    z, new, z_bar = outcomes(y, eta)
    R = np.sqrt(square(np.vstack([new, prox(z_bar), y])).max())
    return 2 * float(R), float(switched(z, z_bar).mean())


@every_step
def test_lower_bound_on_the_step(eta: float):
    """lem:lowerbound, with the branch-switch penalty."""
    for y in feasible_points(50):
        _, new, _ = outcomes(y, eta)
        J, q = jump_and_chance(y, eta)
        bound = 0.5 * square(G(y, eta)) - eta**2 * SIGMA**2 - J**2 * q
        assert square(new - y).mean() >= bound - 1e-12


def constants(eta: float) -> tuple[float, float]:
    """C_noise and C_sign of thm:master."""
    return (1 - eta * L) / 4 + 1 / (1 - eta * L), (1 - eta * L) / 4


@every_step
def test_master_recursion(eta: float):
    """thm:master, with ass:proxpl as tight as it can be at each point."""
    best = lowest(eta)
    c_noise, c_sign = constants(eta)
    for y in feasible_points(50):
        _, new, _ = outcomes(y, eta)
        J, q = jump_and_chance(y, eta)
        gap = F(y, eta) - best
        mu = 0.5 * square(G(y, eta)) / gap
        bound = (
            (1 - (1 - eta * L) / 4 * mu) * gap + c_noise * (eta * SIGMA) ** 2 + c_sign * J**2 * q
        )
        assert F(new, eta).mean() - best <= bound + 1e-12


def test_noise_constant_is_infinite_at_the_largest_step():
    """thm:master allows eta <= 1 / L; C_noise is infinite at eta = 1 / L."""
    with pytest.raises(ZeroDivisionError):
        constants(1 / L)


def chains(eta: float, noise: float, n: int = 300, steps: int = 120) -> list[np.ndarray]:
    """alg:main, n runs side by side; the start is far from the optimum."""
    rng = np.random.default_rng(0)
    y = np.tile([4.0, -3.0, 2.0, 1.0], (n, 1))
    trace = [y]
    for _ in range(steps):
        xi = noise / 2 * rng.choice([-1.0, 1.0], size=y.shape)
        y = prox(y - eta * (grad(y) + xi))
        trace.append(y)
    return trace


def test_linear_convergence_to_a_neighbourhood():
    """thm:main, cor:uncond, prp:hard-hier-prox-converges, assumptions measured on the run."""
    eta, noise = 0.2, 0.3
    trace = chains(eta, noise)
    visited = np.vstack(trace)
    z_bar = visited - eta * grad(visited)
    best = lowest(eta)
    gap = F(visited, eta) - best
    mu = (0.5 * square(G(visited, eta)) / gap).min()  # ass:proxpl
    R = np.sqrt(square(np.vstack([visited, prox(z_bar)])).max())  # ass:bounded
    margin = np.abs(z_bar[:, :2]).min(axis=0)  # ass:margin
    assert mu > 0.01
    assert margin.min() > 0.05
    c_noise, c_sign = constants(eta)
    rho = 1 - (1 - eta * L) / 4 * mu
    floor = c_noise * (eta * noise) ** 2
    floor += c_sign * (2 * R * eta) ** 2 * ((noise / 2) ** 2 / margin**2).sum()
    delta = gap.reshape(len(trace), -1).mean(axis=1)
    for t in range(len(trace)):
        assert delta[t] <= rho**t * delta[0] + floor / (1 - rho)
    assert delta[-1] < delta[0] / 50
    assert delta[-1] < 0.05 * floor / (1 - rho), "the bound is loose by more than 20 times"


def test_proximal_pl_fails_where_a_feature_is_removed():
    """ass:proxpl cannot hold near an optimum with a zero gate.

    There F grows like lambda |theta| and ||G||^2 like theta^2, so no mu > 0 exists. Here
    f = ||y||^2 / 2: all gates vanish at the optimum.
    """
    eta, best = 0.2, 0.0
    ratios = []
    for size in (1e-2, 1e-3, 1e-4):
        y = np.array([size, 0.0, 0.0, 0.0])
        step = y - prox((1 - eta) * y)[0]
        gap = eta * 0.5 * square(y) + omega(y) - best
        ratios.append(0.5 * square(step) / gap)
    assert ratios[0] < 0.2
    np.testing.assert_allclose(ratios[1:], np.array(ratios[:-1]) / 10, rtol=0.05)


def test_noise_bound_does_not_shrink_with_the_step_size():
    """thm:main speaks of eta^2 sigma^2, but mu_PL is of order eta and F is eta f.

    With Omega = 0 the best mu_PL is eta MU: in units of the loss the bound tends
    to a constant, while the true floor of the same SGD goes to 0 with eta.
    """
    bounds, floors = [], []
    for eta in (0.1, 0.01, 0.001):
        rho = 1 - (1 - eta * L) / 4 * eta * MU
        bounds.append(constants(eta)[0] * eta**2 * SIGMA**2 / (1 - rho) / eta)
        curvature = np.linalg.eigvalsh(H)
        variance = eta * (SIGMA / 2) ** 2 / (curvature * (2 - eta * curvature))
        floors.append(0.5 * (curvature * variance).sum())
    assert bounds[-1] == pytest.approx(5 * SIGMA**2 / MU, rel=0.02)
    assert bounds[0] < 2 * bounds[-1]
    assert floors[-1] == pytest.approx(floors[0] / 100, rel=0.1)
