"""Turns bytes into text: by the declared encoding, a byte order mark, UTF-8, or the declaration in an HTML page."""

import codecs
import re

from charset_normalizer import from_bytes

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HTML_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s{0,9}=\s{0,9}[\"']?([a-z0-9_-]{1,40})", re.IGNORECASE)
# What text of the two languages comes in when it is not UTF-8; guessing among all encodings finds exotic ones.
_GUESSED = ["gb18030", "big5", "cp1252"]
_GUESSED_FROM = 100_000
# Above this share of control characters, the content is no text. Source: `file` of Unix allows none but \t\n\f\b\e.
_MOST_CONTROL = 0.001
_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")


def decode_text(content: bytes, charset: str | None, *, is_html: bool = False) -> str:
    """Return the text of ``content``.

    Raises UnreadableDocumentError: ``document_encoding``, when it is in no known encoding or not in the one declared;
    ``document_binary``, when it is not text.
    """
    text = _decode(content, charset, is_html=is_html)
    if len(_CONTROL.findall(text)) > _MOST_CONTROL * len(text) + 1:
        raise UnreadableDocumentError(
            UnreadableCode.BINARY,
            "The content is not text: it holds control characters. Check which file was uploaded, and as what.",
        )
    return text


def _decode(content: bytes, charset: str | None, *, is_html: bool) -> str:
    if charset:
        return _decode_as(content, charset)
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode_as(content, encoding)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    named = _HTML_CHARSET.search(content[:4096]) if is_html else None
    if named:
        return _decode_as(content, named[1].decode())
    return _decode_guessed(content)


def _decode_as(content: bytes, charset: str) -> str:
    try:
        return str(content, charset)
    except (UnicodeError, LookupError, ValueError) as error:
        raise UnreadableDocumentError(
            UnreadableCode.ENCODING,
            "The content is not in the encoding that its content type or its first bytes name. Save it as UTF-8 and "
            "upload it again.",
        ) from error


def _decode_guessed(content: bytes) -> str:
    best = from_bytes(content[:_GUESSED_FROM], cp_isolation=_GUESSED).best()
    if best is not None:
        try:
            return content.decode(best.encoding)
        except UnicodeError:
            pass
    raise UnreadableDocumentError(
        UnreadableCode.ENCODING,
        "The encoding of the text cannot be told. Save it as UTF-8, or name the encoding: text/plain; charset=gb18030.",
    )
