"""The Mixer against its definition, row by row and with torch's own layers."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lassoflexnet.nn import MixerSettings
from lassoflexnet.nn.mixer import ChannelMixing, Mixer, MixerBlock, TokenMixing
from tests.nn.makers import shake

D, N, E, C = 5, 6, 4, 2


def tokens(d: int = D) -> Tensor:
    return torch.randn(d, N, E, generator=torch.Generator().manual_seed(0))


def make(d: int = D, **settings) -> Mixer:
    mixer = MixerSettings(d_hidden=7, dropout=0.0, **settings).build(d, E, C)
    shake(mixer)
    return mixer


def slow_token_mixing(layer: TokenMixing, x: Tensor) -> Tensor:
    """Each row and each channel on its own: linear, GELU, linear over the tokens."""
    out = torch.empty(layer.w2.shape[1], *x.shape[1:])
    for row in range(x.shape[1]):
        for e in range(x.shape[2]):
            hidden = F.gelu(layer.w1.T @ x[:, row, e] + layer.b1[:, 0])
            out[:, row, e] = layer.w2.T @ hidden + layer.b2[:, 0]
    return out


def test_token_mixing():
    layer, x = TokenMixing(D, 7, 3, dropout=0.0), tokens()
    torch.testing.assert_close(layer(x), slow_token_mixing(layer, x))


def test_channel_mixing():
    layer, x = ChannelMixing(E, 7, dropout=0.0), tokens()
    expected = [[layer.outer(F.gelu(layer.inner(token))) for token in rows] for rows in x]
    torch.testing.assert_close(layer(x), torch.stack([torch.stack(rows) for rows in expected]))


def test_block_has_norms_before_and_residuals_around():
    block, x = MixerBlock(D, E, 7, dropout=0.0), tokens()
    shake(block)
    u = x + block.tokens(F.layer_norm(x, (E,), block.token_norm.weight, block.token_norm.bias))
    normed = F.layer_norm(u, (E,), block.channel_norm.weight, block.channel_norm.bias)
    torch.testing.assert_close(block(x), u + block.channels(normed))


def test_bare_entry_blocks_norm_pool_head():
    mixer, x = make(n_blocks=3), tokens()
    h = mixer.entry_channels(mixer.entry(x))
    for block in mixer.blocks:
        h = block(h)
    expected = mixer.head(mixer.head_norm(h).mean(dim=0))
    torch.testing.assert_close(mixer(x), expected)
    assert len(mixer.blocks) == 2


def test_flattened_head_reads_every_token():
    mixer, x = make(n_tokens=3, pool_tokens=False), tokens()
    h = mixer.head_norm(mixer.blocks(mixer.entry_channels(mixer.entry(x))))
    rows = [torch.cat([h[token, row] for token in range(3)]) for row in range(N)]
    torch.testing.assert_close(mixer(x), mixer.head(torch.stack(rows)))


@pytest.mark.parametrize(("n_tokens", "expected"), [(None, D), (3, 3), (9, 9)])
def test_number_of_tokens_behind_the_entry(n_tokens: int | None, expected: int):
    mixer = make(n_tokens=n_tokens)
    assert mixer.entry(tokens()).shape == (expected, N, E)
    assert mixer.blocks[0].tokens.w1.shape[0] == expected


def test_gated_weight_is_the_first_weight_itself():
    mixer = make()
    assert mixer.gated_weight is mixer.entry.w1
    assert mixer.gated_weight.shape == (D, 7)


def test_dropout_reaches_every_mixing():
    mixer = MixerSettings(n_blocks=2, d_hidden=7, dropout=0.3).build(D, E, C)
    rates = [m.p for m in mixer.modules() if type(m).__name__ == "Dropout"]
    assert rates == [0.3] * 4
    assert not any(isinstance(m, nn.Dropout) for m in mixer.modules())


@pytest.mark.parametrize("pool_tokens", [True, False])
def test_no_features_give_a_finite_constant(pool_tokens: bool):
    mixer = make(0, pool_tokens=pool_tokens)
    out = mixer(tokens(0))
    assert out.shape == (N, C)
    assert torch.isfinite(out).all()
    torch.testing.assert_close(out, out[:1].expand(N, C))


def test_no_rows():
    assert make()(tokens()[:, :0]).shape == (0, C)
