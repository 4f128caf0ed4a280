"""Borders of sentences in English and Chinese."""

import re
from collections.abc import Iterator

from memory_platform.kernel.text import HAN, KANA

_UNSPACED = f"{HAN}{KANA}"
# Chinese marks end a sentence wherever they stand; those that NFKC makes ASCII do so beside Chinese characters. In
# other scripts a blank must follow, and a small letter after it goes on with the sentence.
_END = re.compile(
    r"(?:[。！？…｡]+|(?<=["
    + _UNSPACED
    + r"」』”’)\]])[!?;]{1,9}|[!?;]{1,9}(?=["
    + _UNSPACED
    + r"「『“]))[\"'”’」』)\]]{0,3}\s*"
    r"|[.!?]{1,9}[\"'”’)\]]{0,3}\s+(?=[^\sa-z])|\n+"
)
# A dot behind one of these ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Za-z]|e\.g|i\.e|cf|vs|etc|al|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Fig|Figs|Eq|Sec|Ch|Vol|pp|ed|approx|ca"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Inc|Ltd|Co)\.\s*$"
)
_ABBREVIATION_REACH = 12


def find_sentence_ends(text: str) -> Iterator[int]:
    """Yield where each sentence of ``text`` ends, blanks behind it included; the last one is ``len(text)``. Linear."""
    last = 0
    for found in _END.finditer(text):
        end = found.end()
        if found[0][0] == "." and _ABBREVIATION.search(text, max(last, end - _ABBREVIATION_REACH), end):
            continue
        if end > last:
            yield end
            last = end
    if last < len(text):
        yield len(text)
