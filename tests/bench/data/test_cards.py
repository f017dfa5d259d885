"""Cards are read as written, and bad ones say where they are bad."""

import pytest

from lassoflexnet.bench.data.cards import Card, read_cards
from lassoflexnet.exceptions import InvalidInput

LINE = (
    '{"name": "a", "file": "a.parquet", "target": "y", "task": "binary", "drop": ["id"], '
    '"suites": ["tabzilla", "feature_selection:XX"], "openml_task": 7, "time_order": null, '
    '"columns": 3}\n'
)


def test_a_line_becomes_a_card(tmp_path):
    (tmp_path / "cards.jsonl").write_text("\n" + LINE)
    (card,) = read_cards(tmp_path)
    suites = ("tabzilla", "feature_selection:XX")
    assert card == Card("a", "a.parquet", "y", "binary", ("id",), suites, openml_task=7)
    assert card.names == ("a", "XX")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"name": "b"}', "line 2 has no `file`"),
        ('{"name": ', "line 2 is not JSON"),
        (LINE.replace("binary", "ranking").strip(), "line 2: `task` is 'ranking'.*multiclass"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, told):
    (tmp_path / "cards.jsonl").write_text(LINE + line)
    with pytest.raises(InvalidInput, match=told):
        read_cards(tmp_path)
