"""A document on its way into the index: read into blocks, then cut into chunks."""

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """The kind of a block of a document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUESTION_AND_ANSWER = "question_and_answer"
    TURN = "turn"


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A heading, paragraph, list, table, definition of code, question with its answer, or turn of a chat; reading never
    cuts one.

    ``heading_path`` is the headings that the block stands under, the outermost first; a heading's own path ends with
    itself. ``speaker`` is who speaks in a turn, "" elsewhere. ``page`` counts from 1 and is None where the format has
    no pages. ``text`` is ``[start:end]`` of the document's text.
    """

    kind: BlockKind
    text: str
    heading_path: tuple[str, ...]
    page: int | None
    start: int
    end: int
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """``text`` is in NFKC, without control characters and runs of blanks; ``title`` is the one found inside, or None.
    The blocks follow each other in ``text`` and do not overlap."""

    title: str | None
    text: str
    blocks: tuple[ParsedBlock, ...]


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A piece of a document that is indexed and cited as one.

    ``position`` counts from 0. ``heading_path`` ends with the speakers of its turns, if it has any. ``text`` is the
    cited text. ``place`` ("Title › Heading › Sub") goes before it in the index. ``start`` and ``end`` are characters in
    the document's text; a repeated table header stands in ``text`` and not in this span. ``token_count`` is of
    ``text``. ``content_hash`` is the SHA-256 of place and text.
    """

    position: int
    text: str
    place: str
    heading_path: tuple[str, ...]
    page: int | None
    start: int
    end: int
    token_count: int
    content_hash: bytes
