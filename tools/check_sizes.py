"""The size rule: functions of at most 50 lines, files of at most 350.

Run by ``make check``; prints one line per offender and fails if there is any.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FUNCTION_LINES = 50
MAX_FILE_LINES = 350
FOLDERS = ("src", "tests", "examples", "tools")


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from after its docstring to its end."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    if not has_docstring:
        return function.end_lineno - first.lineno + 1
    return function.end_lineno - first.end_lineno


def too_large(file: Path, name: str) -> Iterator[str]:
    """Describe what in this file is larger than allowed."""
    text = file.read_text(encoding="utf-8")
    n_lines = len(text.splitlines())
    if n_lines > MAX_FILE_LINES:
        yield f"{name}: {n_lines} lines, at most {MAX_FILE_LINES}"
    for node in ast.walk(ast.parse(text, filename=name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            n_body = body_lines(node)
            if n_body > MAX_FUNCTION_LINES:
                where = f"{name}:{node.lineno}: `{node.name}`"
                yield f"{where} has {n_body} lines, at most {MAX_FUNCTION_LINES}"


def check(root: Path) -> list[str]:
    """Offences in all Python files of a project, in order of path."""
    files = sorted(file for folder in FOLDERS for file in (root / folder).rglob("*.py"))
    return [line for file in files for line in too_large(file, str(file.relative_to(root)))]


if __name__ == "__main__":
    offences = check(Path(__file__).resolve().parents[1])
    print("\n".join(offences), end="\n" if offences else "")
    sys.exit(bool(offences))
