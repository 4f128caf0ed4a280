"""Borders of chunks that stay where they are while text elsewhere changes.

Filling chunks from the start of a long section would move all later borders when one paragraph grows, and each chunk
would be embedded again. So each border has a rank, the hash of the text behind it, and borders are taken away from the
highest rank down wherever both sides fit into one chunk. Only what stands near a border decides about it
(content-defined chunking: Bjørner, Blass and Gurevich, "Content-dependent chunking for differential compression, the
local maximum approach", 2010).
"""

from collections.abc import Collection, Sequence

from snapshots.knowledge.chunking.chunk_parts import Piece


def find_borders(pieces: Sequence[Piece], ranks: Sequence[int], fixed: Collection[int], most: int) -> list[int]:
    """Return before which pieces a section is divided: ``ranks[i]`` is that of the border before piece i, and those of
    ``fixed`` stay. Borders inside a block go first. A part has at most ``most`` tokens, what it repeats of a header
    included, or is one piece. O(n log n)."""
    first, last = [*range(len(pieces))], [*range(len(pieces))]  # first[i] counts for the last piece of a part
    tokens = [piece.tokens for piece in pieces]  # tokens[i] counts for the first piece of a part
    borders = []
    for border in sorted(range(1, len(pieces)), key=lambda at: (pieces[at - 1].block != pieces[at].block, -ranks[at])):
        start, end = first[border - 1], last[border]
        total = tokens[start] + tokens[border]
        header = pieces[start].header_tokens if pieces[start].header else 0
        if border in fixed or total + header > most:
            borders.append(border)
        else:
            tokens[start], last[start], first[end] = total, end, start
    return sorted(borders)
