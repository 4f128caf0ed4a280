"""Read slots out of a message: split it into clauses, leave out what is not meant, match rows, build candidates.

Right or silent: a clause that is asked, supposed, told of others' words, ironic or for this once gives nothing, and a
value that is not one whole phrase is none. The sentence is kept as a note elsewhere, so silence costs little.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import FILLING
from snapshots.understanding.reading import modality
from snapshots.understanding.reading.clauses import Clause, split_clauses
from snapshots.understanding.reading.forms import language_of, matching_form
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.slots.builders import CONFIDENCE, SLOTS, Said
from snapshots.understanding.slots.lexicon import Ask, Language, Row, Words, load_language
from snapshots.understanding.slots.persons import (
    Person,
    find_mentions,
    give_to,
    is_animal,
    is_same_relation,
    names_another,
)
from snapshots.understanding.slots.pronouns import known_names, meant_by
from snapshots.understanding.slots.speakers import Text, find_starts, spoken_parts
from snapshots.understanding.slots.transcripts import find_lines_of_others
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    ExtractionContext,
    PreferenceCandidate,
    ProfileFact,
    Quantity,
    TagCandidate,
)

LONGEST_READ = 2_000
"""Characters of a message that are read for slots: what is longer is a document."""
MOST_CLAUSES = 40
LONGEST_ANSWER = 120
LONGEST_AFTERTHOUGHT = 24
LONGEST_PAIR = 80
# Up to this confidence something is only guessed ("I think I like ..."): an observation.
HEDGED = 0.6
HEALTH = ("conditions", "medication", "allergies")
"""What is named by words of its own needs less certainty that it lasts."""
SAME_SLOT = {"job": "work_as", "occupation": "work_as", "work_at": "work_as", "city_any_case": "city"}
"""Names under which the same place is filled."""
GRADED_ORIGIN = "graded-1"
"""What read the candidates of rows that need a grade: a message is read a second time when it has been graded."""
ALONE = ExtractionContext()
"""Nothing is known but the message."""
_TAKEN = ("value", "occupation", "employer")
_EDGE = " ,.;:!\"'"


def read_slots(message: str, context: ExtractionContext = ALONE, *, message_key: str) -> list[Candidate]:
    """Return what a user's message surely says about the user, and about those named in it or just before.

    Of ``context`` it reads the assistant's turn before the message, and whom the user named in the turn before.
    """
    if len(message) > LONGEST_READ:
        return []
    clauses = split_clauses(message)
    if not clauses or len(clauses) > MOST_CLAUSES:
        return []
    form = matching_form(message)
    if modality.is_played(form):
        return []
    nearby = context.nearby
    others = find_lines_of_others(message, form, context.own_names, known_names((*nearby.contacts, *nearby.known)))
    reading = _Reading(message, message_key, [*modality.find_quoted(form), *others], context)
    sentences = [list(group) for _, group in groupby(clauses, key=lambda clause: clause.sentence)]
    for sentence, following in zip(sentences, [*sentences[1:], []], strict=True):
        reading.read_sentence(form, sentence, following)
    if context.previous and not reading.found:
        reading.read_answer(form, clauses, context.previous)
    return _merge_repeats(_drop_vaguer([*reading.found, *reading.named]))


def describe(candidates: Iterable[Candidate]) -> dict[str, Any]:
    """Return candidates as the ``gives`` of a row states them: place -> value."""
    told: dict[str, Any] = {}
    for one in candidates:
        match one:
            case ProfileFact(mode="append"):
                told.setdefault(one.field, []).append(one.value)
            case ProfileFact():
                told[one.field] = one.value
            case PreferenceCandidate():
                value = one.value
                place = f"{one.category}/{one.key}"
                shown = value.as_json() if isinstance(value, Quantity) else value
                told[place] = [*told.get(place, ()), *value] if isinstance(value, tuple) else shown
            case TagCandidate():
                details = {name: getattr(one, name) for name in ("relation", "phone", "address")}
                details["aliases"] = list(one.aliases)
                told[f"tag/{one.label}"] = {"kind": one.kind} | {k: v for k, v in details.items() if v}
    return told


class _Reading:
    """The reading of one message: what was found so far, and the contacts of whom "her number" may speak."""

    def __init__(
        self, message: str, message_key: str, quoted: list[tuple[int, int]], context: ExtractionContext
    ) -> None:
        self.message = message
        self.nearby = context.nearby
        self.graded = context.graded
        # What the sentence has filled: rows that need a grade, which come last, leave it alone.
        self.filled: set[str] = set()
        self.quoted = quoted
        self.message_key = message_key
        self.found: list[Candidate] = []
        self.people: list[TagCandidate] = []
        self.named: list[TagCandidate] = []
        self.names: list[str] = []

    def read_sentence(self, form: str, clauses: list[Clause], following: list[Clause]) -> None:
        """Read the rows of a sentence's language over the sentence, then over each of its clauses."""
        after = form[following[0].start : following[-1].end] if following else ""
        after = after if len(after) <= LONGEST_AFTERTHOUGHT else ""
        kind = clauses[0].language
        language, self.filled = load_language(kind), set()
        start, end = clauses[0].start, clauses[-1].end
        sentence = form[start:end]
        if modality.is_ironic(sentence) or is_instruction(sentence):
            return
        starts = find_starts(sentence, language.words)[:1]
        whole = Text(sentence, start, clauses[-1].asked, kind, sentence, 0, after, starts)
        # "Blue cheese? I can't bear it.": a short sentence and the one after it.
        close = following[-1].end if following and following[-1].end - start <= LONGEST_PAIR else end
        pair = Text(form[start:close], start, False, kind, form[start:close], 0, after, starts)
        for one, is_mine in find_mentions(self.message, form, start, end, language.words, self.message_key):
            self._meet(one, language.words, is_mine=is_mine)
        self.names = known_names((*self.nearby.contacts, *self.nearby.known, *self.people))
        parts = list(spoken_parts(sentence, start, clauses, language.words, after, self.names))
        for group in language.groups:
            filled = {slot for row in group.sentence_rows for slot in self._apply(row, whole, language)}
            filled |= {slot for row in group.pair_rows for slot in self._apply(row, pair, language)}
            for part in parts:
                self._read_clause(group.clause_rows, part, language, filled)

    def _read_clause(self, rows: Iterable[Row], part: Text, language: Language, filled: set[str]) -> None:
        done = set(filled)
        for row in rows:
            if row.family not in done:
                done |= self._apply(row, part, language)

    def _apply(self, row: Row, text: Text, language: Language) -> set[str]:
        """Add what ``row`` makes of ``text``; return the slots that it filled."""
        match = None
        slot = SAME_SLOT.get(row.family, row.family)
        if (row.of_others and text.person is None) or (row.is_graded and (not self.graded or slot in self.filled)):
            return set()
        for at in text.starts:
            match = match or row.pattern.match(text.form, at)
        if match is None or not _is_meant(row, text, match) or (row.unless and row.unless.search(text.sentence)):
            return set()
        first, last = text.start + max(match.start(), text.added), text.start + match.end()
        if any(start < last and first < end for start, end in self.quoted):
            return set()
        if row.is_graded and not self._lasts(row, last - 1, is_told=text.person is not None):
            return set()
        lacks_subject = (row.bare or text.is_bare) and not text.person
        around = _around_value(text, match) if row.is_graded else text.sentence
        if lacks_subject and names_another(around, language.words, self.names, unknown_too=row.is_graded):
            return set()
        spans = {name: match.span(name) for name, said in match.groupdict().items() if said}
        values = {name: self._words_at(text, *span) for name, span in spans.items()}
        values |= row.fixed
        built = self._build(row.slot, values, text, language, row)
        if built:
            self.filled.add(slot)
        return {row.family} if built else set()

    def _lasts(self, row: Row, place: int, *, is_told: bool) -> bool:
        """Return whether the reader of clauses finds that what stands at ``place`` lasts, and that it is the user's
        where nothing says whose it is (``is_told``)."""
        enough = FILLING.health_from if row.family in HEALTH else FILLING.lasting_from
        for one in self.graded:
            if one.start <= place < one.end:
                if row.family == "contact":
                    return one.lasting >= enough
                is_own = is_told or one.other < FILLING.other_below
                return one.lasting >= enough and is_own and not one.is_plan
        return False

    def _words_at(self, text: Text, start: int, end: int) -> str:
        """Return the message's words at a place of ``text``; of what nobody said, what was put there."""
        put = text.form[start : min(end, text.added)] if start < text.added else ""
        return put + self.message[text.start + max(start, text.added) : text.start + end]

    def _build(
        self,
        name: str,
        values: Mapping[str, str],
        text: Text,
        language: Language,
        row: Row | None = None,
    ) -> bool:
        slot = SLOTS[name]
        start, first = text.start - text.offset, text.start + text.added
        about = self._meant(values.get("who", ""), text, language.words) if values.get("about") else None
        owner = self._owner(text.person, text, language.words) if text.person else None
        if (values.get("about") and about is None) or (text.person and owner is None):
            return False
        said = Said(
            values=values,
            words=language.words,
            context=text.sentence,
            statement=mask_sensitive(self.message[start : start + len(text.sentence)].strip())[0],
            evidence=Evidence(self.message_key, self.message[first : text.start + len(text.form)], first),
            sort=(row.sort if row else None) or slot.sort,
            confidence=(row.confidence if row else None) or CONFIDENCE,
            about=about,
        )
        built = list(slot.build(slot, said))
        if owner is not None:
            for one in built:
                if isinstance(one, ProfileFact) and one.field == "name" and is_animal(owner, language.words):
                    self._learn_name(replace(owner, label=one.value))
            built = list(give_to(owner, built, language.words))
        if said.confidence <= HEDGED:
            built = [replace(one, provenance="observation") for one in built]
        if row and row.is_graded:
            built = [replace(one, origin=GRADED_ORIGIN) for one in built]
        for one in built:
            if isinstance(one, TagCandidate) and one.kind == "contact":
                self._learn_name(one)
        self.found += built
        return bool(built)

    def _meant(self, word: str, text: Text, words: Words) -> TagCandidate | None:
        """Return whom "her" means at the beginning of ``text``: somebody named in this message, else just before it."""
        before = [one for one in self.people if one.evidence.start < text.start + text.added]
        if before:
            since = max(sum((one.evidence.start, len(one.evidence.quote))) for one in before)
            return meant_by(word, before, self.message[since : text.start], words)
        said = f"{self.nearby.said}\n{self.message[: text.start]}"
        return meant_by(word, self.nearby.contacts, said, words)

    def _owner(self, person: Person, text: Text, words: Words) -> TagCandidate | None:
        """Return of whom ``text`` tells something; None where two may be meant, or nobody who is known."""
        if person.pronoun:
            return self._meant(person.pronoun, text, words)
        known = [*self.people, *self.nearby.contacts, *self.nearby.known]
        if person.name:
            named = [one for one in known if person.name in known_names([one])]
            if named or not person.relation:
                return next(iter(named), None)
        same = [one for one in known if is_same_relation(person.relation, one.relation or "")]
        labels = {one.label for one in same}
        # Of two sons none is meant by "my son"; whom nobody has named is called by the relation.
        named = [one for one in same if one.label != one.relation]
        return next(iter(named or same), None) if len(labels - {person.relation}) <= 1 else None

    def _meet(self, one: TagCandidate, words: Words, *, is_mine: bool) -> None:
        """Add somebody who is mentioned and was not yet; one of the user's with a name is a contact."""
        is_named = bool(one.aliases) or one.label != one.relation
        if not is_named:
            if words.has("occupations", one.relation or "") and not words.has("roles", one.relation or ""):
                return
            same = [other for other in self.people if other.relation == one.relation]
            self.people += [] if same else [one]
            return
        self._learn_name(one)
        start, end = one.evidence.span
        if not is_mine or any(first < end and start < last for first, last in self.quoted):
            return
        if not is_animal(one, words):
            self.named.append(one)

    def _learn_name(self, named: TagCandidate) -> None:
        """Put a contact in the place of whom it names: "a coworker ... her name is Bettina"."""
        nameless = (named.relation, ())
        self.people = [one for one in self.people if (one.label, one.aliases) != nameless and one.label != named.label]
        self.people.append(named)

    def read_answer(self, form: str, clauses: list[Clause], previous: str) -> None:
        """Read a bare answer to the question that the assistant asked last."""
        start, end = clauses[0].start, clauses[-1].end
        if end - start > LONGEST_ANSWER or clauses[-1].asked or clauses[-1].sentence != clauses[0].sentence:
            return
        asked = _last_question(matching_form(previous[-LONGEST_READ:]))
        if not asked:
            return
        language = load_language(clauses[0].language)
        sentence = form[start:end]
        for ask in load_language(language_of(asked)).asks:
            if ask.question.search(asked) and self._answers(ask, sentence, start, language):
                return

    def _answers(self, ask: Ask, sentence: str, start: int, language: Language) -> bool:
        lead = language.answer_lead.match(sentence)
        at = lead.end() if lead else 0
        tail = language.words.finder("answer_tail")
        end = tail.search(sentence, at) if tail else None
        said = sentence[at : end.start() if end else len(sentence)].strip(_EDGE)
        if not said or language.words.holds_any("no_answer", sentence[at:]):
            return False
        text = Text(sentence, start, False, "", sentence, 0)
        if modality.is_supposed(said, sentence) or modality.is_ironic(sentence) or modality.is_change(said):
            return False
        first = start + sentence.index(said, at)
        # "Utrecht, since last year": what follows the first comma may be beside the question.
        for part in dict.fromkeys((said, said.split(",")[0])):
            if ask.answer and not ask.answer.fullmatch(part):
                continue
            values = {"value": self.message[first : first + len(part)], **ask.fixed}
            if self._build(ask.slot, values, text, language):
                return True
        return False


