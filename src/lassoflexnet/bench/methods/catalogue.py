"""Every method and selector by the name it has in experiment files.

The runner and the tuner call `make_method`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
from lassoflexnet.bench.methods import ours
from lassoflexnet.bench.methods.base import Method
from lassoflexnet.bench.methods.deepfm import DeepFM
from lassoflexnet.bench.methods.lassonet import LassoNet
from lassoflexnet.bench.methods.linear import Lasso, Ridge
from lassoflexnet.bench.methods.networks import MLP, FTTransformer
from lassoflexnet.bench.methods.peers import EBM, RealMLP, TabM, TabNet, TabR
from lassoflexnet.bench.methods.pretrained import TabICL, TabPFN
from lassoflexnet.bench.methods.spaces import ALL_SPACES
from lassoflexnet.bench.methods.trees import CatBoost, LightGBM, RandomForest, XGBoost
from lassoflexnet.bench.methods.tuned import Tuned, nested
from lassoflexnet.bench.runs import digest
from lassoflexnet.bench.selectors.base import TwoStage
from lassoflexnet.bench.selectors.classical import (
    LassoSelector,
    RandomForestSelector,
    Univariate,
    XGBoostSelector,
)
from lassoflexnet.bench.selectors.networks import AttentionMap, LassoNetSelector
from lassoflexnet.bench.selectors.penalised import AdaptiveGroupLasso, DeepLasso, OneLayerLasso
from lassoflexnet.checks import check_parts
from lassoflexnet.estimators.flat import flat_recipe
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown
from lassoflexnet.variants import ABLATIONS

OURS: dict[str, ours.Form] = {
    "lassoflexnet": ours.Form(),
    "lassoflexnet_all_rows": ours.Form(all_rows=True),
    "lassoflexnet_fast": ours.Form("fast"),
    "lassoflexnet_best": ours.Form("best"),
    "lassoflexnet_best_all_rows": ours.Form("best", all_rows=True),
}
"""Our own method: the default constructor and presets."""

METHODS: dict[str, Callable[[], Any]] = {
    **dict.fromkeys(OURS, ours.LassoFlexNet),
    "xgboost": XGBoost,
    "catboost": CatBoost,
    "lightgbm": LightGBM,
    "random_forest": RandomForest,
    "lasso": Lasso,
    "ridge": Ridge,
    "lassonet": LassoNet,
    "mlp": MLP,
    "ft_transformer": FTTransformer,
    "tabm": TabM,
    "tabm_mini": partial(TabM, arch_type="tabm-mini"),
    "realmlp": RealMLP,
    "deepfm": DeepFM,
    "ebm": EBM,
    "tabnet": TabNet,
    "tabpfn": TabPFN,
    "tabicl": TabICL,
    "tabr": TabR,
}
"""Methods by name."""

SELECTORS: dict[str, type] = {
    "univariate": Univariate,
    "lasso": LassoSelector,
    "one_layer_lasso": OneLayerLasso,
    "adaptive_group_lasso": AdaptiveGroupLasso,
    "lassonet": LassoNetSelector,
    "attention_map": AttentionMap,
    "random_forest": RandomForestSelector,
    "xgboost": XGBoostSelector,
    "deep_lasso": DeepLasso,
}
"""Selectors by name."""

RECIPE, TUNED = "recipe:", "tuned:"
"""What the names of an ablation's row and of a method that is tuned first begin with."""


def make_method(name: str, settings: Mapping[str, Any]) -> Method:
    """Method by name, with some of its settings changed.

    Parameters
    ----------
    name : str
        A name of `METHODS`; "selector+method", with a name of `SELECTORS` in front; or
        "recipe:" and a row of `variants.ABLATIONS`.
    settings : mapping
        Fields of the method. For two stages "selector" and "downstream" with the fields of
        each; for "lassoflexnet" arguments of the estimators; for a recipe its budget.
    """
    if name.startswith(RECIPE):
        return _recipe(name, settings)
    if "+" in name:
        return _two_stage(name, settings)
    if name in OURS:
        return _lassoflexnet(name, settings)
    return make_part(METHODS, "method", name, settings)


def read_method(name: str, settings: Mapping[str, Any]) -> Method | Tuned:
    """Method by name; with "tuned:" in front, one that must be tuned before it is fitted."""
    return _tuned(name, settings) if name.startswith(TUNED) else make_method(name, settings)


