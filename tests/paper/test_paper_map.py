"""The table of equations and tests names tests that exist, and leaves none out."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.paper

HERE = Path(__file__).parent
MAP = HERE.parents[1] / "docs" / "paper-map.md"
if not MAP.exists():
    pytest.skip("the documents are not part of the source archive", allow_module_level=True)
TABLES, FINDINGS = MAP.read_text(encoding="utf-8").split("## Main text")[1].split("## Findings")
NAMED = set(re.findall(r"`(test_\w+)::(test_\w+)`", TABLES))
FILES = {path.stem for path in HERE.glob("test_*.py")} - {"test_paper_map"}


@pytest.mark.parametrize("file", sorted(FILES))
def test_map_and_file_agree(file: str):
    source = (HERE / f"{file}.py").read_text(encoding="utf-8")
    written = set(re.findall(r"^def (test_\w+)", source, re.MULTILINE))
    named = {name for where, name in NAMED if where == file}
    assert named == written, "docs/paper-map.md names other tests than there are"


def test_only_files_that_exist_are_named():
    assert {file for file, _ in NAMED} <= FILES


def test_findings_are_numbered_as_cited():
    findings = [int(number) for number in re.findall(r"^(\d+)\. \*\*", FINDINGS, re.MULTILINE)]
    assert findings == list(range(1, len(findings) + 1))
    assert {int(number) for number in re.findall(r"\[(\d+)\]", TABLES)} == set(findings)
