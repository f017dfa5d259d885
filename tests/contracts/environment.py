"""Environments that hold chosen distributions and nothing else.

Used by the contract tests on dependencies and on the wheel.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(requirements: Iterable[str], extra: str = "") -> dict[str, Distribution]:
    """Installed distributions that fulfil these requirements, and all that they need in turn.

    Fails if one is missing or has a version that is not allowed.
    """
    todo = deque((Requirement(text), extra) for text in requirements)
    seen: set[tuple[str, str]] = set()
    found: dict[str, Distribution] = {}
    while todo:
        requirement, wanted_by = todo.popleft()
        if requirement.marker and not requirement.marker.evaluate({"extra": wanted_by}):
            continue
        name = canonicalize_name(requirement.name)
        found[name] = distribution(name)
        version = found[name].version
        allowed = requirement.specifier.contains(version, prereleases=True)
        assert allowed, f"{requirement}, but {version} is installed"
        for one in ("", *requirement.extras):
            if (name, one) not in seen:
                seen.add((name, one))
                todo.extend((Requirement(text), one) for text in found[name].requires or ())
    return found


def venv_with(distributions: dict[str, Distribution], folder: Path) -> Path:
    """Make an environment of these distributions alone; return its Python.

    Their top-level files and folders are linked, not copied: torch alone takes
    most of a minute to unpack. Whatever belongs to another distribution is not
    there.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    owners = packages_distributions()
    for dist in distributions.values():
        for top in {file.parts[0] for file in dist.files or ()} - {"..", "__pycache__"}:
            strangers = {canonicalize_name(name) for name in owners.get(top, ())} - {*distributions}
            assert not strangers, f"`{top}` belongs to {strangers} as well"
            (site / top).symlink_to(dist.locate_file(top))
    return folder / "bin" / "python"
