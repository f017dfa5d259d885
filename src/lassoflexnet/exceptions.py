"""Errors a user can meet, one type per cause.

Each also is the built-in or scikit-learn type that callers already catch.
"""


class LassoFlexNetError(Exception):
    """Base of every error raised on purpose by this library."""


class InvalidInput(LassoFlexNetError, ValueError):
    """Data or an argument has a value that cannot be used."""


class SchemaMismatch(LassoFlexNetError, ValueError):
    """A table at predict time does not fit the table seen by ``fit``."""


class TrainingDiverged(LassoFlexNetError, RuntimeError):
    """The loss left the finite numbers and smaller steps did not bring it back."""


class NotEnoughMemory(LassoFlexNetError, MemoryError):
    """A fit would need more memory than there is."""


class MissingDependency(LassoFlexNetError, ImportError):
    """An optional package is needed here and is not installed."""
