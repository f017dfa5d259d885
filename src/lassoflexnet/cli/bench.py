"""``lassoflexnet bench``: run an experiment, print its table, draw its figure, check it.

Each command imports what it needs when it runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from lassoflexnet.cli.errors import told_plainly
from lassoflexnet.cli.folders import check_results, results_of
from lassoflexnet.cli.listing import Kind, names_of
from lassoflexnet.cli.running import run_shown

app = typer.Typer(help="Run experiments and show their results.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="an experiment's TOML file")]
Data = Annotated[
    Path | None,
    typer.Option(help="folder of Parquet files with cards.jsonl", envvar="LASSOFLEXNET_DATA"),
]
Results = Annotated[Path, typer.Option(help="folder that holds a folder of results per experiment")]


@app.command()
@told_plainly()
def run(
    file: File,
    *,
    data: Data = None,
    results: Results = Path("results"),
    jobs: Annotated[int, typer.Option(min=1, help="processes, of one thread each")] = 1,
    dask: Annotated[
        str | None, typer.Option(help='address of a Dask scheduler, or "local"')
    ] = None,
    studies: Annotated[
        str | None, typer.Option(help="journal file or database URL of searches for settings")
    ] = None,
    retry: Annotated[bool, typer.Option(help="try failed runs again")] = False,
) -> None:
    """Carry out the runs of FILE that have no result yet."""
    from lassoflexnet.bench.executors import make_executor
    from lassoflexnet.bench.experiment import check_datasets, read_experiment

    experiment = read_experiment(file)
    check_datasets(experiment, data)
    folder, executor = results_of(experiment, results), make_executor(jobs, dask)
    tally = run_shown(
        experiment.name,
        experiment.runs,
        folder,
        executor,
        data=data,
        studies=studies,
        retry=retry,
    )
    typer.echo(f"{tally.skipped} were there, {tally.done} done, {tally.failed} failed")
    raise typer.Exit(1 if tally.failed else 0)


@app.command()
@told_plainly()
def table(file: File, *, results: Results = Path("results")) -> None:
    """Print the table of FILE from its result files, as Markdown."""
    from lassoflexnet.bench.experiment import read_experiment
    from lassoflexnet.bench.telling import tell

    check_results(results)
    experiment = read_experiment(file)
    typer.echo(tell(experiment, results_of(experiment, results)))


@app.command()
@told_plainly()
def figure(
    file: File,
    *,
    results: Results = Path("results"),
    out: Annotated[Path, typer.Option(help="folder for the SVG and the PNG")] = Path(
        "docs/figures"
    ),
) -> None:
    """Draw the figure of FILE from its result files."""
    from lassoflexnet.bench.experiment import read_experiment
    from lassoflexnet.bench.figures.catalogue import draw

    check_results(results)
    experiment = read_experiment(file)
    for path in draw(experiment, results_of(experiment, results), out / experiment.name):
        typer.echo(path)


@app.command(name="list")
@told_plainly()
def list_names(kind: Annotated[Kind, typer.Argument(help="of what")], *, data: Data = None) -> None:
    """Print the names that experiment files may use, one a line."""
    for name in names_of(kind, data):
        typer.echo(name)


@app.command()
@told_plainly()
def page(
    files: Annotated[list[Path], typer.Argument(help="experiments' TOML files, in order")],
    *,
    results: Results = Path("results"),
    out: Annotated[Path, typer.Option(help="Markdown file to write")] = Path("docs/results.md"),
) -> None:
    """Write the page of all results, with figures beside it."""
    from lassoflexnet.bench.experiment import read_experiment
    from lassoflexnet.bench.page import write_page

    check_results(results)
    experiments = [read_experiment(file) for file in files]
    for experiment in experiments:
        results_of(experiment, results)
    write_page(experiments, results, out)
    typer.echo(out)


@app.command()
@told_plainly()
def evidence(
    bars: Annotated[Path, typer.Argument(help="file of bars")] = Path("experiments/bars.toml"),
    *,
    results: Results = Path("results"),
    again: Annotated[Path | None, typer.Option(help="folder of repeated runs")] = None,
) -> None:
    """Hold the result files against the bars, and write evidence.json beside them."""
    import json

    from lassoflexnet.bench.evidence import check_all, check_repeated
    from lassoflexnet.bench.experiment import read_experiment

    checks = check_all(bars, results)
    if again is not None:
        files = [bars.parent / f"{place.name}.toml" for place in sorted(again.iterdir())]
        repeated = [read_experiment(file) for file in files]
        checks.append(check_repeated(repeated, results, again))
    for check in checks:
        typer.echo(f"{'yes' if check.ok else 'NO '}  {check.name}: {check.value} ({check.bar})")
    text = json.dumps({"checks": [check._asdict() for check in checks]}, indent=2)
    (results / "evidence.json").write_text(text + "\n")
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)


@app.command()
@told_plainly()
def verify(
    files: Annotated[list[Path], typer.Argument(help="experiments' TOML files")],
    *,
    data: Data = None,
    results: Results = Path("results"),
    again: Annotated[Path, typer.Option(help="folder for the repeated runs")] = Path(
        "build/verify"
    ),
    jobs: Annotated[int, typer.Option(min=1, help="processes, of one thread each")] = 2,
) -> None:
    """Repeat a tenth of the runs of FILES, chosen by their keys, and compare."""
    from lassoflexnet.bench.executors import make_executor
    from lassoflexnet.bench.experiment import check_datasets, read_experiment
    from lassoflexnet.bench.results import ResultFolder
    from lassoflexnet.bench.verification import compare, tenth

    n_other = 0
    for file in files:
        experiment = read_experiment(file)
        check_datasets(experiment, data)
        before, after = (ResultFolder(place / experiment.name) for place in (results, again))
        runs = [run for run, _ in before.finished(tenth(experiment.runs))]
        after.forget(runs)
        run_shown(experiment.name, runs, after, make_executor(jobs), data=data)
        found = compare(runs, before, after)
        others = [one for one in found if not one.agrees]
        n_other += len(others)
        typer.echo(f"{experiment.name}: {len(found) - len(others)} of {len(found)} agree")
        for one in others:
            typer.echo(f"  {one.run.file_name}: {one.before} before, {one.after} now")
    raise typer.Exit(1 if n_other else 0)
