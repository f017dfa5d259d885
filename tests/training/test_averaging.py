"""The average of the whole network."""

import pytest
import torch

from lassoflexnet.training import averaging
from lassoflexnet.training.averaging import ModelAverage, average_of
from lassoflexnet.training.state import copied
from tests.nn.makers import MIXED, close_gate, make_network, random_codes, shake

CODES = random_codes(MIXED, 60)


def parameters(network) -> torch.Tensor:
    return torch.cat([p.detach().flatten().clone() for p in network.parameters()])


def test_update_moves_slowly_and_faster_at_first():
    """Decay min(0.5, (1 + n) / (10 + n)) at the n-th update."""
    network = make_network()
    average, mean = ModelAverage(network, 0.5), parameters(network)
    for n in range(1, 13):
        shake(network, seed=n)
        average.update()
        decay = min(0.5, (1 + n) / (10 + n))
        mean = decay * mean + (1 - decay) * parameters(network)
        torch.testing.assert_close(parameters(average.network), mean)
    assert decay == 0.5


def test_decay_zero_is_the_live_network():
    network = make_network()
    average = average_of(network, 0.0)
    average.update()
    assert average.settle(CODES) is network
    assert isinstance(average_of(network, 0.5), ModelAverage)


def test_average_goes_back_to_a_saved_state():
    network = make_network()
    average = ModelAverage(network, 0.5)
    state, before = copied(average.state_dict()), parameters(average.network)
    shake(network)
    average.update()
    assert not torch.equal(parameters(average.network), before)
    average.load_state_dict(state)
    assert torch.equal(parameters(average.network), before)
    assert average.n_updates == 0


def test_live_network_is_left_alone():
    network = make_network()
    before = parameters(network)
    average = ModelAverage(network, 0.5)
    shake(average.network)
    average.update()
    assert torch.equal(parameters(network), before)


def test_settled_average_has_the_zeros_of_the_live_network():
    network = make_network()
    average = ModelAverage(network, 0.9)
    close_gate(network, [1, 3])
    average.update()
    assert average.network.gate().support().all()
    gate = average.settle(CODES).gate()
    assert gate.support().tolist() == [True, False, True, False]
    assert not gate.w1[[1, 3]].any()
    assert gate.w1[[0, 2]].all()


def test_settled_average_is_normalised_by_the_rows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(averaging, "moment_rows", lambda codes: codes.rows(slice(0, 40)))
    network = make_network()
    settled = ModelAverage(network, 0.9).settle(CODES)
    z = settled.eval().embedding(CODES.rows(slice(0, 40)))
    torch.testing.assert_close(z.mean(dim=1), torch.zeros(4, 4), atol=1e-5, rtol=0)
    assert not torch.equal(network.embedding.norm.running_mean, settled.embedding.norm.running_mean)


def test_average_follows_a_cut():
    network = make_network()
    average = ModelAverage(network, 0.9)
    shake(average.network)
    before = average.network.gate()
    kept = torch.tensor([0, 2])
    network.keep(kept)
    average.keep(kept)
    assert torch.equal(average.network.gate().beta, before.beta[kept])
    mean = parameters(average.network)
    shake(network, seed=5)
    average.update()
    torch.testing.assert_close(
        parameters(average.network), 2 / 11 * mean + 9 / 11 * parameters(network)
    )
    part = CODES.pieces(MIXED.pieces_of(kept.numpy()))
    assert average.settle(part)(part).shape == (60, 1)
