"""Two ways of the same work are measured in turns, and a row tells what one takes more. Rows: D4."""

from itertools import count

from lab.benchmarks.faces.turns import CallPair, PairTimes, WayTimes, measure_pairs


def test_the_ways_take_turns_and_the_first_block_does_not_count() -> None:
    called: list[tuple[str, int]] = []
    pair = CallPair(
        "face", "own", lambda number: called.append(("face", number)), lambda number: called.append(("own", number))
    )
    clock = count()
    (measured,) = measure_pairs([pair], 2, lambda: float(next(clock)), advance=lambda step: None, block=2)
    assert [name for name, _ in called] == ["face"] * 2 + ["own"] * 4 + ["face"] * 4 + ["own"] * 2
    assert [number for _, number in called] == list(range(1, 13))
    assert (len(measured.face.ms), measured.face.cpu_s, measured.native.cpu_s) == (4, 2.0, 2.0)


def test_a_row_tells_what_the_face_takes_more() -> None:
    pair = CallPair("mem0 `search`", "`POST recall`", lambda _: None, lambda _: None)
    face, own = WayTimes(pair.call_face, [6.0, 7.0, 8.0], 0.015), WayTimes(pair.call_native, [4.0, 5.0, 6.0], 0.009)
    assert (
        PairTimes(pair, face, own).render_row() == "| mem0 `search` | `POST recall` | 7.0 | 5.0 | +2.0 | 1.40 | +2.0 |"
    )
