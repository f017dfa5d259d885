"""Evolution of a gate under repeated updates, against loops and planted cases."""

import json

import numpy as np
import pytest
import torch

from lassoflexnet.bench.analyses.prox_evolution import (
    Evolution,
    ProxEvolution,
    evolution,
    measures,
    noised,
)
from lassoflexnet.gate import Gate
from lassoflexnet.prox import JointHierProx, NoProx, SequentialHierProx

LAMBDAS = np.linspace(1e-3, 5e-2, 12)


def gate(d: int = 6, width: int = 4, seed: int = 0) -> Gate:
    generator = torch.Generator().manual_seed(seed)
    return Gate(
        torch.randn(d, 1, generator=generator, dtype=torch.float64) * 0.3,
        torch.randn(d, width, generator=generator, dtype=torch.float64) * 0.5,
    )


def slow_sequential(start: Gate, M: float) -> Evolution:
    beta, w1 = [float(b) for b in start.beta[:, 0]], start.w1.tolist()
    sizes, largest = [[abs(b) for b in beta]], [[max(map(abs, row)) for row in w1]]
    for lam in LAMBDAS:
        beta = [np.sign(b) * max(abs(b) - lam, 0.0) for b in beta]
        w1 = [
            [np.sign(w) * min(abs(w), M * abs(b)) for w in row]
            for b, row in zip(beta, w1, strict=True)
        ]
        sizes.append([abs(b) for b in beta])
        largest.append([max(map(abs, row)) for row in w1])
    return Evolution(np.array(sizes), np.array(largest))


@pytest.mark.parametrize("M", [0.5, 10.0])
def test_sequential_evolution_is_the_slow_loop(M: float):
    found, expected = (
        evolution(gate(), SequentialHierProx(M=M), LAMBDAS),
        slow_sequential(gate(), M),
    )
    np.testing.assert_allclose(found.beta, expected.beta, atol=1e-12)
    np.testing.assert_allclose(found.w1, expected.w1, atol=1e-12)


def test_without_prox_nothing_changes():
    found = evolution(gate(), NoProx(), LAMBDAS)
    assert found.beta.shape == (len(LAMBDAS) + 1, 6)
    assert (found.beta == found.beta[0]).all()
    assert (found.w1 == found.w1[0]).all()


def test_noise_is_in_units_of_each_block():
    big = gate(d=2000)
    noisy = noised(big, 0.1, torch.Generator().manual_seed(0))
    for x, y in zip(big, noisy, strict=True):
        assert float((y - x).std() / x.std()) == pytest.approx(0.1, rel=0.05)
    again = noised(big, 0.1, torch.Generator().manual_seed(0))
    assert torch.equal(noisy.beta, again.beta)
    assert torch.equal(noised(big, 0.0, torch.Generator()).w1, big.w1)


def test_measures_of_a_path_by_hand():
    dense = Gate(torch.tensor([[0.4], [0.3], [0.2], [0.1]]), torch.zeros(4, 1))
    real = np.array([True, True, False, False])
    beta = np.array([[4.0, 3, 2, 1], [1, 2, 3, 4], [4, 3, 0, 0], [4, 0, 0, 0]])
    rank, first, area, alive = measures(Evolution(beta, beta), dense, real)
    # Two live after the second update: ranks 4, 3, 1.5, 1.5 against 4, 3, 2, 1.
    assert rank == pytest.approx(4.5 / np.sqrt(5 * 4.5))
    assert (first, area, alive) == (-1.0, 1.0, 1.0)


def planted() -> tuple[Gate, np.ndarray]:
    """Skip weights that know the real columns, first-layer weights that do not."""
    generator = torch.Generator().manual_seed(1)
    beta = torch.linspace(0.01, 0.4, 16, dtype=torch.float64)[:, None]
    w1 = torch.randn(16, 32, generator=generator, dtype=torch.float64) * 0.3
    return Gate(beta, w1), np.arange(16) >= 8


def test_sequential_keeps_the_order_and_joint_does_not():
    dense, real = planted()
    found = ProxEvolution(noise=0.0, n_draws=1).evolve(dense, real, seed=0)
    assert found.scores["rank_first_sequential"] == 1.0
    assert found.scores["auc_sequential"] == 1.0
    assert found.scores["rank_noised"] == 1.0
    assert found.scores["rank_sequential"] > 0.9
    assert found.scores["rank_joint"] < found.scores["rank_sequential"] - 0.15
    assert next(iter(found.scores)) == "rank_joint"


def test_facts_are_means_over_coefficients_and_draws():
    dense, real = planted()
    settings = ProxEvolution(M=(1.0, 5.0), n_draws=3, n_updates=4)
    found = settings.evolve(dense, real, seed=7)
    generator = torch.Generator().manual_seed(7)
    starts = [noised(dense, settings.noise, generator) for _ in range(3)]
    lambdas = np.linspace(1e-5, 1e-2, 4)
    paths = [evolution(s, JointHierProx(M=M), lambdas) for M in (1.0, 5.0) for s in starts]
    mean = np.mean([path.beta for path in paths], axis=0)
    np.testing.assert_allclose(found.facts["joint"]["beta"], mean, atol=1e-5)
    assert np.shape(found.facts["sequential"]["w1"]) == (5, 16)
    assert len(found.facts["rank_by_m"]["joint"]) == 2
    assert np.mean(found.facts["rank_by_m"]["joint"]) == pytest.approx(
        found.scores["rank_joint"], abs=1e-5
    )


def test_recipe_is_the_papers_with_a_small_network():
    recipe = ProxEvolution(max_epochs=3).recipe
    assert (recipe.tau, recipe.plan.dense.max_epochs, recipe.plan.path.n_lambdas) == (0.1, 3, 0)
    assert ProxEvolution(max_epochs=3).fingerprint() != ProxEvolution(max_epochs=4).fingerprint()


def test_from_data_to_scores():
    small = ProxEvolution(
        dataset="diabetes", max_train_rows=100, max_epochs=1, n_blocks=1, d_hidden=8, n_draws=2
    )
    found = small.carry_out(0)
    assert json.dumps(found)
    assert sum(found["facts"]["real"]) == 10
    assert len(found["facts"]["names"]) == 20
    assert np.shape(found["facts"]["joint"]["beta"]) == (51, 20)
