"""The text by which the console finds a subject: id, profile and tags in comparable form."""

from collections.abc import Iterator
from typing import Any

from memory_platform.kernel.text import to_comparable
from profiles.config import BELIEFS
from profiles.models import ProfileFact, Subject, Tag
from profiles.selectors import profile_facts, tags_of


def refresh_search_text(subject: Subject) -> None:
    """Update ``subject.search_text``; call it after changing profile or tags."""
    facts, tags = list(profile_facts(subject)), list(tags_of(subject))
    text = search_text_of(subject.external_id, facts, tags)
    subject.search_text = text
    Subject.objects.filter(id=subject.id).exclude(search_text=text).update(search_text=text)


def search_text_of(external_id: str, facts: list[ProfileFact], tags: list[Tag]) -> str:
    parts = [external_id]
    for fact in sorted(facts, key=lambda fact: (fact.is_attribute, fact.field)):
        parts += _list_words(fact.value)
    for tag in tags:
        parts += [tag.label, *tag.aliases, tag.relation, tag.address, tag.phone]
    return to_comparable(" ".join(part for part in parts if part))[: BELIEFS.search_text_chars]


def _list_words(value: Any) -> Iterator[str]:
    """Yield the words and numbers of a JSON value; staff search for numbers, too."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _list_words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _list_words(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
