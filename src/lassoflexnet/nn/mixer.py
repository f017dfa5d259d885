"""The MLP-Mixer backbone, gated at its first layer.

Called by the network. Activations are token-major, (tokens, n, channels): mixing
tokens and mixing channels are then both plain matmuls.
"""

from dataclasses import dataclass
from types import MappingProxyType

from torch import Tensor, nn

from lassoflexnet.nn.dropout import Dropout
from lassoflexnet.nn.hidden import hidden
from lassoflexnet.nn.per_feature import uniform_parameter


class TokenMixing(nn.Module):
    """Linear, GELU, linear over the tokens, shared by all channels.

    Shape: (d_in, n, e) -> (d_out, n, e). ``w1`` has one row per incoming token.
    """

    decayed: tuple[str, ...] = ("w1", "w2")
    matrices = MappingProxyType({"w1": 0, "w2": 0})

    def __init__(self, d_in: int, d_hidden: int, d_out: int, dropout: float) -> None:
        super().__init__()
        self.w1 = uniform_parameter(d_in, d_hidden, fan_in=d_in)
        self.b1 = uniform_parameter(d_hidden, 1, fan_in=d_in)
        self.w2 = uniform_parameter(d_hidden, d_out, fan_in=d_hidden)
        self.b2 = uniform_parameter(d_out, 1, fan_in=d_hidden)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Mix the tokens."""
        _, n, e = x.shape
        flat = x.reshape(x.shape[0], n * e).t()
        b1, b2 = self.b1.squeeze(1), self.b2.squeeze(1)
        y = hidden(flat, self.w1, b1, self.w2, b2, self.dropout.now).t()
        return self.dropout(y).view(self.w2.shape[1], n, e)


class GatedTokenMixing(TokenMixing):
    """Token mixing of features: its ``w1`` is the backbone's half of the gate."""

    per_feature = ("w1",)
    decayed = ("w2",)


class ChannelMixing(nn.Module):
    """Linear, GELU, linear over the channels, shared by all tokens: (t, n, e) -> (t, n, e)."""

    matrices = MappingProxyType({"inner.weight": 0, "outer.weight": 0})

    def __init__(self, d_channels: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(d_channels, d_hidden)
        self.outer = nn.Linear(d_hidden, d_channels)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Mix the channels."""
        inner, outer = self.inner, self.outer
        y = hidden(
            x.reshape(-1, x.shape[-1]),
            inner.weight.t(),
            inner.bias,
            outer.weight.t(),
            outer.bias,
            self.dropout.now,
        )
        return self.dropout(y.view(x.shape))


class MixerBlock(nn.Module):
    """The usual Mixer block: both mixings with LayerNorm before and a residual around."""

    def __init__(self, n_tokens: int, d_channels: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.token_norm = nn.LayerNorm(d_channels)
        self.tokens = TokenMixing(n_tokens, d_hidden, n_tokens, dropout)
        self.channel_norm = nn.LayerNorm(d_channels)
        self.channels = ChannelMixing(d_channels, d_hidden, dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(t, n, e) -> (t, n, e)."""
        x = x + self.tokens(self.token_norm(x))
        return x + self.channels(self.channel_norm(x))


class Mixer(nn.Module):
    """MLP-Mixer over feature tokens: (d, n, e) -> (n, c).

    The first block has neither LayerNorm nor residual: its token mixing is the
    only way in, so a feature whose row of ``w1`` is zero does not enter. Several are not
    made one: its layers are too many kinds.
    """

    stack = None

    def __init__(
        self, n_features: int, d_channels: int, n_outputs: int, s: "MixerSettings"
    ) -> None:
        super().__init__()
        n_tokens = s.n_tokens or max(n_features, 1)
        self.entry = GatedTokenMixing(n_features, s.d_hidden, n_tokens, s.dropout)
        self.entry_channels = ChannelMixing(d_channels, s.d_hidden, s.dropout)
        self.blocks = nn.Sequential(
            *(
                MixerBlock(n_tokens, d_channels, s.d_hidden, s.dropout)
                for _ in range(s.n_blocks - 1)
            )
        )
        self.head_norm = nn.LayerNorm(d_channels)
        self.pool_tokens = s.pool_tokens
        # Hidden units that a row passes, of token and of channel mixing.
        self.n_hidden = s.n_blocks * s.d_hidden * (d_channels + n_tokens)
        self.head = nn.Linear(d_channels if s.pool_tokens else n_tokens * d_channels, n_outputs)

    @property
    def gated_weight(self) -> Tensor:
        """First-layer weights, one row per feature: (d, K)."""
        return self.entry.w1

    def forward(self, z: Tensor) -> Tensor:
        """Mix, pool or flatten the tokens, and read out."""
        x = self.head_norm(self.blocks(self.entry_channels(self.entry(z))))
        if self.pool_tokens:
            return self.head(x.mean(dim=0))
        return self.head(x.transpose(0, 1).flatten(1))


@dataclass(frozen=True)
class MixerSettings:
    """Sizes of the Mixer.

    Attributes
    ----------
    n_blocks : int
        Mixer blocks, the bare first one included.
    d_hidden : int
        Hidden width of token and channel mixing.
    dropout : float
        Dropout after each layer.
    n_tokens : int or None
        Tokens behind the first block; None keeps one per feature, as the paper does.
    pool_tokens : bool
        Average the tokens before the head (the paper), or flatten them.
    """

    n_blocks: int = 2
    d_hidden: int = 128
    dropout: float = 0.1
    n_tokens: int | None = None
    pool_tokens: bool = True

    def build(self, n_features: int, d_channels: int, n_outputs: int) -> Mixer:
        """Make the module."""
        return Mixer(n_features, d_channels, n_outputs, self)
