"""Value and slope tangent kernels: derivatives by autograd against the closed forms."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

pytestmark = pytest.mark.paper

KNOTS = torch.tensor([-1.0, -0.2, 0.1, 0.9, 2.5], dtype=torch.float64)
WIDTHS = KNOTS.diff()
T = len(WIDTHS)
Model = Callable[[Tensor], Tensor]


def points(n: int = 25, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    span = KNOTS[-1] - KNOTS[0]
    return KNOTS[0] + span * torch.rand(n, generator=generator, dtype=torch.float64)


def parameters(*shapes: int, seed: int = 0) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()
        for shape in shapes
    ]


def ple(x: Tensor) -> Tensor:
    return ((x[..., None] - KNOTS[:-1]) / WIDTHS).clamp(0, 1)


def bins(x: Tensor) -> Tensor:
    """Bin index s(x), from 1."""
    return torch.searchsorted(KNOTS, x)


def gradients(value: Tensor, theta: list[Tensor]) -> Tensor:
    parts = torch.autograd.grad(value, theta, materialize_grads=True)
    return torch.cat([part.flatten() for part in parts])


def value_kernel(model: Model, theta: list[Tensor], x: Tensor) -> Tensor:
    """def:value-ntk: inner products of gradients of the value."""
    jacobian = torch.stack([gradients(model(point), theta) for point in x])
    return jacobian @ jacobian.T


def slope_kernel(model: Model, theta: list[Tensor], x: Tensor) -> Tensor:
    """def:slope-ntk: inner products of gradients of the slope."""
    rows = []
    for point in x:
        moving = point.clone().requires_grad_()
        (slope,) = torch.autograd.grad(model(moving), moving, create_graph=True)
        rows.append(gradients(slope, theta))
    jacobian = torch.stack(rows)
    return jacobian @ jacobian.T


def linear_on_ple() -> tuple[Model, list[Tensor]]:
    theta = parameters(T, 1)
    return lambda x: theta[1].sum() + ple(x) @ theta[0], theta


def relu_net(m: int = 7) -> tuple[Model, list[Tensor]]:
    theta = parameters(m, m, m, 1, seed=1)
    a, w, b, c = theta
    return lambda x: (a * (w * x + b).relu()).sum() + c.sum(), theta


def test_value_kernel_of_linear_on_ple():
    """prop:value-ple: K = 1 + <phi(x), phi(x')>, with its closed form by bins."""
    x = points()
    kernel = value_kernel(*linear_on_ple(), x)
    torch.testing.assert_close(kernel, 1 + ple(x) @ ple(x).T)
    s = bins(x)
    alpha = (x - KNOTS[s - 1]) / WIDTHS[s - 1]
    for i in range(len(x)):
        for j in range(len(x)):
            lower = alpha[i] if s[i] < s[j] else alpha[j]
            last = alpha[i] * alpha[j] if s[i] == s[j] else lower
            assert kernel[i, j].item() == pytest.approx(float(min(s[i], s[j]) + last))


def test_value_kernel_of_linear_on_ple_reaches_across_bins():
    """prop:value-ple: nonzero even between different bins."""
    x = points()
    kernel = value_kernel(*linear_on_ple(), x)
    apart = bins(x)[:, None] != bins(x)
    assert apart.any()
    assert (kernel[apart] >= 1).all()
    assert (kernel[apart] > 1).any()


def test_value_kernel_of_the_relu_net():
    """prop:value-mlp, eq:value-mlp."""
    model, theta = relu_net()
    x = points()
    a, w, b, _ = (part.detach() for part in theta)
    z = x[:, None] * w + b
    active = (z > 0).double()
    both = active[:, None] * active
    expected = 1 + z.relu() @ z.relu().T + (both * a**2).sum(-1) * (1 + x[:, None] * x)
    torch.testing.assert_close(value_kernel(model, theta, x), expected)


def test_slope_kernel_of_linear_on_ple_is_diagonal_in_bins():
    """prop:slope-ple, eq:slope-ple-kernel: 1{same bin} / Delta^2."""
    x = points()
    s = bins(x)
    expected = (s[:, None] == s).double() / WIDTHS[s - 1] ** 2
    torch.testing.assert_close(slope_kernel(*linear_on_ple(), x), expected)


def test_slope_kernel_of_the_relu_net():
    """prop:slope-mlp, eq:slope-mlp: sum of w^2 + a^2 over units active at both."""
    model, theta = relu_net()
    x = points()
    a, w, b, _ = (part.detach() for part in theta)
    active = (x[:, None] * w + b > 0).double()
    expected = (active * (w**2 + a**2)) @ active.T
    torch.testing.assert_close(slope_kernel(model, theta, x), expected)


def test_slope_kernel_of_the_relu_net_is_not_local():
    """Remark after prop:slope-ple: far points share slopes without PLE, and not with it."""
    ends = torch.stack([KNOTS[0] + 0.01, KNOTS[-1] - 0.01])
    assert slope_kernel(*relu_net(), ends)[0, 1] > 0.1
    assert slope_kernel(*linear_on_ple(), ends)[0, 1] == 0


def test_rank_of_the_value_kernel():
    """rem:rank: T + 1 with PLE and data in every bin, 2 for a line."""
    x = points(60)
    assert set(bins(x).tolist()) == set(range(1, T + 1))
    with_ple = value_kernel(*linear_on_ple(), x)
    assert np.linalg.matrix_rank(with_ple.numpy()) == T + 1
    theta = parameters(1, 1)
    line = value_kernel(lambda x: theta[0].sum() * x + theta[1].sum(), theta, x)
    assert np.linalg.matrix_rank(line.numpy()) == 2


def test_value_kernel_is_continuous_with_ple_and_jumps_without():
    """Remark "Refinement": at -b_r / w_r the net's kernel jumps by a_r^2 (1 + x x')."""
    model, theta = relu_net()
    a, w, b, _ = (part.detach() for part in theta)
    threshold, anchor, h = -b / w, 0.5, 1e-9
    for r in range(len(a)):
        at = threshold[r]
        x = torch.stack([at - h, at + h, torch.tensor(anchor, dtype=torch.float64)])
        kernel = value_kernel(model, theta, x)
        jump = (kernel[1, 2] - kernel[0, 2]).abs()
        active = (w[r] * anchor + b[r] > 0).double()
        torch.testing.assert_close(
            jump, active * a[r] ** 2 * (1 + at * anchor).abs(), atol=1e-6, rtol=0
        )
    for knot in KNOTS[1:-1]:
        x = torch.stack([knot - h, knot + h, torch.tensor(anchor, dtype=torch.float64)])
        kernel = value_kernel(*linear_on_ple(), x)
        assert (kernel[1, 2] - kernel[0, 2]).abs() < 1e-7


def test_a_net_on_top_of_ple_couples_bins():
    """Remark "Extension": slopes of different bins interact once a ReLU net sits on PLE."""
    m = 6
    a, u, b = parameters(m, m * T, m, seed=2)

    def model(x: Tensor) -> Tensor:
        return (a * (u.view(m, T) @ ple(x) + b).relu()).sum()

    x = (KNOTS[:-1] + KNOTS[1:]) / 2
    kernel = slope_kernel(model, [a, u, b], x)
    assert (kernel - kernel.diag().diag()).abs().max() > 0.1
