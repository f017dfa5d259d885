"""Checks of parts that users put together themselves.

Called by the recipe, for itself and every part inside it: types by the annotations,
numbers by the ranges below. The flat estimators check their own arguments by name.
"""

from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from lassoflexnet.exceptions import InvalidInput

_COUNTS_FROM_1 = (
    *("n_blocks", "d_hidden", "d_embedding", "d_layer", "n_tokens"),
    *("batch_size", "n_members", "n_deals", "max_supports", "evaluate_every", "max_features"),
    *("n_iterations", "n_orders", "stride"),
)
_FROM_0 = (
    *("n_layers", "n_lambdas", "n_folds", "max_epochs", "patience", "tau"),
    *("weight_decay", "kappa", "lambda_bar", "lambda_w", "group", "n_features", "max_rounds"),
)
_ABOVE_0 = ("learning_rate", "gradient_clip", "M", "start", "end", "power")
_SHARES = ("dropout", "ema_decay", "model_ema_decay", "momentum")

PLAIN = {int: Integral, float: Real, bool: bool, str: str, NoneType: NoneType}
"""Types of plain values; a bool is not a number here."""


def check_parts(part: Any) -> None:
    """Raise unless every field of a part, and of the parts inside it, can be used."""
    hints = get_type_hints(type(part))
    for field in fields(part):
        name, value = f"{type(part).__name__}.{field.name}", getattr(part, field.name)
        _check_type(name, value, hints[field.name])
        if isinstance(value, Real) and not isinstance(value, bool):
            _check_range(name, field.name, float(value))
        if is_dataclass(value):
            check_parts(value)


def _check_type(name: str, value: Any, hint: Any) -> None:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if not any(_fits(value, option) for option in options):
        allowed = " or ".join(getattr(option, "__name__", str(option)) for option in options)
        raise InvalidInput(f"`{name}` is {value!r}. Use {allowed.replace('NoneType', 'None')}.")


def _fits(value: Any, option: Any) -> bool:
    if option in PLAIN:
        return isinstance(value, PLAIN[option]) and (option is bool or not isinstance(value, bool))
    if getattr(option, "_is_protocol", False):
        # Anybody's part will do, as long as it is a part and not its name.
        return not isinstance(value, (type, *PLAIN.values(), dict))
    return not isinstance(option, type) or isinstance(value, option)


def _check_range(name: str, key: str, value: float) -> None:
    rules = (
        (_COUNTS_FROM_1, value >= 1, "1 or more"),
        (_FROM_0, value >= 0, "0 or more"),
        (_ABOVE_0, value > 0, "a number above 0"),
        (_SHARES, 0 <= value < 1, "a number from 0 to below 1"),
        (("level",), 0 < value < 1, "a number above 0 and below 1"),
        (("multiplier",), value >= 1, "1 or more"),
        (("n_folds",), value != 1, "0, or 2 or more"),
    )
    for keys, is_right, allowed in rules:
        if key in keys and not is_right:
            raise InvalidInput(f"`{name}` is {value:g}. Use {allowed}.")
