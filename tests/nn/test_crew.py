"""Several networks as one: what they compute is what each computes by itself."""

import copy

import pytest
import torch

from lassoflexnet.codes import Codes
from lassoflexnet.nn import Crew, MixerSettings, MLPSettings, NoSkipSettings, can_be_crew
from tests.nn.makers import EMBEDDINGS, MIXED, RESIDUAL, make_network, random_codes, shake

K = 3


def networks(embedding=RESIDUAL, n_blocks: int = 3, n_outputs: int = 2):
    """Networks of one kind with weights, norms and statistics of their own."""
    made = []
    for seed in range(K):
        network = make_network(
            MIXED,
            embedding=embedding,
            backbone=MLPSettings(n_blocks, 8, 0.0),
            n_outputs=n_outputs,
            seed=seed,
        )
        shake(network)
        made.append(network)
    return made


def side_by_side(codes: list[Codes]) -> Codes:
    return Codes(*(torch.cat([one[at] for one in codes]) for at in (0, 1)))


CODES = [random_codes(MIXED, 20, seed=seed) for seed in range(K)]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_each_one_has_the_outputs_it_has_alone(embedding, n_blocks, training):
    members = networks(embedding, n_blocks)
    crew = Crew(members).train(training)
    alone = [one.train(training)(codes) for one, codes in zip(members, CODES, strict=True)]
    torch.testing.assert_close(crew(side_by_side(CODES)), torch.stack(alone))


def test_gradients_are_those_of_each_alone():
    members = networks()
    crew = Crew(members)
    crew(side_by_side(CODES)).square().sum().backward()
    for network, codes in zip(members, CODES, strict=True):
        network(codes).square().sum().backward()
    expected = torch.cat([one.backbone.w1.grad.flatten() for one in members])
    torch.testing.assert_close(crew.backbone.w1.grad.flatten(), expected)
    expected = torch.cat([one.embedding.first.weight.grad for one in members])
    torch.testing.assert_close(crew.embedding.first.weight.grad, expected)


def test_weights_come_back_as_they_went_in():
    members = networks()
    crew, others = Crew(members), networks()
    for one in others:
        with torch.no_grad():
            for tensor in one.state_dict().values():
                tensor.zero_()
    for number, one in enumerate(others):
        crew.copy_to(one, number)
        for name, tensor in members[number].state_dict().items():
            assert torch.equal(one.state_dict()[name], tensor), name


def test_the_gate_is_that_of_all():
    members = networks()
    crew = Crew(members)
    gates = [one.gate() for one in members]
    assert torch.equal(crew.gate().beta, torch.cat([gate.beta for gate in gates]))
    assert torch.equal(crew.gate().w1, torch.cat([gate.w1 for gate in gates]))
    gate = crew.gate()
    crew.set_gate(gate._replace(beta=0 * gate.beta))
    assert not crew.gate().support().any()


def test_the_same_weights_are_decayed_and_matrices():
    members = networks()
    together, alone = Crew(members).split_parameters(), members[0].split_parameters()
    for ours, theirs in zip(together, alone, strict=True):
        assert sum(p.numel() for p in ours) == K * sum(p.numel() for p in theirs)
    # Each network's own; those of the embedding are numbered by features before.
    assert set(together.matrices.values()) == {1}


def test_statistics_are_those_of_each_ones_rows():
    members = networks()
    crew = Crew(copy.deepcopy(members))
    crew.set_moments(side_by_side(CODES))
    for network, codes in zip(members, CODES, strict=True):
        network.set_moments(codes)
    expected = torch.cat([one.embedding.norm.running_mean for one in members])
    torch.testing.assert_close(crew.embedding.norm.running_mean, expected)


def test_who_can_be_in_a_crew():
    assert can_be_crew(make_network(MIXED, backbone=MLPSettings(2, 8, 0.0)))
    assert not can_be_crew(make_network(MIXED, backbone=MixerSettings(1, 8, 0.0)))
    assert not can_be_crew(make_network(MIXED, skip=NoSkipSettings()))
