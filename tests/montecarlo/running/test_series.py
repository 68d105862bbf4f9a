"""Arithmetic of block ranges, against a naive oracle on sets of blocks."""

from hypothesis import given
from hypothesis import strategies as st

from asymp.montecarlo.running.series import cover, gaps, meet, stripes

RANGES = st.sets(
    st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8
)


def blocks(ranges):
    return {b for first, last in ranges for b in range(first, last)}


@given(RANGES, st.integers(1, 24))
def test_cover_and_gaps_share_the_blocks_out(ranges, number):
    wanted = set(range(number))
    chosen = cover(ranges, number)
    assert set(chosen) <= ranges
    assert blocks(chosen) & wanted == blocks(ranges) & wanted
    missing = gaps(ranges, number)
    assert blocks(missing) == wanted - blocks(ranges)
    assert len(blocks(missing)) == sum(last - first for first, last in missing)
    # No chosen range is superfluous.
    assert all(blocks([r for r in chosen if r != one]) & wanted != blocks(chosen) & wanted for one in chosen)


@given(RANGES, RANGES)
def test_meet(a, b):
    assert blocks(meet(a, b)) == blocks(a) & blocks(b)


@given(st.integers(1, 100), st.integers(1, 30))
def test_stripes_cover_everything_once(number, shards):
    pieces = stripes(number, shards)
    assert [b for first, last in pieces for b in range(first, last)] == list(range(number))
    assert all(first < last for first, last in pieces) and len(pieces) <= min(number, shards, 8)
