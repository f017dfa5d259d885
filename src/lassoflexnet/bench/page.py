"""The results page: every experiment with its protocol, tables, figure and verdict.

Written by ``lassoflexnet bench page``, from result files alone.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.figures.catalogue import draw
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.tables import records
from lassoflexnet.bench.telling import progress, tables

HEAD = """# Results

Generated from the files in `results/` by `make results-page`; do not edit. Every number is the
mean over the seeds of a run that `lassoflexnet bench run experiments/NAME.toml` repeats. RMSE is
in units of the target's standard deviation over the training rows, unless a protocol says
otherwise; log loss is natural. In brackets is the number of finished runs behind a number; a dash
has none.

```mermaid
flowchart LR
    x["column x_i"] --> ple["encoding: piecewise linear or one-hot"]
    ple --> pfe["own residual network, normalised: z_i"]
    pfe --> pool["mean over channels"] --> skip["skip weight beta_i"]
    pfe --> first["first layer W_i, capped by M |beta_i|"] --> backbone["MLP or Mixer, times tau"]
    skip --> sum(("+")) --> y["prediction"]
    backbone --> sum
```
"""


def write_page(experiments: Sequence[Experiment], results: Path, out: Path) -> None:
    """Write the page, and the figures into the folder ``figures`` beside it."""
    parts = [HEAD]
    for experiment in experiments:
        folder = ResultFolder(results / experiment.name)
        parts.append(_section(experiment, folder, out.parent))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(parts))


def _section(experiment: Experiment, folder: ResultFolder, place: Path) -> str:
    table = records(experiment, folder)
    parts = [f"## {experiment.title}", f"*The paper:* {experiment.claim}"]
    if experiment.verdict:
        parts.append(f"*Here:* {experiment.verdict}")
    parts += [f"{protocol(experiment)} {progress(experiment, table)}"]
    if experiment.figure and len(table):
        draw(experiment, folder, place / "figures" / experiment.name)
        parts.append(f"![{experiment.title}](figures/{experiment.name}.svg)")
    return "\n\n".join([*parts, *tables(experiment, table)]) + "\n"


def protocol(experiment: Experiment) -> str:
    """One sentence: protocol, what varies, seeds."""
    runs = experiment.runs
    cases = dict.fromkeys(name for run in runs for name in run.case)
    varied = [f"{name} {_listed(run.case.get(name) for run in runs)}" for name in cases]
    seeds = _listed(run.seed for run in runs)
    what = "; ".join([f"Protocol `{runs[0].protocol}`", *varied, f"seeds {seeds}"])
    return f"`experiments/{experiment.name}.toml`. {what}."


def _listed(values: Iterable[object]) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))
