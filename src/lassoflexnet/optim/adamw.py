"""AdamW by torch's fused kernel, without what torch's own optimiser does around it.

Built by ``AdamWSettings``; Muon is made of it. Gathering the kernel's arguments takes torch's
longer than the kernel itself on networks as small as ours, and its first use in a process loads
a compiler that nothing here needs, for more than a second. The kernel is called with the arguments
that torch's own fused AdamW gives it, so steps are the same to the bit.
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
        Of each group the list of parameters, "params", and "weight_decay".
    lr : float
        Learning rate that every group starts with.
    betas : (float, float)
        Decay of the averages of gradients and of their squares.
    """

    def __init__(
        self, groups: Iterable[dict], *, lr: float, betas: tuple[float, float] = BETAS
    ) -> None:
        self.param_groups = [{"lr": lr, "betas": betas, **group} for group in groups]
        self.state: dict[Tensor, Any] = {}

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for p in self._parameters():
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            self._move(group, [(p, p.grad) for p in group["params"] if p.grad is not None])

    def state_dict(self) -> dict[str, Any]:
        """Everything a step changes but the parameters, and the rates; tensors are not copied."""
        rates = [group["lr"] for group in self.param_groups]
        return {"lr": rates, "state": [self.state.get(p) for p in self._parameters()]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go back to a saved state, which is this optimiser's from then on."""
        for group, rate in zip(self.param_groups, state_dict["lr"], strict=True):
            group["lr"] = rate
        pairs = zip(self._parameters(), state_dict["state"], strict=True)
        self.state = {p: state for p, state in pairs if state is not None}

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def _move(self, group: dict[str, Any], found: list[tuple[Tensor, Tensor]]) -> None:
        """One step of these parameters by their gradients."""
        if not found:
            return
        states = [self._counted(p) for p, _ in found]
        # The kernel wants a tensor for each; nearly always all have taken as many steps.
        counts = {n: _number(n, found[0][0]) for n in {state["step"] for state in states}}
        beta1, beta2 = group["betas"]
        torch._fused_adamw_(
            [p for p, _ in found],
            [gradient for _, gradient in found],
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

    def _counted(self, p: Tensor) -> dict[str, Any]:
        """State of a parameter, with one more step counted."""
        state = self.state.get(p)
        if state is None:
            averages = {name: torch.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
            state = self.state[p] = {"step": 0, **averages}
        state["step"] += 1
        return state


def _number(n: int, like: Tensor) -> Tensor:
    """A count on a tensor's device."""
    return torch.full((), n, dtype=torch.float32, device=like.device)
