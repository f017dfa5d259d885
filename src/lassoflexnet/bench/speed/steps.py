"""Section 1: a training step of the paper's model, against its plain version and a matmul."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor

from lassoflexnet.bench.checking import at_least
from lassoflexnet.bench.speed.measure import Section, medians
from lassoflexnet.bench.speed.plain import PlainNetwork
from lassoflexnet.codes import CodeLayout, Codes, dense_codes
from lassoflexnet.nn import MixerSettings, Network, ResidualEmbeddingSettings, TiedGroupSkipSettings
from lassoflexnet.optim import AdamWSettings, ProximalOptimizer
from lassoflexnet.prox import ByCoordinate, SequentialHierProx
from lassoflexnet.training.averaging import ModelAverage

D, N, BINS, TAU, LAMBDA = 64, 1024, 32, 0.1, 1e-4
ADAMW, PROX, GATE_DECAY, MODEL_DECAY = AdamWSettings(), SequentialHierProx(), 0.9, 0.99
EMBEDDING = ResidualEmbeddingSettings(d_embedding=24, n_layers=2, d_layer=24, dropout=0.1)
MIXER = MixerSettings(n_blocks=3, d_hidden=256, dropout=0.1)
SIDE, PER_CALL = 1024, 4


def measure_steps(repeats: int) -> Section:
    """Median seconds of each, and what they say."""
    torch.manual_seed(0)
    layout = CodeLayout(tuple(range(D)), (0,) * D, (BINS,) * D, (BINS + 1,) * D)
    codes = Codes(torch.randint(0, BINS, (D, N)).to(torch.int16), torch.rand(D, N))
    target = torch.randn(N)
    found = medians(
        {
            "step": fast_step(layout, codes, target),
            "plain_step": plain_step(layout, codes, target),
            "matmul": _matmul(),
        },
        repeats,
    )
    flops = dense_flops(D, N, BINS + 1, EMBEDDING, MIXER)
    rate = flops / found["step"]
    peak = PER_CALL * 2 * SIDE**3 / found["matmul"]
    checks = [
        at_least("step: times the plain version's speed", found["plain_step"] / found["step"], 4),
        at_least("step: share of a float32 matmul's rate", rate / peak, 0.5),
    ]
    figures = {
        **{f"{name}_ms": round(1e3 * s, 2) for name, s in found.items()},
        "dense_form_gflop": round(flops / 1e9, 2),
        "gflop_per_s": round(rate / 1e9, 1),
        "matmul_gflop_per_s": round(peak / 1e9, 1),
    }
    return Section(checks, figures)


def fast_step(layout: CodeLayout, codes: Codes, target: Tensor) -> Callable[[], None]:
    """Forward, backward, optimiser, averages and prox, as training takes them."""
    network = Network(
        layout,
        EMBEDDING.build(layout),
        TiedGroupSkipSettings().build(D, 1),
        MIXER.build(D, EMBEDDING.d_embedding, 1),
        TAU,
    ).train()
    optimizer = ProximalOptimizer(
        ADAMW.build(*network.split_parameters()),
        network,
        prox=PROX,
        threshold=ByCoordinate(),
        ema_decay=GATE_DECAY,
        weights=torch.ones(D),
    )
    optimizer.lam = LAMBDA
    average = ModelAverage(network, MODEL_DECAY)

    def step() -> None:
        loss = (network(codes)[:, 0] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update()

    return step


def plain_step(layout: CodeLayout, codes: Codes, target: Tensor) -> Callable[[], None]:
    """The same work, written plainly: parameter by parameter, feature by feature.

    But for details that cost nothing: which weights decay, a threshold by the learning rate,
    an average without a warm-up.
    """
    dense = dense_codes(codes, layout).transpose(0, 1).contiguous()
    network = PlainNetwork(D, BINS + 1, EMBEDDING, MIXER, TAU).train()
    average = copy.deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), lr=ADAMW.learning_rate, foreach=False)
    gate = [network.beta.detach().clone(), network.gated_weight.detach().clone()]

    def step() -> None:
        loss = (network(dense)[:, 0] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mean, live in zip(average.parameters(), network.parameters(), strict=True):
                mean.mul_(MODEL_DECAY).add_(live, alpha=1 - MODEL_DECAY)
            _plain_prox(network, gate)

    return step


def _plain_prox(network: PlainNetwork, gate: list[Tensor]) -> None:
    """Sequential hierarchical prox on the averaged gate, one feature after another."""
    beta, w1 = network.beta, network.gated_weight
    gate[0].mul_(GATE_DECAY).add_(beta, alpha=1 - GATE_DECAY)
    gate[1].mul_(GATE_DECAY).add_(w1, alpha=1 - GATE_DECAY)
    for j in range(len(beta)):
        shrunk = (gate[0][j].abs() - ADAMW.learning_rate * LAMBDA).clamp_min(0.0)
        beta[j] = beta[j].sign() * shrunk
        w1[:, j] = w1[:, j].sign() * gate[1][:, j].abs().clamp_max(float(PROX.M * shrunk))


def _matmul() -> Callable[[], None]:
    a, b, c = (torch.randn(SIDE, SIDE) for _ in range(3))

    def run() -> None:
        for _ in range(PER_CALL):
            torch.mm(a, b, out=c)

    return run


def dense_flops(
    d: int, n: int, n_slots: int, embedding: ResidualEmbeddingSettings, mixer: MixerSettings
) -> float:
    """Floating-point operations of the dense form's layers, forward and twice that backward.

    Skip connection and head are left out: they are too small to count.
    """
    e, w, h = embedding.d_embedding, embedding.d_layer, mixer.d_hidden
    embed = n_slots * w + embedding.n_layers * w * w + w * e
    mix = 2 * d * h * e + 2 * d * e * h
    return 3.0 * 2.0 * n * (d * embed + mixer.n_blocks * mix)
