"""Reads plain text: paragraphs between empty lines, lists, headings of chapters; or the turns of a chat."""

import re

from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.plain.chat_log import find_turns
from snapshots.knowledge.values import BlockKind, ParsedDocument

_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
LIST_ITEM = re.compile(r"\s{0,12}(?:[-*+\u2022\u00b7\u25cf\u25aa]|\(?\d{1,3}[.)\u3001])\s")
_CHAPTER = re.compile(
    r"\s{0,12}(?:第[0-9一二三四五六七八九十百零〇两]{1,6}[章节篇部编卷回](?:\s.{0,40})?"
    r"|(?:chapter|part|appendix|section)\s(?:\d{1,3}|[ivxlc]{1,6}|[a-z])\b.{0,80})",
    re.IGNORECASE,
)
_PART = re.compile(r"\s{0,12}(?:第\S{1,6}[篇部编卷]|part\s)", re.IGNORECASE)
_SECTION = re.compile(r"\s{0,12}(?:第\S{1,6}节|section\s)", re.IGNORECASE)


def read_plain_text(text: str) -> ParsedDocument:
    """Return the document; text in Markdown, too, is read as it stands."""
    writer = BlockWriter()
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    before, turns = find_turns(lines) or (lines, ())
    for part in _PARAGRAPH_END.split(before):
        if _CHAPTER.fullmatch(part):
            writer.add_heading(get_chapter_level(part), part)
        else:
            writer.add_block(BlockKind.LIST if is_list(part) else BlockKind.PARAGRAPH, part)
    for turn in turns:
        writer.add_turn(turn.speaker, turn.text)
    return writer.make_document(None)


def get_chapter_level(heading: str) -> int:
    """Return 1 for a part, 2 for a chapter, 3 for a section."""
    return 1 if _PART.match(heading) else 3 if _SECTION.match(heading) else 2


def is_list(part: str) -> bool:
    """Return whether a paragraph is a list: at least two of its lines, and the first of them, are items."""
    return LIST_ITEM.match(part) is not None and sum(map(bool, map(LIST_ITEM.match, part.split("\n")))) > 1
