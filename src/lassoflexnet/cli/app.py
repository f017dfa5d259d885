"""The commands, and how errors look: one line, no traceback.

Each command imports what it needs when it runs, so that ``--help`` is quick.
"""

from typing import Annotated

import typer

from lassoflexnet import __version__
from lassoflexnet.cli import bench
from lassoflexnet.cli.arena import arena, rechoose
from lassoflexnet.cli.tune import tune

app = typer.Typer(
    name="lassoflexnet",
    help="Neural networks for tables that are accurate and select their columns.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
bench.app.command()(arena)
bench.app.command()(rechoose)
app.add_typer(bench.app, name="bench")
app.command()(tune)


def _print_version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="print it and leave"),
]


@app.callback()
def _root(*, version: Version = False) -> None:
    """Keep sub-commands under their names, however few there are."""
