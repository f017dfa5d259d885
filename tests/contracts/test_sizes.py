"""The size rule holds, and would not hold if it were broken."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
check = runpy.run_path(str(ROOT / "tools" / "check_sizes.py"))["check"]


def function(n_lines: int, docstring: str = "") -> str:
    return "def f():\n" + docstring + "    x = 1\n" * n_lines


@pytest.fixture
def module(tmp_path):
    (tmp_path / "src").mkdir()
    return tmp_path / "src" / "module.py"


def test_project_keeps_the_rule():
    assert check(ROOT) == []


@pytest.mark.parametrize("docstring", ["", '    """One\n\n    two\n    """\n'])
def test_limit_of_a_function_is_50_lines_without_docstring(docstring, module, tmp_path):
    module.write_text(function(50, docstring))
    assert check(tmp_path) == []
    module.write_text(function(51, docstring))
    assert check(tmp_path) == ["src/module.py:1: `f` has 51 lines, at most 50"]


def test_limit_of_a_file_is_350_lines(module, tmp_path):
    module.write_text("x = 1\n" * 350)
    assert check(tmp_path) == []
    module.write_text("x = 1\n" * 351)
    assert check(tmp_path) == ["src/module.py: 351 lines, at most 350"]
