"""The MLP against the same network from torch's own layers."""

import pytest
import torch
from torch import nn

from lassoflexnet.nn import MLPSettings
from tests.nn.makers import shake

D, N, E, C = 3, 6, 4, 2


def tokens(d: int = D) -> torch.Tensor:
    return torch.randn(d, N, E, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("n_blocks", [1, 2, 4])
def test_equals_linear_relu_layers_on_the_flattened_row(n_blocks: int):
    mlp, z = MLPSettings(n_blocks, d_hidden=7, dropout=0.0).build(D, E, C), tokens()
    shake(mlp)
    first = nn.Linear(D * E, 7)
    first.load_state_dict({"weight": mlp.w1.reshape(D * E, 7).T, "bias": mlp.b1})
    layers = [first, nn.ReLU()]
    for hidden in mlp.hidden:
        layers += [hidden, nn.ReLU()]
    network = nn.Sequential(*layers, mlp.head)
    rows = torch.stack([torch.cat([z[i, row] for i in range(D)]) for row in range(N)])
    torch.testing.assert_close(mlp(z), network(rows))
    assert len(mlp.hidden) == n_blocks - 1


def test_gated_weight_has_one_row_per_feature_and_is_no_copy():
    mlp = MLPSettings(d_hidden=7).build(D, E, C)
    gated = mlp.gated_weight.detach()
    assert gated.shape == (D, E * 7)
    gated[1] = 0.0
    assert not mlp.w1[1].any()
    assert mlp.w1[0].all()


def test_dropout_acts_after_every_hidden_layer():
    mlp = MLPSettings(n_blocks=2, d_hidden=7, dropout=0.5).build(D, E, C)
    shake(mlp)
    z = tokens()
    torch.manual_seed(0)
    calls = []
    mlp.dropout.register_forward_hook(lambda *_: calls.append(1))
    assert not torch.equal(mlp(z), mlp(z))
    assert len(calls) == 4
    assert torch.equal(mlp.eval()(z), mlp(z))


def test_no_features_give_a_constant():
    mlp = MLPSettings(d_hidden=7, dropout=0.0).build(0, E, C)
    out = mlp(tokens(0))
    assert out.shape == (N, C)
    assert torch.isfinite(out).all()
    torch.testing.assert_close(out, out[:1].expand(N, C))