def _around(row: Row, text: Text) -> str:
    """Return the words in which "today" silences a row: its clause, or the whole sentence of a wish or a limit."""
    return text.sentence if SLOTS[row.slot].of_the_sentence else text.form


def _own_words(text: Text) -> str:
    """Return the words that tell whether it is so: those of the whole sentence where its subject stands there."""
    return text.sentence if text.added else text.form


def _around_value(text: Text, match: re.Match[str]) -> str:
    """Return the sentence of ``text`` without what a row took out of it: a job may be called as somebody else."""
    taken = [said for name, said in match.groupdict().items() if said and name in _TAKEN]
    sentence = text.sentence
    for said in taken:
        sentence = sentence.replace(said, " ")
    return sentence


# Why a match may not be meant; a row may allow some of them by name.
_DOUBTS: Mapping[str, Callable[[Row, Text, int], bool]] = {
    "asked": lambda _, text, __: modality.is_asked(text.form, ends_asked=text.ends_asked, language=text.language),
    "supposed": lambda _, text, __: modality.is_supposed(_own_words(text), text.sentence),
    "change": lambda _, text, end: modality.is_change(text.form[:end]),
    "past": lambda _, text, __: modality.is_past(_own_words(text)),
    "for_now": lambda row, text, _: modality.is_for_now(_around(row, text)),
    "taken_back": lambda _, text, end: modality.is_taken_back(text.sentence, text.offset + end),
    "reported": lambda _, text, end: modality.is_reported(text.sentence, text.offset + end),
}


