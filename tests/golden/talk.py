"""Statement and correction as people say them, through the real pipeline: `corrections_in_talk.jsonl`.

Each line names what should be believed at its end: ``holds`` by key, field or ``tag LABEL`` (`` | `` parts what is
right, too), and ``lacks``, words that nothing believed may hold any more (``=WORDS``: no value may be just that).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memory_platform.kernel.text import to_comparable
from profiles.selectors import current_preferences, profile_facts, tags_of
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.snapshots.understanding.making import MONDAY, say, settle

Believed = list[tuple[str, str]]


def believed_after(house: House, row: Mapping[str, Any], *, settled: bool = True) -> Believed:
    """Post a statement, let it be learned, post its correction; return what is believed as (place, value).

    ``settled`` lets the worker read the correction, too; else the fast lane alone has.
    """
    say(house, row["said"], conversation=row["id"])
    settle(house)
    say(house, row["correction"], conversation=row["id"], at=MONDAY.replace(hour=10))
    if settled:
        settle(house)
    return list(list_beliefs(house))


def faults(row: Mapping[str, Any], believed: Believed) -> list[str]:
    """Return what is not as the line wants it."""
    missing = [
        f"{place}={wanted}"
        for place, wanted in row["holds"].items()
        if not any(_same(place, at) and to_comparable(value) in _either(wanted) for at, value in believed)
    ]
    return missing + [f"still {words}" for words in row["lacks"] if any(_holds_value(words, *one) for one in believed)]


def _either(wanted: str) -> list[str]:
    return [to_comparable(one) for one in wanted.split(" | ")]


def _same(one: str, other: str) -> bool:
    return to_comparable(one) == to_comparable(other)


def _holds_value(words: str, place: str, value: str) -> bool:
    if words.startswith("="):
        return to_comparable(words[1:]) == to_comparable(value)
    return to_comparable(words) in to_comparable(f"{place} {value}")


def list_beliefs(house: House) -> Iterator[tuple[str, str]]:
    """Yield all that is believed now as (place, value)."""
    with tenant_tx(house.tenant.id):
        for belief in current_preferences(house.subject):
            yield from ((belief.key, one) for one in _values(belief.value))
        for fact in profile_facts(house.subject):
            yield from ((fact.field, one) for one in _values(fact.value))
        for tag in tags_of(house.subject):
            yield from ((f"tag {tag.label}", one) for one in (tag.address, tag.phone) if one)


def _values(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
