"""The numbers of reading documents and cutting chunks, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import measured, promised

_HOSTILE = "tests/snapshots/knowledge/reading/test_hostile_documents.py: the slowest of its documents stays below it"
_BY_EYE = "read by eye, 29 November 2026: generated PDFs of 500 pages in English and Chinese, test_pdf.py"
_TEXTS = "30 November 2026: of 10,030 manuals, licences and tables of fields, 2 are taken for chats; test_chat_log.py"
_ONE_CORE = "29 November 2026, one busy core: "


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of one document, and of the resources for reading it."""

    most_bytes: int = promised(32 * 1024 * 1024)
    # Of a document's text: a PDF or DOCX of few bytes can hold much.
    most_characters: int = promised(20_000_000)
    most_blocks: int = measured(400_000, source=_ONE_CORE + "a DOCX of 400,000 paragraphs takes 25 s")
    most_pages: int = promised(2_000)
    # Parts of a DOCX that are read: its text and its styles; pictures are never unpacked.
    most_part_bytes: int = measured(
        64 * 1024 * 1024, source=_ONE_CORE + "800,000 paragraphs, 28 MB, stay below the memory limit"
    )
    most_part_count: int = measured(10_000, source=_HOSTILE)
    # Up to these, text, Markdown, HTML and code are read in the calling process: no input takes more than 6 s.
    own_process_bytes: int = measured(256 * 1024, source=_HOSTILE)
    own_process_depth: int = measured(
        500, source=_ONE_CORE + "lexbor takes 0.003 s for 1,000 open elements, 0.35 s for 10,000, minutes for 100,000"
    )
    # Of the process that reads anything else.
    processor_seconds: int = measured(
        30, source=_ONE_CORE + "10 MB of Markdown or HTML and 500 pages of PDF take at most 14 s"
    )
    memory_bytes: int = measured(2 * 1024**3, source=_ONE_CORE + "10 MB of Markdown take 260 MB, of HTML 230 MB")


@dataclass(frozen=True, slots=True)
class PdfLayoutPolicy:
    """How lines of a page become paragraphs and headings."""

    # A line this much higher than the body's type, and this short, is a heading.
    heading_ratio: float = measured(1.15, source=_BY_EYE)
    heading_characters: int = measured(150, source=_BY_EYE)
    # A distance between lines above this many usual distances of the page starts a paragraph.
    paragraph_gap: float = measured(1.3, source=_BY_EYE)
    # A line of fewer characters than this share of the page's widest, which ends a sentence, ends the paragraph.
    short_line: float = measured(0.8, source=_BY_EYE)
    # A first or last line that stands on this share of the pages is a running title.
    running_share: float = measured(0.4, source=_BY_EYE)
    running_pages: int = measured(4, source=_BY_EYE)


@dataclass(frozen=True, slots=True)
class ChatLogPolicy:
    """When plain text is a chat, read by turns."""

    # Lines with text before the first turn, such as a title.
    lines_before: int = measured(5, source=_TEXTS)
    # The share of the names that may stand once, and the share of the lines with text that start a turn.
    once_share: float = measured(0.2, source=_TEXTS)
    line_share: float = measured(0.5, source=_TEXTS)


@dataclass(frozen=True, slots=True)
class ChunkingPolicy:
    """The size of chunks, in tokens of the estimator."""

    most_tokens: int = promised(512)
    # What a full chunk repeats of the one before, as many whole sentences as fit, a fifth of itself at most; a smaller
    # one repeats less. Nothing is repeated of lists, tables and code, nor a last sentence that takes more room.
    most_overlap_tokens: int = promised(102)
    place_characters: int = measured(
        300, source="60 tokens, an eighth of a chunk; the longest place of 30 manuals: 214"
    )
    heading_characters: int = measured(120, source="about 20 tokens; two lines of a page")


DEFAULT_LIMITS = ReadingLimits()
DEFAULT_PDF_LAYOUT = PdfLayoutPolicy()
CHAT_LOGS = ChatLogPolicy()
DEFAULT_CHUNKING = ChunkingPolicy()
