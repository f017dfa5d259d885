"""Every kind of figure by the name it has in experiment files, and writing one.

The command line and the results page call `draw`.
"""

from pathlib import Path

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.figures import learning, scores
from lassoflexnet.bench.figures.style import STYLE, Draw, matplotlib
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown

FIGURES: dict[str, Draw] = {
    "differences": scores.differences,
    "scatter": scores.scatter,
    "sensitivity": scores.sensitivity,
    "targeted": learning.targeted,
    "prox_evolution": learning.prox_evolution,
    "rotation": learning.rotation,
    "loss_curves": learning.loss_curves,
}
"""Figures by kind."""

# No dates and no versions: the same results give the same files.
METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
PNG_DPI = 200


def draw(experiment: Experiment, folder: ResultFolder, path: Path) -> tuple[Path, ...]:
    """Draw an experiment's figure as SVG and as PNG.

    Parameters
    ----------
    experiment : Experiment
        Its ``figure`` names the kind.
    folder : ResultFolder
        Its results.
    path : Path
        Where to write, without the endings.

    Returns
    -------
    tuple of Path
        The files.
    """
    if "kind" not in experiment.figure:
        raise InvalidInput(
            f"{experiment.name}.toml asks for no figure. Add `[figure]` with a `kind`, one of: "
            f"{', '.join(FIGURES)}."
        )
    kind = experiment.figure["kind"]
    if kind not in FIGURES:
        raise unknown("figure", kind, FIGURES)
    figure = FIGURES[kind](list(folder.finished(experiment.runs)), experiment.figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    files = tuple(path.parent / f"{path.name}.{ending}" for ending in METADATA)
    with matplotlib().rc_context(STYLE):
        for file, metadata in zip(files, METADATA.values(), strict=True):
            figure.savefig(file, dpi=PNG_DPI, metadata=metadata)
    return files