def _is_meant(row: Row, text: Text, match: re.Match[str]) -> bool:
    """Return whether a match is the user's own statement, and lasts as its slot wants it."""
    if row.needs_lasting and not modality.is_lasting(f"{text.sentence} {text.after}"):
        return False
    return not any(holds(row, text, match.end()) for doubt, holds in _DOUBTS.items() if doubt not in row.allow)


def _last_question(previous: str) -> str:
    """Return the question that ends an assistant's turn, "" where it ends without one."""
    text = previous.rstrip()
    if not text.endswith("?"):
        return ""
    body = text.rstrip("?")
    cut = max(body.rfind(mark) for mark in (". ", "! ", "? ", "\n", "。", "!", "?"))
    return body[cut + 1 :].strip().lower()


def _drop_vaguer(found: list[Candidate]) -> list[Candidate]:
    """Return candidates without the likes of clauses that gave a preference of their own ("I prefer short answers")."""
    named = {one.evidence for one in found if isinstance(one, PreferenceCandidate) and one.key != "likes"}
    facts = {one.value for one in found if isinstance(one, ProfileFact)}
    pets = [one.value for one in found if isinstance(one, ProfileFact) and one.field == "pets"]
    found = [one for one in found if not (isinstance(one, ProfileFact) and _is_in_another(one.value, pets))]
    return [
        one
        for one in found
        if not (isinstance(one, PreferenceCandidate) and one.key == "likes")
        or not (one.evidence in named or (isinstance(one.value, tuple) and facts & set(one.value)))
    ]