def make_part(
    table: Mapping[str, Callable[[], Any]], what: str, name: str, settings: Mapping
) -> Any:
    """Part by its name in a table, with some of its fields changed."""
    if name not in table:
        raise unknown(what, name, table)
    return changed(table[name](), name, settings)


def changed(part: Any, name: str, settings: Mapping[str, Any]) -> Any:
    """Part with some fields changed; parts inside it are changed by mappings."""
    known = [field.name for field in fields(part)]
    values = {}
    for key, value in settings.items():
        if key not in known:
            raise unknown(f"setting of `{name}`", key, known)
        before = getattr(part, key)
        if is_dataclass(before) and isinstance(value, Mapping):
            value = changed(before, f"{name}.{key}", value)
        # TOML and JSON have no tuples.
        values[key] = tuple(value) if isinstance(value, list) else value
    made = replace(part, **values)
    check_parts(made)
    return made


def fingerprint(name: str, settings: Mapping[str, Any]) -> str | None:
    """Hash of what our own method does by default today; None for the methods of others.

    Sizes follow the number of rows, hence several of them.
    """
    if name.startswith(TUNED):
        return fingerprint(name.removeprefix(TUNED), nested(settings.get("settings", {})))
    if name.startswith(RECIPE):
        return digest(_recipe(name, settings).recipe.to_dict())
    if name in OURS:
        # Arguments that only the classifier has are in the settings, and so in every key.
        arguments = {**LassoFlexNetRegressor().get_params(), **OURS[name].arguments, **settings}
        recipes = [flat_recipe(arguments, n_rows).to_dict() for n_rows in _ROWS]
        return digest([*recipes, *_changed_beside()])
    if "+" in name:
        return fingerprint(name.split("+", 1)[1], settings.get("downstream", {}))
    return None


def _changed_beside() -> list[tuple[str, Any]]:
    """Defaults that no recipe of ours tells of, where they are not those of the results."""
    now = LassoFlexNetClassifier().get_params()
    return [(name, now[name]) for name, then in _BESIDE.items() if now[name] != then]


_BESIDE = {"validation_fraction": 0.15, "calibrate": True}
_ROWS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 1_000_000)


def _tuned(name: str, settings: Mapping[str, Any]) -> Tuned:
    """A method to be tuned; made once with its fixed settings, to find mistakes in them."""
    inner = name.removeprefix(TUNED)
    known = [field.name for field in fields(Tuned) if field.name != "method"]
    for key in settings:
        if key not in known:
            raise unknown(f"setting of `{name}`", key, known)
    tuned = Tuned(inner, **{"space": inner, **settings})
    if tuned.space not in ALL_SPACES:
        raise unknown("search space", tuned.space, ALL_SPACES)
    make_method(inner, nested(tuned.settings))
    return tuned


def _two_stage(name: str, settings: Mapping[str, Any]) -> TwoStage:
    parts = ("selector", "downstream")
    for key in settings:
        if key not in parts:
            raise unknown(f"setting of `{name}`", key, parts)
    selector, downstream = name.split("+", 1)
    first = make_part(SELECTORS, "selector", selector, settings.get("selector", {}))
    return TwoStage(first, make_method(downstream, settings.get("downstream", {})))


def _lassoflexnet(name: str, settings: Mapping[str, Any]) -> ours.LassoFlexNet:
    known = {
        argument
        for kind in (LassoFlexNetRegressor, LassoFlexNetClassifier)
        for argument in inspect.signature(kind).parameters
    }
    # Set by the harness.
    known -= {"random_state", "n_threads"}
    for key in settings:
        if key not in known:
            raise unknown(f"setting of `{name}`", key, known)
    form = OURS[name]
    return ours.LassoFlexNet({**form.arguments, **settings}, form.all_rows)


def _recipe(name: str, settings: Mapping[str, Any]) -> ours.FromRecipe:
    row = name.removeprefix(RECIPE)
    if row not in ABLATIONS:
        raise unknown("recipe", row, ABLATIONS)
    if "row" in settings:
        raise InvalidInput(f"`{name}` was given a `row`. Its name says which: leave it out.")
    return changed(ours.FromRecipe(row), name, settings)
