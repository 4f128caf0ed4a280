"""Ways of saying as lists of lines: "text | value"; what stands behind "#" names the way."""

from tests.golden.blind import folded, found_in


def pairs(ways: str) -> list[tuple[str, str]]:
    """Return (text, value) of each line."""
    lines = [line for line in ways.splitlines() if line and not line.startswith("#")]
    return [(text.strip(), value.strip()) for text, _, value in (line.rpartition("|") for line in lines)]


def is_told(text: str, value: str) -> bool:
    """Return whether ``value`` is read from ``text``, as the golden sets compare values."""
    told = [each for entry in found_in(text) for each in (*entry.values, *entry.place, folded(entry.replaces or ""))]
    return any(each and (folded(value) in each or each in folded(value)) for each in told)


def silent(text: str) -> bool:
    """Return whether nothing is read from ``text``."""
    return not found_in(text)
