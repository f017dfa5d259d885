"""Piecewise linear encoding breaks rotational invariance: numbers, conditions, limits."""

from collections.abc import Callable

import numpy as np
import pytest

pytestmark = pytest.mark.paper

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]
Learner = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]

POINTS = np.array([[0.5, 0.0], [0.0, 0.5]])
TURN = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)
LABELS = np.array([1.0, -1.0])


def ple(x: np.ndarray) -> np.ndarray:
    """The example's encoder: breakpoints -1, 0, 1 on each coordinate."""
    parts = [np.clip(x[:, [j]] - np.array([-1.0, 0.0]), 0, 1) for j in range(x.shape[1])]
    return np.concatenate(parts, axis=1)


def random_orthogonal(n: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]


def linear(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b.T


def cubic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (1 + a @ b.T) ** 3


def gaussian(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.exp(-((a[:, None] - b[None]) ** 2).sum(-1))


def tangent(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Infinite-width tangent kernel of ``sum_r a_r relu(w_r . z) / sqrt(m)``, N(0, 1) start."""
    size = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)[None]
    angle = np.arccos(np.clip(a @ b.T / size, -1, 1))
    values = size * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
    return values + a @ b.T * (np.pi - angle) / (2 * np.pi)


KERNELS = [linear, cubic, gaussian, tangent]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)


def kernel_ridge(kernel: Kernel, ridge: float = 0.1) -> Learner:
    def learn(z: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        dual = np.linalg.solve(kernel(z, z) + ridge * np.eye(len(z)), y)
        return lambda query: kernel(query, z) @ dual

    return learn


def random_data(n: int = 12, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.5, 0.5, (n, d))
    return x, np.sin(3 * x[:, 0]) + x[:, 1]


@every_kernel
def test_kernel_ridge_on_raw_inputs_is_rotationally_invariant(kernel: Kernel):
    """Definition "Rotational invariance": L[S](x) = L[MS](Mx)."""
    x, y = random_data()
    M = random_orthogonal(3, seed=1)
    query = random_data(seed=2)[0]
    learn = kernel_ridge(kernel)
    np.testing.assert_allclose(learn(x, y)(query), learn(x @ M.T, y)(query @ M.T))


@every_kernel
def test_downstream_learner_is_orthogonally_invariant(kernel: Kernel):
    """def:orth-inv-A and eq:ntk-orth-inv: K(Qz, Qz') = K(z, z')."""
    z, other = random_data(d=4)[0], random_data(d=4, seed=3)[0]
    Q = random_orthogonal(4, seed=1)
    np.testing.assert_allclose(kernel(z @ Q.T, other @ Q.T), kernel(z, other))


def test_tangent_kernel_is_the_wide_limit():
    """K_NTK of the text, by the gradients of one very wide network."""
    z = ple(POINTS)
    rng = np.random.default_rng(0)
    m = 200_000
    w, a = rng.normal(size=(m, 4)), rng.normal(size=m)
    active = z @ w.T > 0
    by_a = np.maximum(z @ w.T, 0)
    gram = by_a @ by_a.T + (z @ z.T) * ((active * a**2) @ active.T)
    np.testing.assert_allclose(gram / m, tangent(z, z), rtol=0.02)


def test_encoded_points_of_the_example():
    """Inner products of "An explicit counterexample", before and after the turn."""
    z = ple(POINTS)
    np.testing.assert_allclose(z, [[1, 0.5, 1, 0], [1, 0, 1, 0.5]])
    np.testing.assert_allclose(z @ z.T, [[2.25, 2.0], [2.0, 2.25]])
    turned = ple(POINTS @ TURN.T)
    np.testing.assert_allclose(turned, [[1, 0.3536, 1, 0.3536], [0.6464, 0, 1, 0.3536]], atol=5e-5)
    np.testing.assert_allclose(turned @ turned.T, [[2.25, 1.7714], [1.7714, 1.5429]], atol=7e-5)


@every_kernel
def test_gram_matrix_changes_under_the_turn(kernel: Kernel):
    """lem:gram-break, eq:induced-kernel, eq:kernel-rot-condition (which fails)."""
    z, turned = ple(POINTS), ple(POINTS @ TURN.T)
    assert np.abs(kernel(z, z) - kernel(turned, turned)).max() > 0.05


def test_gram_lemma_needs_a_kernel_that_varies_where_codes_live():
    """lem:gram-break as stated ("any nonconstant") is too wide: codes have <z, z'> <= D.

    A kernel may be constant there and vary elsewhere; no rotation can change its Gram matrix.
    """

    def far(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.maximum(a @ b.T - 4, 0)

    assert far(3 * np.ones((1, 4)), np.ones((1, 4))) > 0
    for seed in range(20):
        x = np.random.default_rng(seed).uniform(-2, 2, (10, 2))
        z, turned = ple(x), ple(x @ random_orthogonal(2, seed).T)
        np.testing.assert_array_equal(far(z, z), far(turned, turned))


def test_predictions_of_the_example():
    """app:ntk_regression_example: 0.7143 before the turn, 0.5276 after it."""
    learn = kernel_ridge(linear, ridge=0.1)
    before = learn(ple(POINTS), LABELS)(ple(POINTS[:1]))
    turned = POINTS @ TURN.T
    after = learn(ple(turned), LABELS)(ple(turned[:1]))
    assert before[0] == pytest.approx(0.7143, abs=5e-5)
    assert after[0] == pytest.approx(0.5276, abs=5e-5)


@every_kernel
def test_encoded_learner_is_not_rotationally_invariant(kernel: Kernel):
    """thm:phase1, prp:informal_ple_not_invariant, for four invariant kernels."""
    turned = POINTS @ TURN.T
    learn = kernel_ridge(kernel)
    before = learn(ple(POINTS), LABELS)(ple(POINTS))
    after = learn(ple(turned), LABELS)(ple(turned))
    assert np.abs(before - after).max() > 0.01


@every_kernel
def test_equivariant_encoder_gives_invariance(kernel: Kernel):
    """def:encoder-equiv and prop:sufficiency: Phi(Mx) = Q Phi(x) for one orthogonal Q."""
    lift = np.eye(5, 3)
    x, y = random_data()
    M = random_orthogonal(3, seed=4)
    Q = np.eye(5)
    Q[:3, :3] = M

    def encode(x: np.ndarray) -> np.ndarray:
        return (x * np.tanh(3 * np.linalg.norm(x, axis=1, keepdims=True))) @ lift.T

    query = random_data(seed=5)[0]
    np.testing.assert_allclose(encode(query @ M.T), encode(query) @ Q.T)
    learn = kernel_ridge(kernel)
    before = learn(encode(x), y)(encode(query))
    after = learn(encode(x @ M.T), y)(encode(query @ M.T))
    np.testing.assert_allclose(before, after)


def test_no_orthogonal_map_aligns_the_encoded_problems():
    """thm:obstruction, premise: PLE is not equivariant, since Gram matrices would be equal."""
    x, _ = random_data(d=2)
    z, turned = ple(x), ple(x @ TURN.T)
    U, _, Vt = np.linalg.svd(turned.T @ z)
    best = U @ Vt  # orthogonal Procrustes: the closest any Q can come
    assert np.linalg.norm(turned - z @ best.T) > 0.5


@every_kernel
def test_obstruction_holds_for_ple(kernel: Kernel):
    """thm:obstruction, conclusion, on data in general position."""
    x, y = random_data(d=2)
    learn = kernel_ridge(kernel)
    gap = learn(ple(x), y)(ple(x)) - learn(ple(x @ TURN.T), y)(ple(x @ TURN.T))
    assert np.abs(gap).max() > 0.01


def test_obstruction_is_not_a_theorem_for_every_learner():
    """thm:obstruction as stated fails: a scale-free learner forgives a wrong scale.

    The learner is orthogonally invariant, and separating: sums of Gaussian bumps with
    different weights (each exceeds the sum of those before) are equal as functions only if
    all centres are. The encoder scales the data by a number that rotations change, so it
    is not equivariant.
    """

    def learn(z: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        weights = 4.0 ** np.arange(len(z))
        width = (z**2).sum()
        return lambda query: (
            np.exp(-((query[:, None] - z) ** 2).sum(-1) / width) @ (weights * (2 + np.tanh(y)))
        )

    def scale(x: np.ndarray) -> float:
        return 1.0 + abs(x[0, 0])

    x, y = random_data(d=2)
    turned = x @ TURN.T
    z, z_turned = scale(x) * x, scale(turned) * turned
    assert np.abs(z @ z.T - z_turned @ z_turned.T).max() > 1e-3, "no Q can exist"
    query = np.random.default_rng(6).normal(size=(20, 2))
    assert np.abs(learn(z, y)(query) - learn(z_turned, y)(query)).max() > 1e-3
    before = learn(z, y)(scale(x) * query)
    after = learn(z_turned, y)(scale(turned) * query @ TURN.T)
    np.testing.assert_allclose(before, after)


def test_ridge_regression_is_not_separating():
    """def:separating is said to hold for linear ridge regression; it does not.

    The second point has label 0 and lies across the first: its length has no effect.
    """
    y, query = np.array([1.0, 0.0]), np.random.default_rng(0).normal(size=(50, 2))
    z, other = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 2.0]])
    assert not np.allclose(z @ z.T, other @ other.T), "no orthogonal map relates them"
    learn = kernel_ridge(linear)
    np.testing.assert_allclose(learn(z, y)(query), learn(other, y)(query))
