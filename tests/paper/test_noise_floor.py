"""How close noisy proximal steps come to the optimum: joint, sequential, convex.

Each operator minimises ``||y - target||^2 / 2`` and its penalty by noisy steps from one
feature with three weights; thousands of runs side by side give the mean. The floor is the
mean objective of the second half of a run, less that of the same run without noise.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import torch

from lassoflexnet.gate import Gate
from lassoflexnet.prox import ConvexHierProx, JointHierProx, Prox, SequentialHierProx

pytestmark = pytest.mark.paper

LAM, K = 0.2, 3
DOUBLE = torch.float64


class Case(NamedTuple):
    """Where the loss wants the gate and the weights, and the hierarchy's M."""

    theta: float
    W: float
    M: float


STRONG = Case(1.0, 0.5, 1.0)  # the constraint is loose
HIDDEN = Case(0.0, 2.0, 10.0)  # no linear effect: only the weights are useful
WEAK = Case(0.05, 0.05, 1.0)  # hardly any effect at all


class Run(NamedTuple):
    """Mean objective, share of steps that switch branch, mean squared jump at a switch."""

    value: float
    switches: float
    jump: float
    last: Gate


def penalty(operator: Prox, y: Gate) -> torch.Tensor:
    """Penalty per unit of step size, in original variables: (n,)."""
    size = y.beta.abs().squeeze(1)
    if isinstance(operator, ConvexHierProx):
        block = torch.cat([y.beta, y.w1 / operator.M], dim=1)
        return LAM * size + LAM * operator.group * block.norm(dim=1)
    return LAM * size


@cache
def run(operator: Prox, case: Case, eta: float, noise: float = 1.0, n: int = 400) -> Run:
    """alg:main with threshold eta lambda, n runs; the convex one steps on W / M."""
    generator = torch.Generator().manual_seed(0)
    scale = operator.M if isinstance(operator, ConvexHierProx) else 1.0
    theta = torch.full((n, 1), case.theta, dtype=DOUBLE)
    W = torch.full((n, K), case.W / scale, dtype=DOUBLE)

    def prox(x: tuple[torch.Tensor, torch.Tensor]) -> Gate:
        out = operator(Gate(x[0], scale * x[1]), torch.tensor(eta * LAM, dtype=DOUBLE))
        return Gate(out.beta, out.w1 / scale)

    y = prox((theta, W))
    values, switches, jumps = [], [], []
    steps = int((12 if noise else 40) / eta)
    for i in range(steps):
        z_bar = [x - eta * (x - a) for x, a in zip(y, (theta, W), strict=True)]
        z = [
            x - eta * noise * torch.randn(x.shape, generator=generator, dtype=DOUBLE) for x in z_bar
        ]
        y = prox(z)
        switched = ((z[0] >= 0) != (z_bar[0] >= 0)).squeeze(1)
        switches.append(switched.double().mean().item())
        if switched.any():
            moved = torch.cat(y, dim=1) - torch.cat(prox(z_bar), dim=1)
            jumps.append(moved[switched].square().sum(1).mean().item())
        if i >= steps // 2:
            miss = (y.beta - theta).square().sum(1) + (y.w1 - W).square().sum(1)
            original = Gate(y.beta, scale * y.w1)
            values.append((0.5 * miss + penalty(operator, original)).mean().item())
    jump = float(np.mean(jumps)) if jumps else 0.0
    return Run(float(np.mean(values)), float(np.mean(switches)), jump, y)


def floor(operator: Prox, case: Case, eta: float) -> float:
    return run(operator, case, eta).value - run(operator, case, eta, noise=0.0, n=1).value


STEPS = (0.4, 0.2, 0.1, 0.05)


@pytest.mark.parametrize("case", [STRONG, HIDDEN, WEAK])
def test_joint_floor_is_proportional_to_the_step_size(case: Case):
    """prp:hard-hier-prox-converges: no constant is left over by sign flips."""
    share = [floor(JointHierProx(case.M), case, eta) / eta for eta in STEPS]
    assert max(share) < 1.25 * min(share)


