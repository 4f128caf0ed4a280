"""Lines of a message that somebody else speaks, by the name before a colon: 小明:我住在上海."""

import re
from collections import Counter
from collections.abc import Collection, Iterator

from snapshots.understanding.slots.lexicon import load_language
from snapshots.understanding.slots.values import is_chinese, is_name

_LINE = re.compile(r"^[^\w\n]{0,3}(?P<label>[^\W\d_][^:\n]{0,20}?) ?:(?!//)[^\n]*", re.MULTILINE)


def find_lines_of_others(message: str, form: str, names: Collection[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield who speaks in a line and where it stands.

    A speaker is kin, one of the people who are known (``names``), a Chinese surname with a name, or an English name
    that heads more lines than one: "Update: I live in Porto" looks like a name, too.
    """
    lines = [(message[slice(*one.span("label"))], one) for one in _LINE.finditer(form)]
    heads = Counter(label for label, _ in lines)
    for label, line in lines:
        if label in names or _names_speaker(label, line["label"], heads[label]):
            yield label, line.span()


def _names_speaker(label: str, form: str, lines: int) -> bool:
    words = load_language("zh" if is_chinese(label) else "en").words
    if words.has("kin", label.removeprefix("我").lower()):
        return True
    if not is_chinese(label):
        return lines > 1 and is_name(label, words)
    named = words.finder("named")
    found = named.match(f"{form}:") if named else None
    return found is not None and found["name"] == form
