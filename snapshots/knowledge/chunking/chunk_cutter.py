"""Blocks of a document -> chunks."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from snapshots.knowledge.chunking.borders import find_borders
from snapshots.knowledge.chunking.chunk_parts import TOKENS, BlockPieces, Piece, cut_block
from snapshots.knowledge.config import DEFAULT_CHUNKING
from snapshots.knowledge.values import BlockKind, ChunkDraft, ParsedBlock, ParsedDocument

_SEPARATOR = " › "
_RANK_BYTES = 8
# Of a piece, its beginning ranks the border before it: a change further on leaves the border alone.
_RANKED_CHARACTERS = 64
# The rest is room for what a chunk repeats of the one before.
_FILLED_TOKENS = DEFAULT_CHUNKING.most_tokens - DEFAULT_CHUNKING.most_overlap_tokens


def cut_chunks(document: ParsedDocument, title: str) -> tuple[ChunkDraft, ...]:
    """Return the chunks of ``document``; ``title`` starts their place. None goes beyond a heading, and none but a
    single question, table row or line that nothing can cut is longer than ``DEFAULT_CHUNKING.most_tokens``. Linear in
    the text."""
    drafts: list[ChunkDraft] = []
    for section in _list_sections(document.blocks):
        blocks = [cut_block(block, number) for number, block in enumerate(section)]
        for pieces in _fill_chunks(document.text, blocks):
            drafts.append(_make_draft(document.text, section, pieces, title, len(drafts)))
    return tuple(drafts)


def _list_sections(blocks: Sequence[ParsedBlock]) -> Iterator[list[ParsedBlock]]:
    """Yield the blocks under each heading; a heading is in the place of its chunks, and a chunk itself only when
    nothing stands under it."""
    sections = [list(section) for _, section in groupby(blocks, key=lambda block: block.heading_path)]
    for section, after in pairwise([*sections, []]):
        body = [block for block in section if block.kind is not BlockKind.HEADING]
        path = section[0].heading_path
        is_parent = bool(after) and after[0].heading_path[: len(path)] == path
        if body or not is_parent:
            yield body or section


def _make_place(title: str, path: tuple[str, ...]) -> str:
    """Return "Title › Heading › Sub"; when it is too long, the headings in the middle go first."""
    names = [title, *path[path[:1] == (title,) :]]
    while len(_SEPARATOR.join(names)) > DEFAULT_CHUNKING.place_characters and len(names) > 2:  # noqa: PLR2004  # ends
        del names[1]
    return _SEPARATOR.join(filter(None, names))[: DEFAULT_CHUNKING.place_characters]


def _make_path(section: Sequence[ParsedBlock], pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return the headings of a chunk; of a chat they end with those who speak in it."""
    speakers = ", ".join(dict.fromkeys(filter(None, (section[piece.block].speaker for piece in pieces))))
    path = section[0].heading_path
    return (*path, speakers[: DEFAULT_CHUNKING.heading_characters].rstrip()) if speakers else path


def _fill_chunks(text: str, blocks: Sequence[BlockPieces]) -> Iterator[list[Piece]]:
    pieces = [piece for block in blocks for piece in block.pieces]
    ranks = [_rank_border(text[piece.start : min(piece.end, piece.start + _RANKED_CHARACTERS)]) for piece in pieces]
    alone = {number for number, block in enumerate(blocks) if block.stands_alone}
    fixed = {
        at
        for at, (left, right) in enumerate(pairwise(pieces), 1)
        if left.block != right.block and not alone.isdisjoint((left.block, right.block))
    }
    last: list[Piece] = []
    for start, end in pairwise([0, *find_borders(pieces, ranks, fixed, _FILLED_TOKENS), len(pieces)]):
        chunk = pieces[start:end]
        yield [*_choose_overlap(last, chunk, blocks), *chunk]
        last = chunk


def _rank_border(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=_RANK_BYTES).digest())


def _count_header(first: Piece) -> int:
    return first.header_tokens if first.header else 0


def _choose_overlap(last: Sequence[Piece], chunk: Sequence[Piece], blocks: Sequence[BlockPieces]) -> list[Piece]:
    """Return the end of the chunk before that this one repeats: whole sentences of prose, or turns, as many as fit."""
    filled = sum(piece.tokens for piece in chunk)
    share = DEFAULT_CHUNKING.most_overlap_tokens * filled // _FILLED_TOKENS
    room = min(DEFAULT_CHUNKING.most_tokens - filled - _count_header(chunk[0]), share)
    if chunk[0].header or blocks[chunk[0].block].stands_alone:
        return []
    overlap: list[Piece] = []
    for piece in reversed(last[1:]):
        if piece.tokens > room or not blocks[piece.block].is_repeated:
            break
        overlap.append(piece)
        room -= piece.tokens
    return overlap[::-1]


def _make_draft(
    text: str, section: Sequence[ParsedBlock], pieces: Sequence[Piece], title: str, position: int
) -> ChunkDraft:
    start, end = pieces[0].start, pieces[-1].end
    shown = pieces[0].header + text[start:end].rstrip()
    path = _make_path(section, pieces)
    place = _make_place(title, path)
    return ChunkDraft(
        position=position,
        text=shown,
        place=place,
        heading_path=path,
        page=section[pieces[0].block].page,
        start=start,
        end=start + len(text[start:end].rstrip()),
        token_count=TOKENS.count(shown),
        content_hash=hashlib.sha256(f"{place}\n{shown}".encode()).digest(),
    )
