"""The joint operator as two convex branches: optimality, nonexpansiveness, the jump between."""

from itertools import product

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from lassoflexnet.gate import Gate
from lassoflexnet.prox import JointHierProx, SequentialHierProx

pytestmark = pytest.mark.paper

LAM, M = 0.4, 0.8


def branch(v: float, u: np.ndarray, s: int) -> np.ndarray:
    """eq:psi-branch: minimiser over the cone of sign s, by the root of its derivative in b."""

    def slope(b: float) -> float:
        return LAM + b - s * v - M * np.maximum(np.abs(u) - M * b, 0).sum()

    b = brentq(slope, 0, 1e3, xtol=1e-14) if slope(0) < 0 else 0.0
    return np.append(s * b, np.clip(u, -M * b, M * b))


def objective(y: np.ndarray, x: np.ndarray) -> float:
    """eq:psi-def, eq:Omega for one feature, without the constraint."""
    return 0.5 * ((y - x) ** 2).sum() + LAM * abs(y[0])


def feasible(y: np.ndarray, s: int = 0) -> bool:
    """In C, or in the cone of sign s."""
    return bool(np.abs(y[1:]).max() <= M * (s * y[0] if s else abs(y[0])) + 1e-12)


def psi(x: np.ndarray) -> np.ndarray:
    """eq:psi-def by the library, for rows (v, u)."""
    x = torch.tensor(np.atleast_2d(x))
    out = JointHierProx(M)(Gate(x[:, :1], x[:, 1:]), torch.tensor(LAM, dtype=torch.float64))
    return torch.cat([out.beta, out.w1], dim=1).numpy()


def sign(v: np.ndarray) -> np.ndarray:
    return np.where(v >= 0, 1, -1)


def inputs(n: int = 100, K: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 1 + K)) * [0.5, *[1.0] * K]


