"""``python -m lassoflexnet.bench.speed``: all sections in one run, as JSON and Markdown."""

import argparse
import json
import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from lassoflexnet.bench.data.registry import load
from lassoflexnet.bench.protocols import FeatureSelection
from lassoflexnet.bench.speed.fits import default_fit, measure_fits, record_tabm
from lassoflexnet.bench.speed.growth import measure_growth
from lassoflexnet.bench.speed.measure import Section, machine
from lassoflexnet.bench.speed.predictions import measure_predictions
from lassoflexnet.bench.speed.steps import measure_steps
from lassoflexnet.bench.speed.wide import measure_wide

SECTIONS = ("step", "growth", "predict", "fit", "wide")


def main() -> None:
    """Run the sections asked for and write what they found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="print these, write nothing")
    parser.add_argument("--record-tabm", action="store_true", help="time TabM's whole fit, alone")
    given = parser.parse_args()
    _quiet()
    torch.set_num_threads(given.threads)
    given.results.mkdir(parents=True, exist_ok=True)
    split = FeatureSelection().split(load("CH", given.data), seed=0)
    recorded = given.results / "speed_tabm.json"
    if given.record_tabm:
        print(record_tabm(split, given.threads, recorded))
        return
    sections: dict[str, Callable[[], Section]] = {
        "step": lambda: measure_steps(given.repeats),
        "growth": lambda: measure_growth(given.threads),
        "predict": lambda: measure_predictions(
            default_fit(split, given.threads), split, given.threads, given.repeats
        ),
        "fit": lambda: measure_fits(split, given.threads, recorded),
        "wide": lambda: measure_wide(given.threads),
    }
    found = {}
    for name in given.only or sections:
        found[name] = sections[name]()
        print(f"## {name}\n\n{markdown(found[name])}\n", flush=True)
    if not given.only:
        write(found, machine(given.threads), given.results)


def _quiet() -> None:
    """Peers talk a lot."""
    warnings.filterwarnings("ignore")
    for name in ("lightning", "pytorch_lightning", "lightning.pytorch"):
        logging.getLogger(name).setLevel(logging.ERROR)


def markdown(section: Section) -> str:
    """Checks as a table, then the figures they come from."""
    lines = ["| check | value | bar | ok |", "|---|---|---|---|"]
    for name, value, bar, ok in section.checks:
        shown = "-" if value is None else f"{value:.3g}"
        lines.append(f"| {name} | {shown} | {bar} | {'yes' if ok else 'no'} |")
    return "\n".join([*lines, "", json.dumps(section.figures)])


def write(found: dict[str, Section], facts: dict[str, Any], folder: Path) -> None:
    """Write ``speed.json`` and ``speed.md``."""
    result = {
        "machine": facts,
        "checks": [check._asdict() for section in found.values() for check in section.checks],
        "figures": {name: section.figures for name, section in found.items()},
    }
    (folder / "speed.json").write_text(json.dumps(result, indent=2) + "\n")
    parts = [f"## {name}\n\n{markdown(section)}" for name, section in found.items()]
    text = "\n\n".join(["# Speed, as ratios within one run", json.dumps(facts), *parts])
    (folder / "speed.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
