"""Errors of the library as one line on the terminal.

Used by every command.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def told_plainly() -> Iterator[None]:
    """Print an error that was raised on purpose, and leave with 2."""
    from lassoflexnet.exceptions import LassoFlexNetError

    try:
        yield
    except LassoFlexNetError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
