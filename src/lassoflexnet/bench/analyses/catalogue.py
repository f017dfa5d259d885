"""Every analysis by the name it has in experiment files.

Experiments and runs of the protocol "analysis" call `make_analysis`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lassoflexnet.bench.analyses.base import Analysis
from lassoflexnet.bench.analyses.loss_curves import LossCurves
from lassoflexnet.bench.analyses.prox_evolution import ProxEvolution
from lassoflexnet.bench.analyses.rotation import Rotation
from lassoflexnet.bench.analyses.targeted import Targeted
from lassoflexnet.bench.methods.catalogue import make_part
from lassoflexnet.bench.runs import digest

ANALYSES: dict[str, type] = {
    "targeted": Targeted,
    "prox_evolution": ProxEvolution,
    "rotation": Rotation,
    "loss_curves": LossCurves,
}
"""Analyses by name."""

PROTOCOL = "analysis"
"""Name of the protocol of a run whose method is an analysis."""

NO_DATA = "none"
"""Data set of an analysis that makes its own."""


def make_analysis(name: str, settings: Mapping[str, Any], dataset: str = NO_DATA) -> Analysis:
    """Analysis by name, with some of its settings changed.

    Parameters
    ----------
    name : str
        A name of `ANALYSES`.
    settings : mapping
        Fields of the analysis.
    dataset : str
        Data set that it is about; "none" leaves it to the analysis.
    """
    about = {} if dataset == NO_DATA else {"dataset": dataset}
    made: Analysis = make_part(ANALYSES, "analysis", name, {**settings, **about})
    return made


def analysis_fingerprint(name: str, settings: Mapping[str, Any]) -> str:
    """Hash of every setting, defaults included, and of our own method's defaults."""
    made: Any = make_analysis(name, settings)
    return digest([asdict(made), made.fingerprint()])
