"""Timings that a reader can check by hand."""

import pytest

from lab.benchmarks.load.timings import Slice, cell_timings, percentile, ratio


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(i) for i in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0, 1, 50, 95, 99, 100)] == [1, 1, 50, 95, 99, 100]
    assert percentile([3.0], 99) == 3.0
    assert percentile([1.0, 9.0], 50) == 1.0
    assert percentile([1.0, 9.0], 51) == 9.0


def test_figures_are_medians_of_rounds_so_that_one_bad_round_does_not_tell() -> None:
    quiet, busy = Slice((1.0, 2.0, 3.0), wall_s=1.0, cpu_s=0.5), Slice((40.0, 50.0, 60.0), wall_s=10.0, cpu_s=1.0)
    found = cell_timings([quiet, busy, quiet])
    assert found is not None
    assert (found.p50_ms, found.per_second, found.client_cpu) == (2.0, 3.0, 0.5)
    assert (found.answers, found.rounds) == (9, 3)


def test_a_percentile_that_too_few_answers_could_carry_is_not_given() -> None:
    found = cell_timings([Slice(tuple(map(float, range(19))), wall_s=1.0)] * 2)
    assert found is not None
    assert found.p95_ms is None
    pooled = cell_timings([Slice(tuple(map(float, range(19))), wall_s=1.0)] * 2, pooled=True)
    assert pooled is not None
    assert (pooled.p95_ms, pooled.p99_ms) == (18.0, None)


def test_a_percentile_needs_enough_answers_in_every_round() -> None:
    busy, quiet = Slice(tuple([50.0] * 50), wall_s=1.0), Slice(tuple([1.0] * 100), wall_s=1.0)
    found = cell_timings([busy, busy, quiet])
    assert found is not None
    assert (found.p95_ms, found.p99_ms) == (50.0, None)


def test_what_failed_is_counted_and_what_never_answered_has_no_figures() -> None:
    assert cell_timings([Slice((), wall_s=1.0, failed=3)]) is None
    found = cell_timings([Slice((), wall_s=1.0, failed=3), Slice((1.0,), wall_s=1.0, failed=1)])
    assert found is not None
    assert (found.failed, found.rounds) == (4, 1)


def test_stages_are_medians_of_the_answers_that_tell_them() -> None:
    found = cell_timings([Slice((1.0,), 1.0, stages=({"embed": 1.0, "rank": 4.0}, {"embed": 3.0}, {"embed": 2.0}))])
    assert found is not None
    assert found.stages_ms == {"embed": 2.0, "rank": 4.0}


@pytest.mark.parametrize(
    ("value", "floor", "expected"), [(3.0, 0.5, 6.0), (None, 0.5, None), (3.0, None, None), (3.0, 0.0, None)]
)
def test_a_ratio_needs_both_numbers(value: float | None, floor: float | None, expected: float | None) -> None:
    assert ratio(value, floor) == expected
