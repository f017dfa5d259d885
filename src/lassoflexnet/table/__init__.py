"""Table: a DataFrame or array in, codes for the network out.

Used by the estimators; imports nothing of the network.
"""

from lassoflexnet.table.bins import QuantileBins, TreeBins
from lassoflexnet.table.encodings import OneHot, PiecewiseLinear, Standardized
from lassoflexnet.table.schema import Column, Kind, Schema, infer_schema
from lassoflexnet.table.splits import holdout
from lassoflexnet.table.table_encoder import FittedTable, TableEncoder

__all__ = [
    "Column",
    "FittedTable",
    "Kind",
    "OneHot",
    "PiecewiseLinear",
    "QuantileBins",
    "Schema",
    "Standardized",
    "TableEncoder",
    "TreeBins",
    "holdout",
    "infer_schema",
]
