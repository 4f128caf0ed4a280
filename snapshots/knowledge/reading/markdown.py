"""Reads Markdown: headings, paragraphs, lists, tables and code as CommonMark finds them, with tables of GitHub."""

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.html import read_html_into
from snapshots.knowledge.values import BlockKind, ParsedDocument

_KINDS = {
    "paragraph_open": BlockKind.PARAGRAPH,
    "blockquote_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "table_open": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
}
# Bounds keep them linear: an opening bracket without an end is not searched to the end of the text.
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s{1,9}\"[^\"]{0,500}\")?\)|\[[^\[\]]{0,100}\])")
_FRONT_MATTER = re.compile(r"\A\ufeff?---[^\S\n]*\n(.{0,20000}?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[^\S\n]*[\"']?(.{1,300}?)[\"']?[^\S\n]*$", re.MULTILINE | re.IGNORECASE)
# Markup inside a paragraph that hides text: it is read as HTML then.
_HIDING = re.compile(r"<!--|<(?:script|style|template)\b|<[a-z][a-z0-9]{0,10}\s[^>]{0,300}(?:style\s*=|hidden)", re.I)
_QUOTE_MARK = re.compile(r"^[^\S\n]{0,3}>[^\S\n]?", re.MULTILINE)


def read_markdown(text: str) -> ParsedDocument:
    """Return the document; its title is that of the front matter (YAML), or the heading that it starts with."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front[1]) if front else None
    body = text[front.end() :] if front else text
    writer = BlockWriter()
    _write_tokens(body.split("\n"), _parser().parse(body), writer)
    return writer.make_document(title[1] if title else None)


def _write_tokens(lines: list[str], tokens: Sequence[Token], writer: BlockWriter) -> None:
    for index, token in enumerate(tokens):
        if token.level or not token.map or token.nesting < 0:
            continue
        if token.type == "heading_open":
            writer.add_heading(int(token.tag[1:]), _remove_link_targets(tokens[index + 1].content.strip(" #")))
            continue
        source = "\n".join(lines[token.map[0] : token.map[1]])
        kind = _KINDS.get(token.type)
        if token.type == "html_block":
            read_html_into(source, writer)
        elif kind is BlockKind.CODE:
            writer.add_block(kind, token.content)
        elif kind:
            _write_prose(kind, source, writer)


def _write_prose(kind: BlockKind, source: str, writer: BlockWriter) -> None:
    if _HIDING.search(source):
        read_html_into(source, writer, keeps_line_ends=True)
        return
    if kind is BlockKind.PARAGRAPH:
        source = _QUOTE_MARK.sub("", source)
    writer.add_block(kind, _remove_link_targets(source))


def _remove_link_targets(text: str) -> str:
    return _LINK.sub(r"\1", text) if "](" in text or "][" in text else text


@cache
def _parser() -> MarkdownIt:
    """Return a parser of blocks: marks inside a line stay as they were written."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline"])
    return parser
