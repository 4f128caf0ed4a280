"""Borders between paragraphs that stay where they are while text elsewhere changes.

Filling chunks from the start of a long section would move all later borders when one paragraph grows, and each chunk
would be embedded again. So a section is first divided at anchors: the borders whose hash, made of the text behind them,
is the smallest of all within a distance. Only the text near a border decides about it (content-defined chunking;
source: Bjørner, Blass and Gurevich, "Content-dependent chunking for differential compression, the local maximum
approach", 2010).
"""

from collections import deque
from collections.abc import Sequence


def find_anchors(hashes: Sequence[int], tokens: Sequence[int], distance: int) -> list[int]:
    """Return the blocks before which a section is divided. ``hashes[i]`` and ``tokens[i]`` are of block i; no two
    anchors are nearer than ``distance`` tokens. Linear."""
    places = _accumulate(tokens)
    ahead, behind = deque[int](), deque[int]()
    anchors, reach = [], 1
    for block in range(1, len(hashes)):
        while reach < len(hashes) and places[reach] <= places[block] + distance:
            _push(ahead, hashes, reach)
            reach += 1
        while ahead[0] < block:
            ahead.popleft()
        while behind and places[behind[0]] < places[block] - distance:
            behind.popleft()
        is_first_least = not behind or hashes[behind[0]] > hashes[block]
        if (
            is_first_least
            and ahead[0] == block
            and places[block] >= distance
            and places[-1] - places[block] >= distance
        ):
            anchors.append(block)
        _push(behind, hashes, block)
    return anchors


def _push(least: deque[int], hashes: Sequence[int], block: int) -> None:
    """Keep ``least`` ascending in hash and place: its head is the first of the smallest."""
    while least and hashes[least[-1]] > hashes[block]:
        least.pop()
    least.append(block)


def _accumulate(tokens: Sequence[int]) -> list[int]:
    places = [0]
    for count in tokens:
        places.append(places[-1] + count)
    return places
