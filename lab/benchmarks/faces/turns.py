"""Pairs of calls that do the same work by two ways, measured in turns."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from lab.benchmarks.load.timings import percentile

# Calls by one way in a row, of which the processor time is read: the kernel counts it in steps of 10 ms.
BLOCK = 5
HEAD = (
    "| call of the face | beside | the face, ms | beside, ms | more, ms | ratio | more processor time, ms |\n|"
    + 7 * "---|"
)

Call = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class CallPair:
    """A call of a face, and the platform's own that does the same. Each takes a number that no other call got."""

    face: str
    native: str
    call_face: Call
    call_native: Call


@dataclass(slots=True)
class WayTimes:
    """One way of a pair: milliseconds of each call, and seconds of processor time of all of them."""

    call: Call
    ms: list[float] = field(default_factory=list)
    cpu_s: float = 0.0

    @property
    def p50(self) -> float:
        return percentile(self.ms, 50)

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of processor time of one call."""
        return 1_000 * self.cpu_s / len(self.ms)


@dataclass(frozen=True, slots=True)
class PairTimes:
    pair: CallPair
    face: WayTimes
    native: WayTimes

    @classmethod
    def of_pair(cls, pair: CallPair) -> "PairTimes":
        return cls(pair, WayTimes(pair.call_face), WayTimes(pair.call_native))

    def render_row(self) -> str:
        """Return a row of the table: the median of each way, and how much more the face's takes."""
        face, native = self.face.p50, self.native.p50
        figures = f"{face:.1f} | {native:.1f} | {face - native:+.1f} | {face / native:.2f}"
        return f"| {self.pair.face} | {self.pair.native} | {figures} | {self.face.cpu_ms - self.native.cpu_ms:+.1f} |"


def measure_pairs(
    pairs: Sequence[CallPair],
    blocks: int,
    read_cpu: Callable[[], float],
    *,
    advance: Callable[[int], object],
    block: int = BLOCK,
) -> list[PairTimes]:
    """Make ``blocks`` blocks of calls by each way. All take turns, and the ways of a pair go first by turns, so that a
    slow moment meets all. A first block opens connections and fills caches, and is not counted. ``read_cpu`` returns
    the seconds of processor time that all who take part have spent so far."""
    measured, numbers = [PairTimes.of_pair(pair) for pair in pairs], count(1)
    for turn in range(-1, blocks):
        for one in measured:
            for way in (one.face, one.native) if turn % 2 else (one.native, one.face):
                before = read_cpu()
                times = [measure_call(way.call, next(numbers)) for _ in range(block)]
                if turn >= 0:
                    way.ms += times
                    way.cpu_s += read_cpu() - before
        advance(1)
    return measured


def measure_call(call: Call, number: int) -> float:
    """Return the milliseconds of a call."""
    began = time.perf_counter()
    call(number)
    return (time.perf_counter() - began) * 1_000
