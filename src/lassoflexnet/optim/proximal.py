"""The proximal optimiser: base step, moving average of the gate, prox, write back.

Used on the lambda path (paper, Algorithm 2). The dense stage uses its base alone:
lambda = 0 would still clamp the first layer.
"""

from typing import Protocol

import torch
from torch import Tensor

from lassoflexnet.gate import Gate
from lassoflexnet.optim.step_sizes import learning_rate, step_size
from lassoflexnet.optim.stepper import Optimizer
from lassoflexnet.prox import Prox, ThresholdRule


class Gated(Protocol):
    """What has a gate: the network."""

    def gate(self) -> Gate: ...  # noqa: D102
    def set_gate(self, gate: Gate) -> None: ...  # noqa: D102
    def gate_parameter(self) -> Tensor: ...  # noqa: D102


class ProximalOptimizer:
    """Sequence of one step: base optimiser, average, prox on the average, live sign.

    Parameters
    ----------
    base : Optimizer
        Takes the unconstrained step.
    network : Gated
        Owner of the gate.
    prox, threshold : parts
        The operator and the rule that scales lambda.
    ema_decay : float
        Decay of the gate's moving average; 0 means none, bit for bit.
    weights : Tensor, shape (d,)
        Multiplies lambda for each feature.
    """

    def __init__(
        self,
        base: Optimizer,
        network: Gated,
        *,
        prox: Prox,
        threshold: ThresholdRule,
        ema_decay: float,
        weights: Tensor,
    ) -> None:
        self.base = base
        self.network = network
        self.prox = prox
        self.threshold = threshold
        self.ema_decay = ema_decay
        self.weights = weights
        self.lam = 0.0
        self.average = Gate(*(x.clone() for x in network.gate()))

    @property
    def param_groups(self) -> list[dict]:
        """The base optimiser's groups, for schedules."""
        return self.base.param_groups

    def zero_grad(self) -> None:
        """Forget the gradients."""
        self.base.zero_grad()

    def state_dict(self) -> dict:
        """Everything a step changes, except the network."""
        return {"base": self.base.state_dict(), "average": self.average}

    def load_state_dict(self, state_dict: dict) -> None:
        """Go back to a saved state."""
        self.base.load_state_dict(state_dict["base"])
        self.average = state_dict["average"]

    @torch.no_grad()
    def step(self) -> None:
        """Step, average, shrink, write back."""
        self.base.step()
        live = self.network.gate()
        for mean, x in zip(self.average, live, strict=True):
            mean.lerp_(x, 1.0 - self.ema_decay)
        sizes = step_size(self.base, self.network.gate_parameter())
        threshold = self.threshold(self.lam, learning_rate(self.base), sizes) * self.weights
        self.network.set_gate(with_sign_of(self.prox(self.average, threshold), live))

    def keep(self, features: Tensor, resized: list[Tensor]) -> None:
        """Follow the network after it was cut down to these features.

        ``resized`` are the parameters that have lost rows; the base optimiser's state
        of each loses the same rows.
        """
        self.weights = self.weights[features]
        self.average = Gate(*(x[features] for x in self.average))
        for parameter in resized:
            state = self.base.state.get(parameter, {})
            for name, value in state.items():
                if torch.is_tensor(value) and value.ndim:
                    state[name] = value[features]


def with_sign_of(shrunk: Gate, live: Gate) -> Gate:
    """Sizes of one gate with the signs of another; the sign of 0 is 0.

    Algorithm 2 takes the size from the average and the sign from the live weight. A
    feature that thereby loses its skip weight loses its first layer too.
    """
    beta, w1 = (s.abs() * x.sign() for s, x in zip(shrunk, live, strict=True))
    # Nearly always, and quicker to see than what was lost.
    if beta.all():
        return Gate(beta, w1)
    lost = (shrunk.beta != 0).any(dim=1) & (beta == 0).all(dim=1)
    return Gate(beta, torch.where(lost[:, None], 0.0, w1))
