"""Recipes: which parts with which numbers, as one frozen value.

Estimators build one from their arguments or take one ready; ``variants`` names the
paper's. A recipe compares, prints, and survives a round trip through JSON.
"""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from lassoflexnet.checks import check_parts
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import (
    IdentityEmbeddingSettings,
    LinearEmbeddingSettings,
    MixerSettings,
    MLPSettings,
    NoSkipSettings,
    ResidualEmbeddingSettings,
    TiedGroupSkipSettings,
)
from lassoflexnet.optim import (
    AdamWSettings,
    Constant,
    HypergradientAdamSettings,
    MuonSettings,
    NesterovSettings,
    WarmupCosine,
)
from lassoflexnet.prox import (
    AdaptiveWeights,
    ByCoordinate,
    ByLearningRate,
    ConvexHierProx,
    HybridThreshold,
    JointHierProx,
    LiteralSequentialHierProx,
    NoProx,
    PlainThreshold,
    SequentialHierProx,
    UniformWeights,
)
from lassoflexnet.table import (
    OneHot,
    PiecewiseLinear,
    QuantileBins,
    Standardized,
    TableEncoder,
    TreeBins,
)
from lassoflexnet.training import (
    AsKept,
    AtMost,
    BestValidation,
    MarginalScreening,
    Members,
    OneStandardError,
    PathSettings,
    Plan,
    StageSettings,
    TrainOn,
)

PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what a fit does, but for data and seed.

    Attributes
    ----------
    table : TableEncoder
        How columns become codes.
    embedding, skip, backbone : settings
        Parts of the network.
    tau : float
        Scale of the backbone beside the skip connection.
    precision : {"float32", "bfloat16"}
        Of the backbone's matrix products during training.
    plan : Plan
        How the network is trained: dense stage, path, choice, refit.
    """

    table: TableEncoder = field(
        default_factory=lambda: TableEncoder(numeric=PiecewiseLinear(bins=QuantileBins()))
    )
    embedding: ResidualEmbeddingSettings | LinearEmbeddingSettings | IdentityEmbeddingSettings = (
        ResidualEmbeddingSettings(d_embedding=24, n_layers=1, d_layer=24, dropout=0.0)
    )
    skip: TiedGroupSkipSettings | NoSkipSettings = TiedGroupSkipSettings()
    backbone: MixerSettings | MLPSettings = MLPSettings(n_blocks=2)
    tau: float = 1.0
    precision: str = "float32"
    plan: Plan = Plan()

    def __post_init__(self) -> None:
        """Check every part."""
        check_parts(self)
        if self.precision not in PRECISIONS:
            known = " or ".join(repr(name) for name in PRECISIONS)
            raise InvalidInput(f"`Recipe.precision` is {self.precision!r}. Use {known}.")
        path = self.plan.path
        if path.start and path.end and path.end < path.start:
            raise InvalidInput(
                f"`PathSettings.end` is {path.end:g}, below `start`, {path.start:g}. Lambda grows "
                "along the path: swap them."
            )

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries of plain values, each with its ``kind``."""
        return _to_plain(self)

    @staticmethod
    def from_dict(plain: dict[str, Any]) -> "Recipe":
        """Recipe that ``to_dict`` described."""
        recipe = _from_plain(plain)
        if not isinstance(recipe, Recipe):
            raise InvalidInput(f"the outermost `kind` is {plain.get('kind')!r}. Use 'Recipe'.")
        return recipe

    def differences(self, other: "Recipe") -> dict[str, tuple[Any, Any]]:
        """Dotted names of what differs, with both values."""
        return _differences("", self.to_dict(), other.to_dict())


PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        *(Recipe, TableEncoder, PiecewiseLinear, Standardized, OneHot, TreeBins, QuantileBins),
        *(ResidualEmbeddingSettings, LinearEmbeddingSettings, IdentityEmbeddingSettings),
        *(TiedGroupSkipSettings, NoSkipSettings, MixerSettings, MLPSettings),
        *(AdamWSettings, MuonSettings, HypergradientAdamSettings, NesterovSettings),
        *(Constant, WarmupCosine),
        *(SequentialHierProx, LiteralSequentialHierProx, JointHierProx, ConvexHierProx, NoProx),
        *(PlainThreshold, ByLearningRate, ByCoordinate, HybridThreshold),
        *(UniformWeights, AdaptiveWeights, OneStandardError, BestValidation, AtMost),
        *(Plan, PathSettings, StageSettings, MarginalScreening, AsKept, TrainOn, Members),
    )
}
"""Every part by its class name: the one place where names become parts."""


def _to_plain(value: Any) -> Any:
    if not is_dataclass(value):
        return value
    plain = {f.name: _to_plain(getattr(value, f.name)) for f in fields(value)}
    return {"kind": type(value).__name__, **plain}


def _from_plain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kind, given = value.get("kind"), {k: v for k, v in value.items() if k != "kind"}
    if kind not in PARTS:
        raise InvalidInput(f"`kind` is {kind!r}. Use one of {', '.join(sorted(PARTS))}.")
    known = [f.name for f in fields(PARTS[kind])]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(f"`{kind}` has no field `{unknown[0]}`. It has {', '.join(known)}.")
    return PARTS[kind](**{name: _from_plain(part) for name, part in given.items()})


def _differences(name: str, a: Any, b: Any) -> dict[str, tuple[Any, Any]]:
    if isinstance(a, dict) and isinstance(b, dict) and a["kind"] == b["kind"]:
        found: dict[str, tuple[Any, Any]] = {}
        for key in a:
            found |= _differences(f"{name}.{key}" if name else key, a[key], b[key])
        return found
    return {} if a == b else {name: (a, b)}
