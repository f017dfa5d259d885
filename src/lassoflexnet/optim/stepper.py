"""What stages ask of an optimiser, torch's or ours."""

from typing import Any, Protocol

from torch import Tensor


class Stepper(Protocol):
    """What takes the steps of a stage: an optimiser, or the proximal one around it."""

    @property
    def param_groups(self) -> list[dict[str, Any]]: ...  # noqa: D102
    def zero_grad(self) -> None: ...  # noqa: D102
    def step(self) -> object: ...  # noqa: D102
    def state_dict(self) -> dict[str, Any]: ...  # noqa: D102
    def load_state_dict(self, state_dict: dict[str, Any]) -> None: ...  # noqa: D102


class Optimizer(Stepper, Protocol):
    """An optimiser by itself, with what it remembers of each parameter."""

    @property
    def state(self) -> dict[Tensor, Any]: ...  # noqa: D102
