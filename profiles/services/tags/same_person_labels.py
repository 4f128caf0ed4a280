"""One person under several words: 老爸 is the known 爸爸, and an emergency contact may have a tag of their own."""

from collections.abc import Iterator
from dataclasses import replace

from memory_platform.kernel.text import to_comparable
from profiles.models import Subject, Tag, TagKind
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import tags_of
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.tag_label_words import list_synonyms

EMERGENCY = frozenset({"emergency contact", "紧急联系人"})
# Relatives of whom a person has only one, whatever their name.
_ONE_EACH = frozenset[str]().union(*map(list_synonyms, ("mum", "dad", "wife", "husband", "girlfriend", "boyfriend")))


def find_kin_label(subject: Subject, word: str) -> str:
    """Return the label of the one contact that a word for a relative means, in the open scope; the word itself if
    nobody or more than one fits."""
    contacts = list(tags_of(subject).filter(kind=TagKind.CONTACT))
    own = to_comparable(word)
    same = [tag for tag in contacts if to_comparable(tag.label) in list_synonyms(word) | {own}]
    known = [tag for tag in same if to_comparable(tag.label) == own] or same
    return known[0].label if len(known) == 1 else word


def update_emergency_number(subject: Subject, draft: TagDraft, tag: Tag) -> Iterator[Tag]:
    """Update an emergency contact with the new number of the same person's tag; yield the updated tags."""
    if not draft.details.get("phone") or tag.label in EMERGENCY:
        return
    for other in tags_of(subject).filter(kind=TagKind.CONTACT, label__in=EMERGENCY).exclude(phone=tag.phone):
        if other.phone and _is_same_person(tag, other):
            outcome = upsert_tag(subject, replace(draft, label=other.label, details={"phone": tag.phone}, id=None))
            if outcome.verdict is not Verdict.REJECTED:
                yield outcome.tag


def _is_same_person(tag: Tag, other: Tag) -> bool:
    names = {to_comparable(one) for one in (tag.label, *tag.aliases)}
    relation = to_comparable(other.relation)
    is_kin = relation in names | list_synonyms(tag.label)
    return bool(names & set(map(to_comparable, other.aliases))) or (
        is_kin and (not other.aliases or relation in _ONE_EACH)
    )
