"""The commands, and how errors look: one line, no traceback.

Each command imports what it needs when it runs, so that ``--help`` is quick.
"""

import typer

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


@app.callback()
def _root() -> None:
    """Keep sub-commands under their names, however few there are."""
