"""Values against bars."""

import pytest

from lassoflexnet.bench.checking import Check, at_least, at_most, below, met


def test_values_are_held_against_bars():
    assert at_least("a", 2.00004, 2.0) == ("a", 2.0, ">= 2", True)
    assert not at_least("a", 1.99, 2.0).ok
    assert at_most("a", 2.0, 2.0).ok
    assert not below("a", 2.0, 2.0).ok
    assert below("a", 1.9, 2.0) == ("a", 1.9, "< 2", True)


@pytest.mark.parametrize(("value", "word"), [(1.0, "yes"), (1.1, "no"), (None, "not known")])
def test_a_point_is_met_or_not_or_not_known(value, word):
    assert met(Check("cost", value, "<= 1", value == 1.0)) == word
