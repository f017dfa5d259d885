"""Columns of a table by kind: what a schema is made of.

Named by the schema, the cell readers and the table encoder.
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a column is coded.

    ``CONSTANT`` is one value in every row, ``EMPTY`` is missing in every row; both
    carry nothing and get a zero code whatever they held.
    """

    NUMERIC = "numeric"
    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    DATE = "date"
    CONSTANT = "constant"
    EMPTY = "empty"


@dataclass(frozen=True)
class Column:
    """One column of the table seen by ``fit``.

    Attributes
    ----------
    name : str
        Its name, or ``x0``, ``x1``, ... by position where the table has no names.
    kind : Kind
        How it is coded.
    """

    name: str
    kind: Kind

    @property
    def is_alive(self) -> bool:
        """Whether it can tell one row from another."""
        return self.kind not in (Kind.CONSTANT, Kind.EMPTY)
