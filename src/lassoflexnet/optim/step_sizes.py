"""How far one optimiser step moves a parameter per unit of gradient.

Asked by the proximal optimiser: under Adam a threshold in units of lambda must be
scaled by each coordinate's own step size, or its fixed point is not the Lasso's.
"""

from functools import singledispatch

import torch
from torch import Tensor
from torch.optim import SGD, AdamW

from lassoflexnet.optim.adamw import FusedAdamW
from lassoflexnet.optim.stepper import Optimizer

# Coordinates with hardly any gradient have huge Adam steps; without this floor on
# sqrt(v) one threshold would wipe them out at once.
GRADIENT_FLOOR = 1e-4


def learning_rate(optimizer: Optimizer) -> float:
    """Learning rate of the optimiser's first group."""
    return float(optimizer.param_groups[0]["lr"])


@singledispatch
def step_size(optimizer: Optimizer, parameter: Tensor) -> Tensor:  # noqa: ARG001
    """Step per unit of gradient for each row of a parameter: (d, c) -> (d,)."""
    raise TypeError(f"no step size is known for {type(optimizer).__name__}")


@step_size.register
def _(optimizer: SGD, parameter: Tensor) -> Tensor:
    momentum = optimizer.param_groups[0]["momentum"]
    return parameter.new_full((parameter.shape[0],), learning_rate(optimizer) / (1 - momentum))


@step_size.register
def _(optimizer: AdamW | FusedAdamW, parameter: Tensor) -> Tensor:
    # Not `state[parameter]`: that would make an entry for a weight that is not optimised.
    state = optimizer.state.get(parameter)
    if not state:
        return parameter.new_zeros(parameter.shape[0])
    beta2 = optimizer.param_groups[0]["betas"][1]
    v_hat = state["exp_avg_sq"] / (1 - beta2 ** float(state["step"]))
    return (learning_rate(optimizer) / (torch.sqrt(v_hat) + GRADIENT_FLOOR)).mean(dim=1)
