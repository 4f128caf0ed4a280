"""Find lines of a message that somebody else speaks, by the name before a colon: 小明:我住在上海."""

import re
from collections import Counter
from collections.abc import Collection, Iterator

from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.slots.value_checks import has_chinese, is_name

_LINE = re.compile(
    r"^[^\w\n]{0,3}(?P<label>[^\W\d_][^:\n]{0,20}?) ?:(?!//)(?P<says_i>\s{0,3}(?:I|[Mm]y|[Ww]e)(?:'\w{1,2})?\b)?[^\n]*",
    re.MULTILINE,
)


def find_other_speakers_lines(
    message: str, form: str, own: Collection[str], known: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield where others speak in a message; ``own`` are the names under which the subject speaks.

    A speaker is kin, one of the ``known`` people, a Chinese full name, or an English name that heads several lines, or
    one line that begins with "I" and is no heading: "Update: I live in Porto".
    """
    mine = {name.casefold() for name in own}
    lines = [(message[slice(*one.span("label"))], one) for one in _LINE.finditer(form)]
    heads = Counter(label for label, _ in lines)
    for label, line in lines:
        if label.casefold() not in mine and (label in known or _is_speaker(label, line, heads[label])):
            yield line.span()


def _is_speaker(label: str, line: re.Match[str], lines: int) -> bool:
    form, words = line["label"], load_language("zh" if has_chinese(label) else "en").words
    if words.is_in_list("kin", label.removeprefix("我").lower()):
        return True
    if not has_chinese(label):
        speaks = lines > 1 or (
            line["says_i"] is not None and not words.is_in_list("headings", label.split(maxsplit=1)[0])
        )
        return speaks and is_name(label, words)
    named = words.find_pattern("named")
    found = named.match(f"{form}:") if named else None
    return found is not None and found["name"] == form
