"""The command line: ``lassoflexnet``."""

import sys


def main() -> None:
    """Run the command line; say what to install if it cannot."""
    try:
        from lassoflexnet.cli.app import app
    except ImportError as error:
        if error.name not in {"typer", "rich"}:
            raise
        sys.exit(f'{error.name} is not installed. Run `pip install "lassoflexnet[cli]"`.')
    app()
