"""Protocols: how a table is split and scored, by name.

Experiments and runs make them by ``make_protocol`` from what a file says.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lassoflexnet.bench.protocols.analysis import AnalysisProtocol
from lassoflexnet.bench.protocols.base import SplitProtocol
from lassoflexnet.bench.protocols.feature_selection import FeatureSelection
from lassoflexnet.bench.protocols.hold_out import HoldOut
from lassoflexnet.bench.protocols.six_splits import SixSplits
from lassoflexnet.bench.protocols.tabzilla import TabZilla
from lassoflexnet.names import unknown

__all__ = [
    "AnalysisProtocol",
    "FeatureSelection",
    "HoldOut",
    "PROTOCOLS",
    "SixSplits",
    "SplitProtocol",
    "TabZilla",
    "make_protocol",
]

PROTOCOLS: dict[str, type[FeatureSelection | TabZilla | SixSplits | HoldOut | AnalysisProtocol]] = {
    "feature_selection": FeatureSelection,
    "tabzilla": TabZilla,
    "six_splits": SixSplits,
    "hold_out": HoldOut,
    "analysis": AnalysisProtocol,
}


def make_protocol(name: str, settings: Mapping[str, Any] | None = None) -> SplitProtocol:
    """Make a protocol by its name, with these fields changed.

    >>> make_protocol("tabzilla", {"fold": 3})
    TabZilla(fold=3, max_train_rows=None)
    """
    if name not in PROTOCOLS:
        raise unknown("protocol", name, PROTOCOLS)
    known = [field.name for field in fields(PROTOCOLS[name])]
    given = dict(settings or {})
    for field in given:
        if field not in known:
            raise unknown(f"field of protocol `{name}`", field, known)
    return PROTOCOLS[name](**given)
