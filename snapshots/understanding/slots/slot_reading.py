"""Read slots from a message: split it into clauses, match rows, drop matches that are not meant, build candidates.

Right or silent: a clause that is asked, supposed, reported, ironic or momentary gives nothing, and a value must be one
whole phrase. The sentence is kept as a note anyway, so silence costs little.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import groupby

from memory_platform.kernel.text import remove_invisible
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.config import FILLING
from snapshots.understanding.reading import modality
from snapshots.understanding.reading.clauses import Clause, split_clauses
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
from snapshots.understanding.reading.vital_words import is_joke_allergy
from snapshots.understanding.slots.candidate_builders import CONFIDENCE, SLOTS, RowMatch
from snapshots.understanding.slots.implied_speaker import SlotText, find_row_starts, list_clause_texts
from snapshots.understanding.slots.merge_candidates import merge_candidates
from snapshots.understanding.slots.message_people import MessagePeople
from snapshots.understanding.slots.other_people_clauses import (
    assign_to_person,
    find_mentioned_contacts,
    is_animal,
    names_other_person,
)
from snapshots.understanding.slots.other_speakers_lines import find_other_speakers_lines
from snapshots.understanding.slots.pronouns import list_known_names
from snapshots.understanding.slots.slot_patterns import SlotLanguage, SlotQuestion, SlotRow, load_language
from snapshots.understanding.values import Candidate, Evidence, ExtractionContext, FactCandidate, TagCandidate

# A longer message is a document and is not read for slots. In characters.
LONGEST_READ = 2_000
MOST_CLAUSES = 40
LONGEST_ANSWER = 120
LONGEST_AFTERTHOUGHT = 24
# Up to this confidence something is only guessed ("I think I like ..."): an observation.
HEDGED = 0.6
# Health slots have words of their own, so they need less certainty that the clause lasts.
HEALTH = ("conditions", "medication", "allergies")
# Other names of the same slot.
SAME_SLOT = {"job": "work_as", "occupation": "work_as", "city_any_case": "city"}
# The origin of candidates of graded rows: a message is read a second time when its grades are known.
GRADED_ORIGIN = "graded-1"
# The context of a message without any.
ALONE = ExtractionContext()
_EDGE = " ,.;:!\"'"
_TAKEN = ("value", "occupation", "employer")


def read_slots(message: str, context: ExtractionContext = ALONE, *, message_key: str) -> list[Candidate]:
    """Return the certain candidates of a user's message, about the user and about people named in it or just before.
    ``context`` gives the assistant's turn before the message, and the people that the user named in the turn before."""
    if len(message) > LONGEST_READ:
        return []
    clauses = split_clauses(message)
    if not clauses or len(clauses) > MOST_CLAUSES:
        return []
    form = fold_for_matching(message)
    own = modality.measure_own_words(form)
    nearby = context.nearby
    others = find_other_speakers_lines(
        message, form, context.own_names, list_known_names((*nearby.contacts, *nearby.known_tags))
    )
    reading = _SlotReader(message, message_key, [*modality.find_quotations(form), *others, (own, len(form))], context)
    sentences = [list(group) for _, group in groupby(clauses, key=lambda clause: clause.sentence)]
    for sentence, following in zip(sentences, [*sentences[1:], []], strict=True):
        reading.read_sentence(form, sentence, following)
    if context.previous and not reading.found:
        reading.read_answer(form, clauses, context.previous)
    return merge_candidates([*reading.found, *reading.company.named])


# Slots that a denial may fill: "I've never liked marzipan".
DENYING = frozenset({"dislikes", "avoid"})


