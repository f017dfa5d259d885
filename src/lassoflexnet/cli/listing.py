"""``lassoflexnet bench list``: the names that experiment files may use."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """What to list."""

    methods = "methods"
    selectors = "selectors"
    recipes = "recipes"
    datasets = "datasets"
    protocols = "protocols"
    analyses = "analyses"
    figures = "figures"


def names_of(kind: Kind, data: Path | None) -> list[str]:
    """Names of a kind, in the order of their table."""
    from lassoflexnet.bench.analyses.catalogue import ANALYSES
    from lassoflexnet.bench.data.registry import known_names
    from lassoflexnet.bench.figures.catalogue import FIGURES
    from lassoflexnet.bench.methods.catalogue import METHODS, RECIPE, SELECTORS
    from lassoflexnet.bench.protocols import PROTOCOLS
    from lassoflexnet.variants import ABLATIONS

    tables: dict[Kind, Iterable[str]] = {
        Kind.methods: METHODS,
        Kind.selectors: SELECTORS,
        Kind.recipes: [f"{RECIPE}{row}" for row in ABLATIONS],
        Kind.datasets: known_names(data),
        Kind.protocols: PROTOCOLS,
        Kind.analyses: ANALYSES,
        Kind.figures: FIGURES,
    }
    return list(tables[kind])
