"""``lassoflexnet bench arena`` and ``bench rechoose``: what our defaults show, and would have.

Both read result files alone; commands of ``bench``.
"""

from pathlib import Path
from typing import Annotated

import typer

from lassoflexnet.cli.bench import File, Results
from lassoflexnet.cli.errors import told_plainly
from lassoflexnet.cli.folders import check_results


@told_plainly()
def arena(
    experiments: Annotated[
        Path,
        typer.Argument(
            help="folder of defaults.toml, defaults_noise.toml, california.toml, and maybe "
            "defaults_candidates.toml and defaults_outside.toml"
        ),
    ] = Path("experiments"),
    *,
    results: Results = Path("results"),
) -> None:
    """Hold our defaults against their bars; write defaults.json and defaults.md."""
    from lassoflexnet.bench.arena.points import check_points
    from lassoflexnet.bench.arena.reading import read_arena
    from lassoflexnet.bench.arena.report import write_report
    from lassoflexnet.bench.checking import met

    check_results(results)
    found = read_arena(experiments, results)
    checks = check_points(found)
    for check in checks:
        value = "" if check.value is None else f" {check.value}"
        typer.echo(f"{met(check):9}  {check.name}:{value} ({check.bar})")
    for path in write_report(found, checks, results):
        typer.echo(path)
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)


@told_plainly()
def rechoose(file: File, *, results: Results = Path("results")) -> None:
    """Choose among the candidates of FILE without each data set in turn, and test there."""
    from lassoflexnet.bench.arena.reading import rechosen_of
    from lassoflexnet.bench.tables import markdown

    check_results(results)
    found = rechosen_of(file, results)
    if found.unfinished:
        typer.echo(f"runs are missing, left out: {', '.join(found.unfinished)}", err=True)
    typer.echo(markdown(found.table))
    ratio = "not known" if found.ratio is None else f"{found.ratio:.4f}"
    typer.echo(f"\nbest on all data sets: {found.overall}")
    typer.echo(f"geometric mean of the error in units of CatBoost's: {ratio}")
