"""Errors of the library as one line on the terminal.

Used by every command.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

EXTRAS = {
    "matplotlib": "plots",
    "pandas": "pandas",
    "optuna": "tuning",
    "psycopg": "postgres",
    "distributed": "distributed",
    "pyarrow": "bench",
}
"""Optional packages that modules import at their top, and the extra that brings each."""


@contextmanager
def told_plainly() -> Iterator[None]:
    """Print an error that was raised on purpose, and leave with 2."""
    from lassoflexnet.exceptions import LassoFlexNetError

    try:
        with missing_named():
            yield
    except LassoFlexNetError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error


@contextmanager
def missing_named() -> Iterator[None]:
    """Say of an optional package that is not there how to install it."""
    from lassoflexnet.exceptions import MissingDependency

    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingDependency(
            f"`{package}` is needed here and is not installed. "
            f'Run `pip install "lassoflexnet[{EXTRAS[package]}]"`.'
        ) from error
