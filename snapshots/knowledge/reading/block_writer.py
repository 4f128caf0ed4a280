"""Collects the blocks of a document: cleans them, keeps the path of headings, and lays them out in one text."""

from snapshots.knowledge.config import DEFAULT_CHUNKING, DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.text_cleaning import clean_layout, clean_line, clean_prose
from snapshots.knowledge.values import BlockKind, ParsedBlock, ParsedDocument

_BETWEEN = "\n\n"
_KEEPS_LAYOUT = {BlockKind.CODE, BlockKind.LIST, BlockKind.TABLE}


class BlockWriter:
    """Takes the blocks of one document in their order; a reader of a format feeds it.

    Raises :class:`UnreadableDocumentError` when the text or the number of blocks exceeds the limits.
    """

    def __init__(self) -> None:
        self._blocks: list[ParsedBlock] = []
        self._headings: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._length = 0

    def add_heading(self, level: int, text: str, *, page: int | None = None) -> None:
        """Add a heading that ends all open headings of this level and of those below it. Level 1 is the highest."""
        heading = self.open_heading(level, text)
        if heading:
            self._append(BlockKind.HEADING, heading, page)

    def open_heading(self, level: int, text: str) -> str:
        """Let the next blocks stand under a heading that is no block itself, such as the name of a class. Return it as
        it stands in their paths; empty when it has no text, which changes nothing."""
        heading = clean_line(text)[: DEFAULT_CHUNKING.heading_characters].rstrip()
        if heading:
            self.close_headings(level)
            self._headings.append((level, heading))
            self._path = (*self._path, heading)
        return heading

    def close_headings(self, level: int) -> None:
        """End the headings of this level and of those below it."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._path = tuple(text for _, text in self._headings)

    def add_block(self, kind: BlockKind, text: str, *, page: int | None = None) -> None:
        """Add a block of any kind but a heading; one without text is left out."""
        cleaned = clean_layout(text) if kind in _KEEPS_LAYOUT else clean_prose(text)
        if cleaned.strip():
            self._append(kind, cleaned, page)

    def add_turn(self, speaker: str, text: str) -> None:
        """Add a turn of a chat; ``text`` names the speaker, too. One without text is left out."""
        cleaned = clean_layout(text)
        if cleaned.strip():
            name = clean_line(speaker)[: DEFAULT_CHUNKING.heading_characters].rstrip()
            self._append(BlockKind.TURN, cleaned, None, name)

    def make_document(self, title: str | None) -> ParsedDocument:
        """Return the document. ``title`` is cleaned; without one, the first heading of level 1 is the title."""
        text = _BETWEEN.join(block.text for block in self._blocks)
        cleaned = clean_line(title or "")[: DEFAULT_CHUNKING.heading_characters].rstrip()
        return ParsedDocument(cleaned or self._find_first_heading(), text, tuple(self._blocks))

    def _find_first_heading(self) -> str | None:
        if self._blocks and self._blocks[0].kind is BlockKind.HEADING:
            return self._blocks[0].text
        return None

    def _append(self, kind: BlockKind, text: str, page: int | None, speaker: str = "") -> None:
        start = self._length + len(_BETWEEN) if self._blocks else 0
        self._length = start + len(text)
        self._refuse_more_than_limits()
        self._blocks.append(ParsedBlock(kind, text, self._path, page, start, self._length, speaker))

    def _refuse_more_than_limits(self) -> None:
        if self._length > DEFAULT_LIMITS.most_characters:
            raise UnreadableDocumentError(
                UnreadableCode.TOO_LARGE,
                f"The document holds more than {DEFAULT_LIMITS.most_characters:,} characters of text. Split it and "
                "upload the parts as documents of their own.",
            )
        if len(self._blocks) >= DEFAULT_LIMITS.most_blocks:
            raise UnreadableDocumentError(
                UnreadableCode.TOO_COMPLEX,
                f"The document has more than {DEFAULT_LIMITS.most_blocks:,} paragraphs, lists and tables. Split it and "
                "upload the parts as documents of their own.",
            )
