"""Products by oneDNN against torch's own, and when they are taken."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from lassoflexnet import products
from lassoflexnet.nn import MLPSettings
from lassoflexnet.nn.mlp import StackedMLP
from lassoflexnet.optim.muon import orthogonal
from lassoflexnet.products import affine, matmul

SIZES = [(3, 5, 2), (160, 90, 200)]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """OneDNN for matrices of any size on any machine; the list has an entry for each product."""
    product, calls = products._onednn(), []
    if product is None:
        pytest.skip("this torch has no oneDNN for matrices")

    def counted(*given):
        calls.append(len(calls))
        return product(*given)

    monkeypatch.setattr(products, "LARGE", 0)
    monkeypatch.setattr(products, "_mkl_is_slow", lambda: True)
    monkeypatch.setattr(products, "_onednn", lambda: counted)
    return calls


@pytest.mark.parametrize("leading", [(), (3,)])
@pytest.mark.parametrize(("n", "a", "o"), SIZES)
def test_products_are_the_same(leading: tuple[int, ...], n: int, a: int, o: int, taken: list[int]):
    x, y = torch.randn(*leading, n, a), torch.randn(*leading, a, o)
    turned = x.mT.contiguous().mT, y.mT.contiguous().mT
    for left, right in ((x, y), turned):
        torch.testing.assert_close(matmul(left, right), x @ y, atol=1e-4, rtol=1e-4)
    assert len(taken) == 2 * (leading or (1,))[0]


@pytest.mark.parametrize("leading", [(), (3,)])
@pytest.mark.parametrize(("n", "a", "o"), SIZES)
def test_a_layer_and_its_gradients_are_the_same(
    leading: tuple[int, ...], n: int, a: int, o: int, taken: list[int]
):
    given = [torch.randn(*leading, *shape, requires_grad=True) for shape in ((n, a), (a, o), (o,))]
    pull = torch.randn(*leading, n, o)
    x, w, b = given
    plain = x @ w + b.unsqueeze(-2)
    expected = torch.autograd.grad(plain, given, pull)
    found = affine(x, w, b)
    torch.testing.assert_close(found, plain, atol=1e-4, rtol=1e-4)
    gradients = torch.autograd.grad(found, given, pull)
    torch.testing.assert_close(gradients, expected, atol=1e-3, rtol=1e-4)
    assert len(taken) == 3 * (leading or (1,))[0]


def test_rows_without_a_gradient_cost_no_product(taken: list[int]):
    w = torch.randn(4, 3, requires_grad=True)
    x = torch.randn(5, 4)
    affine(x, w, torch.zeros(3, requires_grad=True)).sum().backward()
    assert len(taken) == 2
    torch.testing.assert_close(w.grad, x.sum(dim=0)[:, None].expand(4, 3))


def test_a_product_that_needs_a_gradient_is_left_to_torch(taken: list[int]):
    a, b = torch.randn(5, 4, requires_grad=True), torch.randn(4, 3)
    matmul(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.sum(dim=1).expand(5, 4))
    assert taken == []
    with torch.no_grad():
        matmul(a, b)
    assert len(taken) == 1


@pytest.mark.parametrize("shape", [(30, 70), (70, 30), (3, 24, 24)])
def test_muon_turns_a_matrix_the_same_way(
    shape: tuple[int, ...], taken: list[int], monkeypatch: pytest.MonkeyPatch
):
    x = torch.randn(shape)
    found = orthogonal(x, 3)
    assert taken
    monkeypatch.setattr(products, "_mkl_is_slow", lambda: False)
    torch.testing.assert_close(found, orthogonal(x, 3), atol=1e-4, rtol=1e-3)


def test_backbones_say_and_learn_the_same(taken: list[int], monkeypatch: pytest.MonkeyPatch):
    """One MLP, and several side by side."""
    mlps = [MLPSettings(3, 16, 0.0).build(4, 6, 2) for _ in range(3)]
    for backbone, n_tokens in ((mlps[0], 4), (StackedMLP(mlps), 12)):
        z = torch.randn(n_tokens, 20, 6)
        taken.clear()
        found = _said_and_learnt(backbone, z)
        assert len(taken) == 3 * 4 * (n_tokens // 4) - (n_tokens // 4), "not for the tokens"
        with monkeypatch.context() as patch:
            patch.setattr(products, "_mkl_is_slow", lambda: False)
            expected = _said_and_learnt(backbone, z)
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-3)


def _said_and_learnt(backbone: torch.nn.Module, z: torch.Tensor) -> list[torch.Tensor]:
    outputs = backbone(z)
    return [outputs, *torch.autograd.grad(outputs.square().sum(), list(backbone.parameters()))]


def test_other_types_and_small_matrices_are_left_to_torch(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
):
    x = torch.randn(5, 4)
    matmul(x.double(), x.double().mT)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert affine(x, x.mT, torch.zeros(5)).dtype == torch.bfloat16
    monkeypatch.setattr(products, "LARGE", 101)
    matmul(x, x.mT)
    assert taken == []
    monkeypatch.setattr(products, "LARGE", 100)
    matmul(x, x.mT)
    assert len(taken) == 1


@pytest.mark.parametrize(
    ("maker", "capability", "has_mkl", "slow"),
    [
        ("AuthenticAMD", "AVX512", True, True),
        ("AuthenticAMD", "AVX2", True, False),
        ("AuthenticAMD", "AVX512", False, False),
        ("GenuineIntel", "AVX512", True, False),
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_processors_that_mkl_serves_well_are_left_to_it(
    maker: str,
    capability: str,
    has_mkl: bool,
    slow: bool,
    listed: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    cpu_info = tmp_path / "cpuinfo"
    if listed:
        cpu_info.write_text(f"processor: 0\nvendor_id: {maker}\n")
    monkeypatch.setattr(products, "CPU_INFO", cpu_info)
    monkeypatch.setattr("platform.processor", lambda: f"AMD64 Family 26, {maker}")
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: has_mkl)
    assert products._mkl_is_slow.__wrapped__() == slow


def test_whoever_turns_onednn_off_does_without(taken: list[int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    matmul(torch.randn(5, 4), torch.randn(4, 5))
    assert taken == []


def test_a_torch_without_it_multiplies_as_ever(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(products, "LARGE", 0)
    monkeypatch.setattr(products, "_mkl_is_slow", lambda: True)
    monkeypatch.setattr(products, "_onednn", lambda: None)
    a, b = torch.randn(5, 4), torch.randn(4, 5)
    assert torch.equal(matmul(a, b), a @ b)