def _is_in_another(value: str, values: Iterable[str]) -> bool:
    return any(value != other and value in other for other in values)


def _drop_contradictions(found: list[Candidate]) -> list[Candidate]:
    """Return candidates without fields that one message gives two values: which of them holds is not certain."""
    values: dict[str, set[str]] = {}
    for one in found:
        if isinstance(one, ProfileFact) and one.mode == "overwrite":
            values.setdefault(one.field, set()).add(one.value)
    return [
        one
        for one in found
        if not isinstance(one, ProfileFact) or one.mode != "overwrite" or len(values[one.field]) == 1
    ]


def _same_person(one: TagCandidate, kept: Mapping[str, Candidate]) -> str | None:
    """Return the label under which somebody of the same name is kept already."""
    names = {one.label, *one.aliases}
    held = (other for other in kept.values() if isinstance(other, TagCandidate) and other.kind == one.kind)
    return next((other.label.lower() for other in held if names & {other.label, *other.aliases}), None)


def _merge_repeats(found: list[Candidate]) -> list[Candidate]:
    """Return candidates without repeats; the details of one contact or place come together."""
    kept: dict[str, Candidate] = {}
    for one in _drop_contradictions(found):
        match one:
            case ProfileFact():
                key = f"{one.field}|{one.value if one.mode == 'append' else ''}"
            case PreferenceCandidate():
                key = f"{one.category}|{one.key}|{one.value if one.mode == 'add' else ''}"
            case TagCandidate():
                key = f"tag|{one.kind}|{_same_person(one, kept) or one.label.lower()}"
        first = kept.get(key)
        if isinstance(first, TagCandidate) and isinstance(one, TagCandidate):
            kept[key] = replace(
                first,
                address=first.address or one.address,
                phone=first.phone or one.phone,
                relation=first.relation or one.relation,
                aliases=tuple(dict.fromkeys((*first.aliases, *one.aliases))),
            )
        elif first is None:
            kept[key] = one
    return list(kept.values())
