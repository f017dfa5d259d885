"""The README's Python blocks run as they stand, in order, in one namespace."""

import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def test_python_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert blocks, "no Python block in the README"
    namespace = {"__name__": "__main__"}
    for block in blocks:
        # Blank lines in front make a traceback point at the README's own lines.
        lines_before = text.count("\n", 0, block.start(1))
        exec(compile("\n" * lines_before + block[1], str(README), "exec"), namespace)
