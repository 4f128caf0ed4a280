"""Find addresses of pages and files, also as people write them to pass a filter."""

import re

from memory_platform.kernel.text import index_form

# Ends of names of hosts. Where no path follows, those that are words are left out: "nuts.it says" only lacks a blank.
_ENDS = "com|net|org|edu|gov|info|biz|xyz|app|dev|online|link|click|icu|cc|io|ai|cn|ru|tk|ly|gg|eu|uk|de|fr|jp"
_BEFORE_PATHS = rf"(?:{_ENDS}|site|shop|live|club|top|store|page|zip|[a-z]{{2}})"
_LABEL = r"[a-z0-9\u00df-\uffef](?:[a-z0-9\u00df-\uffef-]{0,61}[a-z0-9\u00df-\uffef])?"
_HOST = rf"(?<![a-z0-9@_.-])(?:{_LABEL}\.){{1,6}}"
_HIDDEN_DOT = r"\s?[\[({]\s?(?:\.|dot)\s?[\])}]\s?"
_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}://|\bh(?:tt|xx)ps?\s?:\s?[/\\]"
    r"|\b(?:data|javascript|vbscript|mailto):\S"
    rf"|\bwww\d?(?:\s?\.\s?|{_HIDDEN_DOT})\w"
    rf"|{_HOST}(?:{_ENDS})\b(?!@|[.-]\w)|{_HOST}{_BEFORE_PATHS}(?::\d{{2,5}})?/\w"
    rf"|\b{_LABEL}{_HIDDEN_DOT}\w|\b[a-z0-9-]{{2,63}} dot (?:{_ENDS})\b"
    r"|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d|/\w)"
    r"|\]\([^)\s]{1,300}\)|<a\s|\bhref\s?=",
    re.ASCII,
)


def has_link(text: str) -> bool:
    """Return whether ``text`` holds the address of a page or file. Mail addresses do not count."""
    return _LINK.search(index_form(text).replace("。", ".")) is not None
