"""Rows, their batches, and tables cut down to some features."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lassoflexnet.training import Rows, TrainingData
from tests.nn.makers import MIXED, numbers, random_codes
from tests.training.makers import rows


def counted(n: int) -> Rows:
    """Rows that carry their number as target, and its half as weight."""
    target = torch.arange(n)
    return rows(random_codes(numbers(2), n), target, target / 2)


@given(n=st.integers(1, 300), batch_size=st.integers(1, 64))
def test_batches_cover_every_row_once_in_nearly_equal_sizes(n: int, batch_size: int):
    batches = list(counted(n).batches(batch_size))
    sizes = [batch.n_rows for batch in batches]
    assert len(batches) == counted(n).n_batches(batch_size)
    assert sorted(torch.cat([batch.target for batch in batches]).tolist()) == list(range(n))
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= min(n, 2), "one row has no spread to be normalised by"
    assert max(sizes) <= max(2 * batch_size, 3)


@pytest.mark.parametrize(
    ("n", "batch_size", "expected"),
    [(100, 10, 10), (100, 1000, 1), (104, 10, 10), (106, 10, 11), (3, 2, 1), (7, 2, 3), (1, 1, 1)],
)
def test_number_of_batches(n: int, batch_size: int, expected: int):
    assert counted(n).n_batches(batch_size) == expected


def test_rows_stay_whole():
    whole = counted(20)
    for batch in whole.batches(6):
        assert torch.equal(batch.weight, batch.target / 2)
        assert torch.equal(batch.codes.fraction, whole.codes.fraction[:, batch.target])


def test_order_is_drawn_anew_and_repeats_with_the_seed():
    def order() -> list[int]:
        return torch.cat([batch.target for batch in counted(50).batches(10)]).tolist()

    torch.manual_seed(1)
    first, second = order(), order()
    torch.manual_seed(1)
    assert order() == first
    assert second != first != list(range(50))


def test_kept_features_of_a_table():
    data = TrainingData(
        MIXED,
        rows(random_codes(MIXED, 9), torch.zeros(9)),
        rows(random_codes(MIXED, 4, seed=1), torch.zeros(4)),
    )
    kept = data.keep(torch.tensor([1, 2]))
    assert kept.layout == MIXED.keep(torch.tensor([1, 2]).numpy())
    for part, whole in ((kept.train, data.train), (kept.validation, data.validation)):
        assert torch.equal(part.codes.slot, whole.codes.slot[1:5])
        assert torch.equal(part.codes.fraction, whole.codes.fraction[1:5])
        assert part.target is whole.target
