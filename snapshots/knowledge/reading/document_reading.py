"""Reading a document."""

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.values import BlockKind, ParsedBlock, ParsedDocument


def read_document(content: bytes, content_type: str) -> ParsedDocument:
    """Return the content as text in blocks. Raises UnreadableDocumentError."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UnreadableDocumentError(UnreadableCode.ENCODING, "The content is not UTF-8.") from None
    if not text.strip():
        raise UnreadableDocumentError(UnreadableCode.EMPTY, "The document has no content.")
    blocks, start = [], 0
    for part in text.split("\n\n"):
        blocks.append(ParsedBlock(BlockKind.PARAGRAPH, part, (), None, start, start + len(part)))
        start += len(part) + 2
    title = text.split("\n", 1)[0].removeprefix("# ") if text.startswith("# ") else None
    return ParsedDocument(title, text, tuple(blocks))
