"""Blocks of a document -> chunks."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from snapshots.knowledge.chunking.anchors import find_anchors
from snapshots.knowledge.chunking.pieces import TOKENS, BlockPieces, Piece, cut_block
from snapshots.knowledge.config import DEFAULT_CHUNKING
from snapshots.knowledge.values import BlockKind, ChunkDraft, ParsedBlock, ParsedDocument

_SEPARATOR = " › "
_HASH_BYTES = 8
# The rest is room for what a chunk repeats of the one before.
_FILLED_TOKENS = DEFAULT_CHUNKING.most_tokens - DEFAULT_CHUNKING.most_overlap_tokens


def cut_chunks(document: ParsedDocument, title: str) -> tuple[ChunkDraft, ...]:
    """Return the chunks of ``document``; ``title`` starts their place. None goes beyond a heading, and none but a
    single question, table row or line that nothing can cut is longer than ``DEFAULT_CHUNKING.most_tokens``. Linear in
    the text."""
    drafts: list[ChunkDraft] = []
    for section in _list_sections(document.blocks):
        place = _make_place(title, section[0].heading_path)
        blocks = [cut_block(block, number) for number, block in enumerate(section)]
        for pieces in _fill_chunks(section, blocks):
            drafts.append(_make_draft(document.text, section, pieces, place, len(drafts)))
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


def _fill_chunks(section: Sequence[ParsedBlock], blocks: Sequence[BlockPieces]) -> Iterator[list[Piece]]:
    hashes = [_hash_text(block.text) for block in section]
    anchors = find_anchors(hashes, [block.tokens for block in blocks], DEFAULT_CHUNKING.anchor_tokens)
    last: list[Piece] = []
    for start, end in pairwise([0, *anchors, len(blocks)]):
        for chunk in _fill_segment(blocks[start:end]):
            yield [*_choose_overlap(last, chunk, blocks), *chunk]
            last = chunk


def _hash_text(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=_HASH_BYTES).digest())


def _fill_segment(blocks: Sequence[BlockPieces]) -> Iterator[list[Piece]]:
    """Yield chunks of about the same size, each of whole blocks as far as they fit."""
    chunk: list[Piece] = []
    filled, target = 0, _choose_target(blocks)
    for block in blocks:
        fits = filled + block.tokens <= DEFAULT_CHUNKING.most_tokens
        is_whole = fits and not block.stands_alone and filled + block.tokens // 2 <= target
        if chunk and not is_whole and (block.tokens <= DEFAULT_CHUNKING.most_tokens or block.stands_alone):
            yield chunk
            chunk, filled = [], 0
        for piece in block.pieces:
            most = _FILLED_TOKENS if block.is_prose else DEFAULT_CHUNKING.most_tokens
            if chunk and filled + piece.tokens + _count_header(chunk[0]) > most:
                yield chunk
                chunk, filled = [], 0
            chunk.append(piece)
            filled += piece.tokens
        if block.stands_alone:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


def _choose_target(blocks: Sequence[BlockPieces]) -> int:
    total = sum(block.tokens for block in blocks)
    return total // -(-total // _FILLED_TOKENS) if total else 0


def _count_header(first: Piece) -> int:
    return first.header_tokens if first.header else 0


def _choose_overlap(last: Sequence[Piece], chunk: Sequence[Piece], blocks: Sequence[BlockPieces]) -> list[Piece]:
    """Return the last sentences of the chunk before that this one repeats: whole ones, of prose, as many as fit."""
    room = DEFAULT_CHUNKING.most_tokens - sum(piece.tokens for piece in chunk) - _count_header(chunk[0])
    room = min(room, DEFAULT_CHUNKING.most_overlap_tokens)
    if chunk[0].header or blocks[chunk[0].block].stands_alone:
        return []
    overlap: list[Piece] = []
    for piece in reversed(last[1:]):
        if piece.tokens > room or not blocks[piece.block].is_prose:
            break
        overlap.append(piece)
        room -= piece.tokens
    return overlap[::-1]


def _make_draft(
    text: str, section: Sequence[ParsedBlock], pieces: Sequence[Piece], place: str, position: int
) -> ChunkDraft:
    start, end = pieces[0].start, pieces[-1].end
    shown = pieces[0].header + text[start:end].rstrip()
    return ChunkDraft(
        position=position,
        text=shown,
        place=place,
        heading_path=section[0].heading_path,
        page=section[pieces[0].block].page,
        start=start,
        end=start + len(text[start:end].rstrip()),
        token_count=TOKENS.count(shown),
        content_hash=hashlib.sha256(f"{place}\n{shown}".encode()).digest(),
    )
