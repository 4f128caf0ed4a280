"""The people in one message: those it names, and those that "her number" or "my son" may mean."""

from collections.abc import Sequence

from snapshots.understanding.slots.implied_speaker import SlotText
from snapshots.understanding.slots.other_people_clauses import ClauseSubject, is_animal, is_same_relation
from snapshots.understanding.slots.pronouns import list_known_names, resolve_pronoun
from snapshots.understanding.slots.slot_patterns import LanguageWords
from snapshots.understanding.values import NearbyPeople, TagCandidate


class MessagePeople:
    """The people of one message, and those who were spoken of just before it. ``named`` holds the user's contacts that
    the message names, whatever else it tells about them."""

    def __init__(self, message: str, quoted: Sequence[tuple[int, int]], nearby: NearbyPeople) -> None:
        self.message = message
        self.quoted = quoted
        self.nearby = nearby
        self.people: list[TagCandidate] = []
        self.named: list[TagCandidate] = []

    def list_names(self) -> list[str]:
        return list_known_names((*self.nearby.contacts, *self.nearby.known_tags, *self.people))

    def resolve_pronoun(self, word: str, text: SlotText, words: LanguageWords) -> TagCandidate | None:
        """Return whom "her" means at the beginning of ``text``: somebody named in this message, else just before it."""
        before = [one for one in self.people if one.evidence.start < text.start + text.added]
        if before:
            since = max(sum((one.evidence.start, len(one.evidence.quote))) for one in before)
            return resolve_pronoun(word, before, self.message[since : text.start], words)
        said = f"{self.nearby.recent_text}\n{self.message[: text.start]}"
        return resolve_pronoun(word, self.nearby.contacts, said, words)

    def find_owner(self, person: ClauseSubject, text: SlotText, words: LanguageWords) -> TagCandidate | None:
        """Return the person that ``text`` is about; None where two may be meant, or nobody who is known."""
        if person.pronoun:
            return self.resolve_pronoun(person.pronoun, text, words)
        known = [*self.people, *self.nearby.contacts, *self.nearby.known_tags]
        if person.name:
            named = [one for one in known if person.name in list_known_names([one])]
            if named or not person.relation:
                return next(iter(named), None)
        same = [one for one in known if is_same_relation(person.relation, one.relation or "")]
        labels = {one.label for one in same}
        # With two sons, "my son" means neither of them. A person without a name is labelled by the relation.
        named = [one for one in same if one.label != one.relation]
        return next(iter(named or same), None) if len(labels - {person.relation}) <= 1 else None

    def add_mentioned(self, one: TagCandidate, words: LanguageWords, *, is_mine: bool) -> None:
        """Add somebody who is mentioned for the first time; a named one of the user's is a contact."""
        is_named = bool(one.aliases) or one.label != one.relation
        if not is_named:
            if words.is_in_list("occupations", one.relation or "") and not words.is_in_list(
                "roles", one.relation or ""
            ):
                return
            same = [other for other in self.people if other.relation == one.relation]
            self.people += [] if same else [one]
            return
        self.replace_nameless_person(one)
        start, end = one.evidence.span
        if not is_mine or any(first < end and start < last for first, last in self.quoted):
            return
        if not is_animal(one, words):
            self.named.append(one)

    def replace_nameless_person(self, contact: TagCandidate) -> None:
        """Put a contact in the place of a nameless person: "a coworker ... her name is Bettina"."""
        nameless = (contact.relation, ())
        self.people = [
            one for one in self.people if (one.label, one.aliases) != nameless and one.label != contact.label
        ]
        self.people.append(contact)
