"""Random configurations of our own method, for experiments over many of them.

An experiment's group asks for them by ``sample``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown
from lassoflexnet.tuning.ranges import Choice
from lassoflexnet.tuning.space import Space
from lassoflexnet.tuning.spaces import SPACES

FIELDS = ("space", "n", "seed", "choices")
SAMPLED = "lassoflexnet"
"""Method that draws are settings of."""


def draws(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Settings drawn from a search space; the same for the same sample.

    Parameters
    ----------
    sample : mapping
        "space": name of one of ``tuning.spaces.SPACES``; "n": how many draws; "seed" of the
        generator, 0 if left out; "choices": parameters that are drawn from a list instead.
    """
    for name in sample:
        if name not in FIELDS:
            raise unknown("field of `sample`", name, FIELDS)
    n = sample.get("n")
    if not isinstance(n, int) or n < 1:
        raise InvalidInput(f"`n` of `sample` is {n!r}. Use a whole number from 1.")
    space, generator = _space(sample), np.random.default_rng(sample.get("seed", 0))
    return [space.sample(generator) for _ in range(n)]


def _space(sample: Mapping[str, Any]) -> Space:
    name = sample.get("space", "")
    if name not in SPACES:
        raise unknown("space", name, SPACES)
    space, choices = SPACES[name], sample.get("choices", {})
    for parameter in choices:
        if parameter not in space.ranges:
            raise unknown(f"parameter of the space `{name}`", parameter, space.ranges)
    return space.changed(**{k: Choice(tuple(values)) for k, values in choices.items()})