@pytest.mark.parametrize("case", [STRONG, HIDDEN, WEAK])
def test_convex_floor_is_proportional_to_the_step_size(case: Case):
    """prp:soft-hier-prox-converges, relaxed:thm:master: the same order as the joint floor."""
    share = [floor(ConvexHierProx(case.M), case, eta) / eta for eta in STEPS]
    assert max(share) < 1.25 * min(share)


@pytest.mark.parametrize("case", [STRONG, HIDDEN, WEAK])
def test_convex_floor_is_not_the_smaller_one(case: Case):
    """Appendix title "Convergence of the convex relaxation to a smaller noise neighborhood".

    Same loss, same noise, each around its own optimum: the joint floor is a little smaller.
    """
    joint, convex = JointHierProx(case.M), ConvexHierProx(case.M)
    ratio = floor(convex, case, 0.05) / floor(joint, case, 0.05)
    assert 1 < ratio < 1.5


def test_frequent_switches_cost_little():
    """prp:hard-hier-prox-converges: a third of the steps switch branch at eta = 0.4, none at
    0.05, and the floor in units of eta is the same within a quarter.
    """
    operator = JointHierProx(HIDDEN.M)
    many, none = run(operator, HIDDEN, 0.4), run(operator, HIDDEN, 0.05)
    assert many.switches > 0.25
    assert none.switches < 1e-3
    assert floor(operator, HIDDEN, 0.4) / 0.4 < 1.25 * floor(operator, HIDDEN, 0.05) / 0.05


def test_jumps_along_the_iterates_shrink_with_the_step_size():
    """thm:master bounds a jump by J = 2R, a constant; along the iterates it is of order eta.

    The jump of prop:not-lipschitz needs a large u at v near 0. But y_t is feasible: if one
    step can flip theta then |theta| = O(eta), so |W| <= M |theta| = O(eta) as well.
    """
    operator = JointHierProx(WEAK.M)
    runs = [run(operator, WEAK, eta) for eta in STEPS]
    assert all(result.switches > 0.02 for result in runs)
    scaled = [result.jump / eta**2 for result, eta in zip(runs, STEPS, strict=True)]
    assert max(scaled) < 2 * min(scaled)


@pytest.mark.parametrize("eta", [0.3, 0.03])
def test_jump_from_a_feasible_point_is_bounded_by_the_step(eta: float):
    """The bound behind the last test, for each step: ||Psi(z) - Psi(z-bar)|| <= ||z|| + ||z-bar||
    (branch maps are nonexpansive and keep 0), and both are O(eta) at a switch.
    """
    M, n = 2.0, 20_000
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(n, 1)) * eta
    W = M * np.abs(theta) * rng.uniform(-1, 1, (n, K))
    slope, xi = rng.normal(size=(2, n, 1 + K))
    z_bar = np.hstack([theta, W]) - eta * slope
    z = z_bar - eta * xi
    switched = (z[:, 0] >= 0) != (z_bar[:, 0] >= 0)
    assert switched.mean() > 0.1

    def apply(x: np.ndarray) -> torch.Tensor:
        x = torch.tensor(x[switched])
        return torch.cat(JointHierProx(M)(Gate(x[:, :1], x[:, 1:]), torch.tensor(LAM * eta)), dim=1)

    jump = (apply(z) - apply(z_bar)).norm(dim=1).numpy()
    size = np.linalg.norm(slope, axis=1) + np.linalg.norm(xi, axis=1)
    gate = np.abs(slope[:, 0]) + np.abs(xi[:, 0])
    bound = 2 * eta * ((1 + M * np.sqrt(K)) * gate + size)
    assert (jump <= bound[switched]).all()


