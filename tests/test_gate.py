"""The gate: sizes and support of its rows."""

import torch

from lassoflexnet.gate import Gate, row_norm


def test_norm_of_several_outputs_is_the_length_of_the_row():
    gate = Gate(torch.tensor([[3.0, -4.0], [0.0, 0.0]]), torch.ones(2, 3))
    assert gate.norm().tolist() == [5.0, 0.0]


def test_one_output_is_its_absolute_value_to_the_bit():
    """Squares of such numbers leave the range of float32."""
    x = torch.tensor([[1e-30], [-3e30], [0.0]])
    assert torch.equal(row_norm(x), x.abs()[:, 0])


def test_a_feature_lives_if_any_of_its_skip_weights_does():
    beta = torch.tensor([[0.0, 1e-38], [0.0, -0.0], [2.0, 0.0]])
    gate = Gate(beta, torch.ones(3, 1))
    assert gate.support().tolist() == [True, False, True]


def test_first_layer_weights_do_not_count():
    gate = Gate(torch.zeros(2, 1), torch.ones(2, 4))
    assert not gate.support().any()


def test_no_features():
    gate = Gate(torch.empty(0, 2), torch.empty(0, 3))
    assert gate.norm().shape == gate.support().shape == (0,)
