"""Find words that a message reports as somebody else's: he said: "I live in Osaka", 他喊:我叫赵云!

After a third person with a verb of saying, the words behind a colon or in quotation marks are theirs, up to the closing
mark or the end of the sentence. A doctor's words that are not about the doctor are kept: they concern the user.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.reading.kin_words import KIN_WORDS

_RE = load_patterns(Path(__file__).with_name("data") / "reported_speech.toml", KIN_WORDS)


def find_reported_speech(form: str) -> Iterator[tuple[int, int]]:
    """Yield where a message (matching form) reports somebody else's own words; a quotation with a comment on it is one
    span.

    They stand behind a colon or in quotation marks: most messages have neither, and searching for the speaker is slow.
    """
    quotes = '"' in form
    patterns = [*([_RE["told"]] if quotes or ":" in form else []), *([_RE["told_before"]] if quotes else [])]
    for pattern in patterns:
        for found in pattern.finditer(form):
            start, end = _find_speech_span(found)
            said = form[start:end]
            if said.startswith('"') and form.count('"', 0, start) % 2:  # it closes a quotation
                continue
            if not _RE["advises"].search(form, found.start(), start) or _RE["speaks_of_self"].search(said):
                yield start, end
    for found in _RE["spoken_of"].finditer(form) if quotes else ():
        if _RE["speaks_of_self"].search(found["quoted"]) and not _RE["said_by_user"].search(found["rest"]):
            yield found.start("quoted"), found.end()


def _find_speech_span(match: re.Match[str]) -> tuple[int, int]:
    quoted = match.groupdict()["quoted"]
    if quoted is not None:
        return match.span("quoted")
    start, end = match.span("plain")
    stop = _RE["sentence_end_en"].search(match.string, start, end)
    return start, stop.start() if stop else end
