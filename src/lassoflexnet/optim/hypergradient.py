"""Adam whose learning rate follows the hypergradient (the paper's HGD ablations).

After Baydin et al., "Online learning rate adaptation with hypergradient descent".
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import AdamW

# The published rule has no safeguard; the rate stays within this factor of its start.
MAX_FACTOR = 100.0


class HypergradientAdamW(AdamW):
    """AdamW with lr_t = lr_{t-1} + kappa * (g_t . u_{t-1}), u the previous direction.

    The dot product is summed over all parameters before the rate changes. Weight decay
    is decoupled, so it is not part of the gradient in the product.
    """

    def __init__(self, params: Any, *, kappa: float, **kwargs: Any) -> None:
        super().__init__(params, **kwargs)
        self.kappa = kappa
        self.first_lr = float(self.param_groups[0]["lr"])

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Adapt the learning rate, then take the ordinary step."""
        lr = float(self.param_groups[0]["lr"]) + self.kappa * self._hypergradient()
        lr = min(max(lr, self.first_lr / MAX_FACTOR), self.first_lr * MAX_FACTOR)
        for group in self.param_groups:
            group["lr"] = lr
        return super().step(closure)

    def _hypergradient(self) -> float:
        total = 0.0
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None or not self.state[p]:
                    continue
                state = self.state[p]
                t = float(state["step"])
                m = state["exp_avg"] / (1 - beta1**t)
                v = state["exp_avg_sq"] / (1 - beta2**t)
                total += float((p.grad * m / (v.sqrt() + group["eps"])).sum())
        return total