def test_sequential_steps_do_not_minimise_the_objective():
    """Section 4 (5): "safely decouple". The sequential limit is another point.

    A feature whose worth lies in W alone is removed: theta sees no reason to stay, and
    closes the box. The joint operator keeps it, at a hundredth of the objective.
    """
    joint, sequential = (
        run(operator, HIDDEN, 0.05, noise=0.0, n=1)
        for operator in (JointHierProx(HIDDEN.M), SequentialHierProx(HIDDEN.M))
    )
    assert not sequential.last.beta.any()
    assert not sequential.last.w1.any()
    assert sequential.value == pytest.approx(0.5 * K * HIDDEN.W**2)
    assert joint.value < 0.011 * sequential.value


def test_sequential_and_joint_agree_where_the_constraint_is_loose():
    """Proposition 2 against Proposition 1: same limit, same floor, if the box is not felt."""
    joint, sequential = JointHierProx(STRONG.M), SequentialHierProx(STRONG.M)
    for eta in (0.1, 0.05):
        limit = run(joint, STRONG, eta, noise=0.0, n=1).value
        assert run(sequential, STRONG, eta, noise=0.0, n=1).value == pytest.approx(limit)
        ratio = floor(sequential, STRONG, eta) / floor(joint, STRONG, eta)
        assert ratio == pytest.approx(1, abs=0.15)


def test_sequential_gates_change_sign_more_often_but_do_not_jump():
    """Remark after prp:soft-hier-prox-converges: what is avoided are jumps, not sign flips."""
    eta = 0.1
    joint, sequential = JointHierProx(HIDDEN.M), SequentialHierProx(HIDDEN.M)
    assert run(sequential, HIDDEN, eta).switches > 5 * run(joint, HIDDEN, eta).switches
    weak = [run(operator(WEAK.M), WEAK, eta) for operator in (JointHierProx, SequentialHierProx)]
    assert weak[1].jump < weak[0].jump / 2


def averaged(decay: float, eta: float, *, live_sign: bool) -> tuple[float, float]:
    """alg:seq-hier-prox with averages: floor, and share of steps in which a weight flips."""
    generator = torch.Generator().manual_seed(0)
    target = Gate(torch.full((500, 1), 1.0), torch.full((500, K), 0.5))
    operator, threshold = SequentialHierProx(1.0), torch.tensor(eta * LAM)
    y = average = operator(target, threshold)
    values, flips = [], []
    steps = int(12 / eta / (1 - decay))
    for i in range(steps):
        z = Gate(
            *(
                x - eta * (x - a + torch.randn(x.shape, generator=generator))
                for x, a in zip(y, target, strict=True)
            )
        )
        average = Gate(*(a.lerp(x, 1 - decay) for a, x in zip(average, z, strict=True)))
        new = operator(average, threshold)
        if live_sign:
            new = Gate(*(x.abs() * live.sign() for x, live in zip(new, z, strict=True)))
        flips.append((new.w1 * y.w1 < 0).double().mean().item())
        y = new
        if i >= steps // 2:
            miss = (y.beta - target.beta).square().sum(1) + (y.w1 - target.w1).square().sum(1)
            values.append((0.5 * miss + penalty(operator, y)).mean().item())
    best = 0.5 * LAM**2 + LAM * (1 - LAM)
    return float(np.mean(values)) - best, float(np.mean(flips))


def test_average_acts_like_a_smaller_step():
    """Paragraph "Stable EMA": the prox of the average at eta is a run at (1 - decay) eta."""
    smooth, _ = averaged(0.9, 0.2, live_sign=False)
    small_steps, _ = averaged(0.0, 0.02, live_sign=False)
    rough, _ = averaged(0.0, 0.2, live_sign=False)
    assert smooth == pytest.approx(small_steps, rel=0.15)
    assert smooth < rough / 5


def test_live_sign_undoes_the_average():
    """alg:seq-hier-prox takes the size from the average and the sign from the live weight.

    Where a step of noise can flip a weight, it flips the averaged one at full size: the
    floor is several times that of the plain prox of the average.
    """
    by_letter, flips = averaged(0.9, 0.2, live_sign=True)
    plain, plain_flips = averaged(0.9, 0.2, live_sign=False)
    assert by_letter > 3 * plain
    assert flips > 0.01
    assert plain_flips < flips / 10
