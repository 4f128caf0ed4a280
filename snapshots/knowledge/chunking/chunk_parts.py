"""The smallest parts of a document that a chunk is made of: sentences, rows, items, lines; each fits into a chunk."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memory_platform.providers.token_estimator import TokenEstimator
from snapshots.knowledge.chunking.sentence_borders import find_sentence_ends
from snapshots.knowledge.config import DEFAULT_CHUNKING
from snapshots.knowledge.values import BlockKind, ParsedBlock

TOKENS = TokenEstimator()
# The empty line behind a block.
_SEPARATOR_TOKENS = 1
_LINES = {BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE}
_LINE = re.compile(r"[^\n]*\n*")
_TABLE_RULE = re.compile(r"[|:\s-]+")
# Where a text without sentences may be cut: behind a blank or a mark, in its last quarter.
_GAP = re.compile(r".*[\s,;:，、；：)\]}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """``[start:end]`` of the document's text. ``block`` numbers the block it comes from; ``header`` is the text that a
    chunk which starts with it repeats (of a table its header, of a question the question, of a turn its speaker), with
    its tokens counted."""

    start: int
    end: int
    tokens: int
    block: int
    header: str = ""
    header_tokens: int = 0


@dataclass(frozen=True, slots=True)
class BlockPieces:
    """The pieces of one block. ``is_repeated``: the next chunk may repeat the last of them, whole ones."""

    pieces: tuple[Piece, ...]
    tokens: int
    is_repeated: bool
    stands_alone: bool


def cut_block(block: ParsedBlock, number: int) -> BlockPieces:
    """Return the pieces of a block, in order, without gaps: one, if it fits into a chunk and is not prose."""
    tokens = TOKENS.count(block.text) + _SEPARATOR_TOKENS
    is_prose = block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING)
    is_alone = block.kind is BlockKind.QUESTION_AND_ANSWER
    if tokens <= DEFAULT_CHUNKING.most_tokens and not is_prose:
        is_turn = block.kind is BlockKind.TURN
        return BlockPieces((Piece(block.start, block.end, tokens, number),), tokens, is_turn, is_alone)
    header = _find_header(block)
    header_tokens = TOKENS.count(header)
    most = DEFAULT_CHUNKING.most_tokens - header_tokens - _SEPARATOR_TOKENS
    pieces = tuple(
        Piece(
            block.start + start, block.start + end, count, number, header if start >= len(header) else "", header_tokens
        )
        for start, end, count in _cut_text(block, most)
    )
    last = replace(pieces[-1], tokens=pieces[-1].tokens + _SEPARATOR_TOKENS)
    return BlockPieces((*pieces[:-1], last), tokens, is_prose, is_alone)


def _find_header(block: ParsedBlock) -> str:
    """Return the text that each part of a cut block repeats; "" if it takes more than half a chunk."""
    header = ""
    if block.kind is BlockKind.TABLE:
        lines = block.text.split("\n", 2)
        has_rule = len(lines) > 2 and "-" in lines[1] and _TABLE_RULE.fullmatch(lines[1])  # noqa: PLR2004  # and a row
        header = f"{lines[0]}\n{lines[1]}\n" if has_rule else ""
    elif block.kind is BlockKind.QUESTION_AND_ANSWER:
        header = block.text.partition("\n")[0] + "\n"
    elif block.kind is BlockKind.TURN:
        header = f"{block.speaker}: "
    return header if 2 * TOKENS.count(header) <= DEFAULT_CHUNKING.most_tokens else ""


def _cut_text(block: ParsedBlock, most: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and tokens of each part, at most ``most`` tokens long."""
    text = block.text
    ends = _list_line_ends(text) if block.kind in _LINES else find_sentence_ends(text)
    start = 0
    for end in ends:
        tokens = TOKENS.count(text[start:end])
        if tokens <= most:
            yield start, end, tokens
        else:
            yield from _cut_long(text, start, end, most, is_line=block.kind in _LINES)
        start = end


def _list_line_ends(text: str) -> Iterator[int]:
    return (found.end() for found in _LINE.finditer(text) if found[0])


def _cut_long(text: str, start: int, end: int, most: int, *, is_line: bool) -> Iterator[tuple[int, int, int]]:
    """Cut a line at its sentences, and a sentence at blanks or, without any, anywhere."""
    borders: Sequence[int] = [start, *(start + one for one in find_sentence_ends(text[start:end]))] if is_line else ()
    if len(borders) > 2:  # noqa: PLR2004  # more than one sentence
        for low, high in pairwise(borders):
            tokens = TOKENS.count(text[low:high])
            if tokens <= most:
                yield low, high, tokens
            else:
                yield from _cut_anywhere(text, low, high, most)
    else:
        yield from _cut_anywhere(text, start, end, most)


def _cut_anywhere(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int, int]]:
    while start < end:
        length = min(end - start, most * 6)  # no character takes less than a sixth of a token, blanks aside
        tokens = TOKENS.count(text[start : start + length])
        while tokens > most:
            length = max(1, min(length - 1, length * most // tokens))
            tokens = TOKENS.count(text[start : start + length])
        if start + length < end:
            gap = _GAP.match(text, start + length * 3 // 4, start + length)
            length = gap.end() - start if gap else length
        yield start, start + length, TOKENS.count(text[start : start + length])
        start += length
