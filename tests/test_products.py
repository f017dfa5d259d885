"""Products by oneDNN against torch's own, and when they are taken."""

from collections.abc import Iterator

import pytest
import torch

from lassoflexnet import products
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
    affine(torch.randn(5, 4), w, torch.zeros(3, requires_grad=True)).sum().backward()
    assert len(taken) == 2


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


def test_processors_that_mkl_serves_well_are_left_to_it(
    taken: list[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(products, "_mkl_is_slow", lambda: False)
    matmul(torch.randn(5, 4), torch.randn(4, 5))
    assert taken == []