def cone_points(s: int, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    b = rng.exponential(size=(n, 1))
    return np.hstack([s * b, M * b * rng.uniform(-1, 1, (n, 3))])


def test_feasible_set_is_a_union_of_two_convex_cones():
    """Section "union of two convex cones"; each is convex, the union is not."""
    rng = np.random.default_rng(1)
    for s in (1, -1):
        p, q = cone_points(s, 200, seed=2), cone_points(s, 200, seed=3)
        share = rng.uniform(size=(200, 1))
        assert all(feasible(y, s) for y in share * p + (1 - share) * q)
        assert all(feasible(7.0 * y, s) for y in p)
    left, right = np.array([-1.0, M]), np.array([1.0, M])
    assert feasible(left)
    assert feasible(right)
    assert not feasible((left + right) / 2)


@pytest.mark.parametrize("s", [1, -1])
def test_branch_minimiser_is_unique(s: int):
    """lem:branch_convex_unique: any feasible point is worse by half its squared distance."""
    for x in inputs(20):
        best = branch(x[0], x[1:], s)
        assert feasible(best, s)
        for y in cone_points(s, 50):
            gap = objective(y, x) - objective(best, x)
            assert gap >= 0.5 * ((y - best) ** 2).sum() - 1e-9


def test_global_minimiser_is_the_better_branch():
    """def:global_min_set, lem:global_is_one_branch."""
    for x in inputs():
        plus, minus = branch(x[0], x[1:], 1), branch(x[0], x[1:], -1)
        better = min(plus, minus, key=lambda y: objective(y, x))
        np.testing.assert_allclose(psi(x)[0], better, atol=1e-9)


def test_global_map_takes_the_branch_of_the_input_sign():
    """def:psi-global, sign(0) := +1 included."""
    x = np.vstack([inputs(), [0.0, 2.0, -1.0, 0.5]])
    expected = [branch(row[0], row[1:], int(sign(row[0]))) for row in x]
    np.testing.assert_allclose(psi(x), expected, atol=1e-9)


@pytest.mark.parametrize("s", [1, -1])
def test_branch_map_is_firmly_nonexpansive(s: int):
    """lem:branch-prox, for inputs of either sign."""
    first, second = inputs(seed=0), inputs(seed=1)
    for x, y in zip(first, second, strict=True):
        moved = branch(x[0], x[1:], s) - branch(y[0], y[1:], s)
        assert moved @ moved <= moved @ (x - y) + 1e-9
        assert moved @ (x - y) <= (x - y) @ (x - y) + 1e-9


def test_sign_selection_is_optimal():
    """lem:sign-optimal: flipping b costs 2 |b v|."""
    for x in inputs():
        y = branch(x[0], x[1:], int(sign(x[0])))
        flipped = y * np.array([-1, 1, 1, 1])
        gap = objective(flipped, x) - objective(y, x)
        assert gap == pytest.approx(2 * abs(y[0] * x[0]))
        assert y[0] * x[0] >= 0


def test_sign_selection_says_nothing_at_zero():
    """lem:sign-optimal reads "sign(b) = sign(v)"; with sign(0) := +1 it fails at v < 0, b = 0."""
    b = psi(np.array([-0.1, 0.0, 0.0, 0.0]))[0, 0]
    assert b == 0
    assert sign(b) != sign(-0.1)


@pytest.mark.parametrize("u", [1.0, 3.0])
def test_jump_at_the_sign_boundary(u: float):
    """prop:not-lipschitz: b jumps between -+(M u - lambda) / (1 + M^2)."""
    size = (M * u - LAM) / (1 + M**2)
    below, at, above = psi(np.array([[-1e-9, u], [0.0, u], [1e-9, u]]))[:, 0]
    assert above == pytest.approx(size)
    assert at == pytest.approx(size)
    assert below == pytest.approx(-size)


def test_reduced_objective_is_not_convex():
    """prop:not-lipschitz, proof: "this function is convex in b". At b = 0 it has a peak."""
    v, u = 0.0, 2.0

    def phi(b: float) -> float:
        return LAM * abs(b) + 0.5 * (b - v) ** 2 + 0.5 * max(u - M * abs(b), 0) ** 2

    assert phi(0.0) > (phi(-0.5) + phi(0.5)) / 2


def test_sequential_operator_does_not_jump():
    """Not in the paper: Proposition 2 is continuous, Lipschitz, and yet not nonexpansive."""
    rng = np.random.default_rng(0)
    first = torch.tensor(rng.normal(size=(5000, 4)))
    second = first + 1e-4 * torch.tensor(rng.normal(size=(5000, 4)))

    def apply(x: torch.Tensor) -> torch.Tensor:
        out = SequentialHierProx(M=10.0)(
            Gate(x[:, :1], x[:, 1:]), torch.tensor(LAM, dtype=torch.float64)
        )
        return torch.cat([out.beta, out.w1], dim=1)

    ratio = (apply(first) - apply(second)).norm(dim=1) / (first - second).norm(dim=1)
    assert ratio.max() <= np.sqrt(1 + 3 * 10.0**2) + 1 + 1e-9
    assert ratio.max() > 2


def pattern(x: np.ndarray) -> tuple[int, ...]:
    """Sign pattern s(z) of two features of four numbers each."""
    return tuple(sign(x.reshape(2, 4)[:, 0]))


def Psi(x: np.ndarray) -> np.ndarray:
    """The lifted map on two features, as one vector."""
    return psi(x.reshape(2, 4)).ravel()


def test_piecewise_nonexpansive_with_a_jump():
    """lem:piecewise-jump, with R the largest output; both cases must occur."""
    x = [inputs(2, seed=seed).ravel() for seed in range(60)]
    out = [Psi(row) for row in x]
    R = max(np.linalg.norm(y) for y in out)
    seen = {True: 0.0, False: 0.0}
    for i, j in product(range(60), repeat=2):
        switched = pattern(x[i]) != pattern(x[j])
        moved, given = ((out[i] - out[j]) ** 2).sum(), ((x[i] - x[j]) ** 2).sum()
        assert moved <= given + (2 * R) ** 2 * switched + 1e-12
        seen[switched] = max(seen[switched], moved - given)
    assert seen[True] > 0.1, "without the jump term the inequality would fail"
    assert seen[False] <= 1e-12


def random_vectors(centre: np.ndarray, spread: float, n: int = 64) -> np.ndarray:
    return centre + spread * np.random.default_rng(0).normal(size=(n, 8))


@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_expected_jump(spread: float):
    """cor:expect_piecewise, for a finite distribution, exactly."""
    fixed = inputs(2, seed=4).ravel()
    X = random_vectors(fixed, spread)
    out = np.array([Psi(x) for x in X])
    R = max(np.linalg.norm(out, axis=1).max(), np.linalg.norm(Psi(fixed)))
    q = np.mean([pattern(x) != pattern(fixed) for x in X])
    left = ((out - Psi(fixed)) ** 2).sum(1).mean()
    assert left <= ((X - fixed) ** 2).sum(1).mean() + 4 * R**2 * q


def test_chebyshev_bounds_the_switch_probability():
    """def:margin, lem:chebyshev, for noise of three values, all cases enumerated."""
    eta = 0.5
    for seed in range(30):
        rng = np.random.default_rng(seed)
        margin, size, chance = rng.uniform(0.1, 1, 3), rng.uniform(0.5, 4, 3), 0.2
        q = bound = 0.0
        for noise in product((-1, 0, 1), repeat=3):
            weight = np.prod([1 - chance if e == 0 else chance / 2 for e in noise])
            q += weight * bool((sign(margin - eta * size * noise) != 1).any())
        bound = (eta**2 * chance * size**2 / margin**2).sum()
        assert q <= bound + 1e-12
    assert q > 0


def test_variance_passes_through_one_branch():
    """prop:var-transfer, first part: same sign pattern, no more variance than before."""
    X = random_vectors(np.tile([2.0, 1.0, -1.0, 0.3], 2), 0.3)
    assert len({pattern(x) for x in X}) == 1
    out = np.array([Psi(x) for x in X])
    assert out.var(axis=0).sum() <= X.var(axis=0).sum()


def test_variance_grows_only_through_a_switch():
    """prop:var-transfer, second part; the switch term is needed."""
    X = random_vectors(np.tile([0.05, 3.0, 3.0, 3.0], 2), 0.3)
    out = np.array([Psi(x) for x in X])
    R = np.linalg.norm(np.vstack([out, Psi(X.mean(axis=0))]), axis=1).max()
    switch = np.mean([pattern(x) != pattern(X.mean(axis=0)) for x in X])
    before, after = X.var(axis=0).sum(), out.var(axis=0).sum()
    assert after > before
    assert after <= before + 4 * R**2 * switch
