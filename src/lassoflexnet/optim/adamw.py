"""AdamW by torch's fused kernel, without what torch's own optimiser does around it.

Built by ``AdamWSettings``; Muon is made of it. Gathering the kernel's arguments takes torch's
longer than the kernel itself on networks as small as ours, and its first step of a process loads
a compiler that nothing here needs, which takes longer than many a fit. Bit for bit the same.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

BETAS, EPSILON = (0.9, 0.999), 1e-8


class FusedAdamW:
    """AdamW on groups of parameters, each with a learning rate and a weight decay of its own.

    Parameters
    ----------
    groups : iterable of dict
        Parameters ("params") and "weight_decay" of each group.
    lr : float
        Learning rate that every group starts with.
    betas : (float, float)
        Decay of the averages of gradients and of their squares.
    """

    def __init__(
        self, groups: Iterable[dict], *, lr: float, betas: tuple[float, float] = BETAS
    ) -> None:
        self.param_groups = [{"lr": lr, "betas": betas, **group} for group in groups]
        self.state: dict[Tensor, dict[str, Any]] = {}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for p in self._parameters():
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            parameters = [p for p in group["params"] if p.grad is not None]
            if parameters:
                self._move(group, parameters)

    def state_dict(self) -> dict:
        """Everything a step changes, except the parameters, in their order."""
        rates = [group["lr"] for group in self.param_groups]
        return {"lr": rates, "state": [self.state.get(p) for p in self._parameters()]}

    def load_state_dict(self, state_dict: dict) -> None:
        """Go back to a saved state, which is this optimiser's from then on."""
        for group, rate in zip(self.param_groups, state_dict["lr"], strict=True):
            group["lr"] = rate
        pairs = zip(self._parameters(), state_dict["state"], strict=True)
        self.state = {p: state for p, state in pairs if state is not None}

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _move(self, group: dict, parameters: list[Tensor]) -> None:
        """One step of some parameters, which have gradients."""
        states = [self._advanced(p) for p in parameters]
        # The kernel wants a tensor for each; nearly always all have taken as many steps.
        numbers, device = {state["step"] for state in states}, parameters[0].device
        counts = {n: torch.tensor(n, dtype=torch.float32, device=device) for n in numbers}
        beta1, beta2 = group["betas"]
        torch._fused_adamw_(
            parameters,
            [p.grad for p in parameters if p.grad is not None],
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [counts[state["step"]] for state in states],
            lr=group["lr"],
            beta1=beta1,
            beta2=beta2,
            weight_decay=group["weight_decay"],
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
        )

    def _advanced(self, p: Tensor) -> dict[str, Any]:
        """State of a parameter, with this step counted."""
        state = self.state.get(p)
        if state is None:
            averages = {name: torch.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
            state = self.state[p] = {"step": 0, **averages}
        state["step"] += 1
        return state


Optimizer = FusedAdamW | torch.optim.Optimizer
"""What takes a step."""