class _SlotReader:
    """Reads one message; ``found`` collects the candidates."""

    def __init__(
        self, message: str, message_key: str, quoted: list[tuple[int, int]], context: ExtractionContext
    ) -> None:
        self.message = message
        self.graded = context.graded
        # What the sentence has filled: rows that need a grade, which come last, leave it alone.
        self.filled: set[str] = set()
        self.quoted = quoted
        self.message_key = message_key
        self.found: list[Candidate] = []
        self.company = MessagePeople(message, quoted, context.nearby)
        self.names: list[str] = []

    def read_sentence(self, form: str, clauses: list[Clause], following: list[Clause]) -> None:
        after = form[following[0].start : following[-1].end] if following else ""
        after = after if len(after) <= LONGEST_AFTERTHOUGHT else ""
        kind = clauses[0].language
        language, self.filled = load_language(kind), set()
        start, end = clauses[0].start, clauses[-1].end
        sentence = form[start:end]
        if modality.is_ironic(sentence) or is_instruction(sentence):
            return
        starts = find_row_starts(sentence, language.words)[:1]
        whole = SlotText(sentence, start, clauses[-1].in_question, kind, sentence, 0, after, starts)
        for one, is_mine in find_mentioned_contacts(self.message, form, start, end, language.words, self.message_key):
            self.company.add_mentioned(one, language.words, is_mine=is_mine)
        self.names = self.company.list_names()
        parts = list(list_clause_texts(sentence, start, clauses, language.words, after, self.names))
        # Of hundreds of rows a dozen may match: the others are not tried.
        passing = {form: language.sieve.list_possible_rows(form) for form in {one.form for one in (whole, *parts)}}
        for group in language.groups:
            passed = [row for row in group.sentence_rows if row in passing[whole.form]]
            filled = {slot for row in passed for slot in self._apply_row(row, whole, language)}
            for part in parts:
                done = set(filled)
                for row in group.clause_rows:
                    if row in passing[part.form] and row.family not in done:
                        done |= self._apply_row(row, part, language)

    def _apply_row(self, row: SlotRow, text: SlotText, language: SlotLanguage) -> set[str]:
        match = None
        slot = SAME_SLOT.get(row.family, row.family)
        is_jested = row.family in HEALTH and is_joke_allergy(text.form)
        is_late = row.is_graded and (not self.graded or slot in self.filled)
        if is_jested or is_late or (row.of_others and text.person is None):
            return set()
        for at in text.starts:
            match = match or row.pattern.match(text.form, at)
        if (
            match is None
            or not is_meant_statement(row, text, match)
            or (row.unless and row.unless.search(text.sentence))
        ):
            return set()
        first, last = text.start + max(match.start(), text.added), text.start + match.end()
        if any(start < last and first < end for start, end in self.quoted):
            return set()
        if row.is_graded and not self._is_graded_lasting(row, text, last - 1, language):
            return set()
        lacks_subject = (row.bare or text.is_bare) and not text.person
        around = remove_value(text, match) if row.is_graded else text.sentence
        if lacks_subject and names_other_person(around, language.words, self.names, unknown_too=row.is_graded):
            return set()
        spans = {name: match.span(name) for name, said in match.groupdict().items() if said}
        values = {name: self._get_words_at(text, *span) for name, span in spans.items()}
        values |= row.fixed
        built = self._build_candidates(row.slot, values, text, language, row)
        if built:
            self.filled.add(slot)
        return {row.family} if built else set()

    def _is_graded_lasting(self, row: SlotRow, text: SlotText, place: int, language: SlotLanguage) -> bool:
        denied = language.words.find_pattern("denied") if row.family not in DENYING else None
        if denied is not None and denied.search(text.form):
            return False
        return self._has_lasting_grade(row, place, is_told=text.person is not None)

    def _has_lasting_grade(self, row: SlotRow, place: int, *, is_told: bool) -> bool:
        enough = FILLING.health_from if row.family in HEALTH else FILLING.lasting_from
        for one in self.graded:
            if one.start <= place < one.end:
                if row.family == "contact":
                    return one.lasting >= enough
                is_own = is_told or one.other < FILLING.other_below
                return one.lasting >= enough and is_own and not one.is_plan
        return False

    def _get_words_at(self, text: SlotText, start: int, end: int) -> str:
        """Return the message's words at a place of ``text``; for words that nobody said, the added subject."""
        put = text.form[start : min(end, text.added)] if start < text.added else ""
        return put + remove_invisible(self.message[text.start + max(start, text.added) : text.start + end])

    def _build_candidates(
        self,
        name: str,
        values: Mapping[str, str],
        text: SlotText,
        language: SlotLanguage,
        row: SlotRow | None = None,
    ) -> bool:
        slot = SLOTS[name]
        start, first = text.start - text.offset, text.start + text.added
        about = (
            self.company.resolve_pronoun(values.get("who", ""), text, language.words) if values.get("about") else None
        )
        owner = self.company.find_owner(text.person, text, language.words) if text.person else None
        if (values.get("about") and about is None) or (text.person and owner is None):
            return False
        said = RowMatch(
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
                if isinstance(one, FactCandidate) and one.field == "name" and is_animal(owner, language.words):
                    self.company.replace_nameless_person(replace(owner, label=one.value))
            built = list(assign_to_person(owner, built, language.words))
        if said.confidence <= HEDGED:
            built = [replace(one, provenance="observation") for one in built]
        if row and row.is_graded:
            built = [replace(one, origin=GRADED_ORIGIN) for one in built]
        for one in built:
            if isinstance(one, TagCandidate) and one.kind == "contact":
                self.company.replace_nameless_person(one)
        self.found += built
        return bool(built)

    def read_answer(self, form: str, clauses: list[Clause], previous: str) -> None:
        start, end = clauses[0].start, clauses[-1].end
        if end - start > LONGEST_ANSWER or clauses[-1].in_question or clauses[-1].sentence != clauses[0].sentence:
            return
        asked = _find_last_question(fold_for_matching(previous[-LONGEST_READ:]))
        if not asked:
            return
        language = load_language(clauses[0].language)
        sentence = form[start:end]
        for ask in load_language(detect_rule_language(asked)).asks:
            if ask.question.search(asked) and self._apply_question(ask, sentence, start, language):
                return

    def _apply_question(self, ask: SlotQuestion, sentence: str, start: int, language: SlotLanguage) -> bool:
        lead = language.answer_lead.match(sentence)
        at = lead.end() if lead else 0
        tail = language.words.find_pattern("answer_tail")
        end = tail.search(sentence, at) if tail else None
        said = sentence[at : end.start() if end else len(sentence)].strip(_EDGE)
        if not said or language.words.contains_any("no_answer", sentence[at:]):
            return False
        text = SlotText(sentence, start, False, "", sentence, 0)
        if modality.is_hypothetical(said, sentence) or modality.is_ironic(sentence) or modality.describes_change(said):
            return False
        first = start + sentence.index(said, at)
        # "Utrecht, since last year": what follows the first comma may be beside the question.
        for part in dict.fromkeys((said, said.split(",")[0])):
            shape = ask.answer.fullmatch(part) if ask.answer else None
            if ask.answer and shape is None:
                continue
            spans = {name: shape.span(name) for name, held in shape.groupdict().items() if held} if shape else {}
            named = {name: self.message[first + at : first + to] for name, (at, to) in spans.items()}
            values = {"value": self.message[first : first + len(part)], **named, **ask.fixed}
            if self._build_candidates(ask.slot, values, text, language):
                return True
        return False


def _find_last_question(previous: str) -> str:
    text = previous.rstrip()
    if not text.endswith("?"):
        return ""
    body = text.rstrip("?")
    cut = max(body.rfind(mark) for mark in (". ", "! ", "? ", "\n", "。", "!", "?"))
    return body[cut + 1 :].strip().lower()


def _find_scope_of_now(row: SlotRow, text: SlotText) -> str:
    return text.sentence if SLOTS[row.slot].of_the_sentence else text.form


def _find_statement_scope(text: SlotText) -> str:
    """Return the words that decide whether it is so: the whole sentence where its subject stands there."""
    return text.sentence if text.added else text.form


def remove_value(text: SlotText, match: re.Match[str]) -> str:
    """Return the sentence of ``text`` without the matched value: a job title may look like another person."""
    taken = [said for name, said in match.groupdict().items() if said and name in _TAKEN]
    sentence = text.sentence
    for said in taken:
        sentence = sentence.replace(said, " ")
    return sentence


# Why a match may not be meant; a row may allow some of them by name.
_DOUBTS: Mapping[str, Callable[[SlotRow, SlotText, int], bool]] = {
    "asked": lambda _, text, __: modality.is_question(text.form, ends_asked=text.ends_asked, language=text.language),
    "supposed": lambda _, text, __: modality.is_hypothetical(_find_statement_scope(text), text.sentence),
    "change": lambda _, text, end: modality.describes_change(text.form[:end]),
    "past": lambda _, text, __: modality.describes_past(_find_statement_scope(text)),
    "for_now": lambda row, text, _: modality.is_for_now(_find_scope_of_now(row, text)),
    "taken_back": lambda _, text, end: modality.is_taken_back(text.sentence, text.offset + end),
    "reported": lambda _, text, end: modality.is_reported(text.sentence, text.offset + end),
}


def is_meant_statement(row: SlotRow, text: SlotText, match: re.Match[str]) -> bool:
    if row.needs_lasting and not modality.is_lasting(f"{text.sentence} {text.after}"):
        return False
    return not any(holds(row, text, match.end()) for doubt, holds in _DOUBTS.items() if doubt not in row.allow)
