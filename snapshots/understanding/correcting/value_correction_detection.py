"""Find the current values that a sentence corrects or ends. Pure.

The patterns of ``ways.toml`` name the old and the new value; else a current value stands beside a word that denies it,
and the new one is left to slots and notes. The same holds when only a part of a value is named, unless the words change
places one for one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from profiles.services.quantities import have_same_unit, parse_quantity
from snapshots.understanding.changes.correction_grammar import CUE, CorrectionGrammar, load_grammar
from snapshots.understanding.changes.mentioned_people import is_only_about_another
from snapshots.understanding.changes.replacement_patterns import Replacement, find_replacements
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.correcting.correction_classifier import (
    LONGEST_READ,
    estimate_correction_probability,
    is_sure_correction,
    is_unlikely_correction,
)
from snapshots.understanding.correcting.relationship_ends import is_pet_gone
from snapshots.understanding.correcting.value_matching import (
    MatchLevel,
    correct_value,
    find_value,
    is_same_kind,
    match_value,
)
from snapshots.understanding.reading.own_sentences import OwnSentence
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.slots.value_checks import is_short, is_whole
from snapshots.understanding.values import AVOID, Candidate, CurrentValue, Evidence, PreferenceCandidate

# List marks at the head of a sentence belong to nobody's words.
_MARKS = " \t\n-*•>"
# Both sides of a correction stand within so many characters of the head of its sentence.
REACH = 260
# A longer message is a document, not a turn that corrects something.
LONGEST = 1_000
# Words that allow something stand within so many characters before it: "you can take the highway".
NEAR = 16
# From this probability on, a sentence corrects something even if no known value fits it.
NAMELESS = 0.7
# The longest new value, in words.
MOST_WORDS = 4
PETS = "pets"
# Values under these keys change only where they are named.
_OTHERS = frozenset({PETS, "interests", "address", "phone", "name"})
# Words that name nothing.
_POINTS = re.compile(
    r"(?:that|this|it|them|those|these)|我?(?:最近|近来|这阵子|现在|今年|这个月|那个|这个|它)", re.IGNORECASE
)
# From this probability on, a word of change beside a known value is enough.
LIKELY = 0.15


@dataclass(frozen=True, slots=True)
class _ParsedSentence:
    """A sentence in matching form, with the text that follows it in the message."""

    sentence: OwnSentence
    form: str
    grammar: CorrectionGrammar
    length: int

    @property
    def sentence_form(self) -> str:
        return self.form[: self.length]

    def is_users_own(self, place: int) -> bool:
        return not load_language(self.sentence.language).words.contains_any("others", self.form[:place])

    def may_mean(self, one: CurrentValue) -> bool:
        """Return whether the sentence may be about the owner of a value: "my sister is not vegetarian any more" says
        nothing about the user's own diet."""
        return one.is_others or not is_only_about_another(self.sentence_form)

    def quote_until(self, end: int) -> Evidence:
        """Return the sentence and the words after it up to ``end`` of the form, in the user's own words."""
        at = self.sentence.start
        said = self.sentence.utterance.text[at : at + max(self.length, end)]
        lead = len(said) - len(said.lstrip(_MARKS))
        return Evidence(self.sentence.utterance.message_key, said[lead:].strip(), at + lead)


def may_correct(text: str) -> bool:
    """Return whether ``text`` holds a word of correction. Cheap, and true for every text with a correction."""
    return len(text) <= LONGEST and CUE.search(fold_for_matching(text)) is not None


def find_corrections(sentence: OwnSentence, current_values: Sequence[CurrentValue] = ()) -> list[PreferenceCandidate]:
    """Return the corrections in a sentence: of the value in ``current_values`` that it names, else of the value that it
    calls wrong.

    Supposed, asked, reported and momentary sentences, and those about others, change nothing. A sentence that the
    classifier doubts only replaces a whole current value: "Not sable coffee, lilac plums".
    """
    read = _parse_sentence(sentence)
    if read is None:
        return []
    sides = [one for one in _find_replacements(read) if one[0] < read.length]
    if over := [*_find_pet_end(read, current_values), *_find_lifted_limits(read, current_values)]:
        return over
    if is_unlikely_correction(_choose_text_to_classify(read.sentence)):
        found = _find_named_replacement(
            read, [one for one in sides if one[3]], current_values, fits=(MatchLevel.WHOLE,)
        )
    else:
        found = _find_named_replacement(read, sides, current_values) or _find_denied_value_end(read, current_values)
        found = (
            found
            or _find_measure_change(read, current_values)
            or _find_kind_switch(read, current_values)
            or _find_unknown_value_change(read, sides)
        )
    return [found] if found else []


def _parse_sentence(first: OwnSentence) -> _ParsedSentence | None:
    text = first.utterance.text
    if len(text) > LONGEST or not CUE.search(first.text):
        return None
    rest = text[first.start : first.start + REACH]
    form = (first.text + fold_for_matching(rest[len(first.text) :]))[:REACH]
    grammar, sentence = load_grammar(first.language), form[: len(first.text)]
    once = grammar.momentary.search(sentence) and not grammar.lasting.search(sentence)
    if once or grammar.idle.search(sentence):
        return None
    return _ParsedSentence(first, form, grammar, len(first.text))


def _choose_text_to_classify(first: OwnSentence) -> str:
    text = first.utterance.text
    return text if len(text) <= LONGEST_READ else text[first.start :]


def _find_replacements(read: _ParsedSentence) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, old value and new value ("" for none) of each replacement."""
    for one in find_replacements(read.form, read.sentence.language):
        spans = [one.old, *([one.new] if one.new else [])]
        new = read.grammar.strip_lead_and_tail(_cut_text(read, one.new)) if one.new else ""
        old = read.grammar.strip_lead_and_tail(_cut_text(read, one.old))
        if old and not _POINTS.fullmatch(old):
            is_told = _is_whole_value(read, new) and not _has_other_verb(read, one)
            yield min(a for a, _ in spans), max(b for _, b in spans), old, new if is_told else ""


def _has_other_verb(read: _ParsedSentence, one: Replacement) -> bool:
    """Return whether the new side has a verb of its own that the old side lacks: "not vegetarian, I eat fish" names no
    diet."""
    if one.new is None:
        return False
    tells = read.grammar.tells
    said = tells.search(read.form[one.old[1] : one.new[0]]) or tells.match(read.form[slice(*one.new)])
    return said is not None and said["verb"].lower() not in read.form[: one.old[1]].lower()


def _is_whole_value(read: _ParsedSentence, new: str) -> bool:
    words = load_language(read.sentence.language).words
    if not new or read.grammar.empty.fullmatch(new):
        return False
    return is_short(new, longest=MOST_WORDS) and is_whole(new, words)


def _cut_text(read: _ParsedSentence, span: tuple[int, int]) -> str:
    at = read.sentence.start
    return read.sentence.utterance.text[at + span[0] : at + span[1]]


def _find_named_replacement(
    read: _ParsedSentence,
    sides: Sequence[tuple[int, int, str, str]],
    current_values: Sequence[CurrentValue],
    fits: Sequence[MatchLevel] = (MatchLevel.WHOLE, MatchLevel.PART),
) -> PreferenceCandidate | None:
    for fit in fits:
        for _, end, old, new in sides:
            meant = [
                one
                for one in current_values
                if match_value(old, one.text) is fit
                and read.may_mean(one)
                and ((new and one.limit != AVOID) or _may_end_limit(read, one, end))
            ]
            # A number does not take the place of what is no number: "1000 mg" is no medicine.
            is_number = parse_quantity(new) is not None and parse_quantity(old) is None
            meant = [one for one in _prefer_limits(read, meant) if not (is_number and parse_quantity(one.text) is None)]
            if len(meant) == 1 and not (new and match_value(new, meant[0].text) is not None):
                return _build_change(read, read.quote_until(end), meant[0], correct_value(meant[0], old, new, fit))
    return None


def _find_denied_value_end(read: _ParsedSentence, current_values: Sequence[CurrentValue]) -> PreferenceCandidate | None:
    """Return the end of the one current value beside a word that denies it; of several the longest."""
    if not current_values:
        return None
    share = estimate_correction_probability(_choose_text_to_classify(read.sentence))
    if not is_sure_correction(share) and not (share >= LIKELY and read.grammar.strong.search(read.form)):
        return None
    found: dict[CurrentValue, tuple[int, int]] = {}
    for one in filter(read.may_mean, current_values):
        places = (at for at in find_value(one.text, read.form) if at[0] < read.length)
        denied = next(
            (at for at in places if _may_end_limit(read, one, at[0]) and read.grammar.is_denied(read.form, *at)), None
        )
        if denied:
            found[one] = denied
    longest = max((end - start for start, end in found.values()), default=0)
    meant = _prefer_limits(read, [one for one, (start, end) in found.items() if end - start == longest])
    return _build_change(read, read.quote_until(found[meant[0]][1]), meant[0], "") if len(meant) == 1 else None


def _find_measure_change(read: _ParsedSentence, current_values: Sequence[CurrentValue]) -> PreferenceCandidate | None:
    """Return the new number of the one value with this unit: "change that to 23"."""
    said = read.grammar.measure.search(read.sentence_form)
    if said is None:
        return None
    meant = [one for one in current_values if parse_quantity(one.text) and have_same_unit(one.text, said["new"])]
    return _build_change(read, read.quote_until(said.end()), meant[0], said["new"].strip()) if len(meant) == 1 else None


def _find_kind_switch(read: _ParsedSentence, current_values: Sequence[CurrentValue]) -> PreferenceCandidate | None:
    """Return the replacement of the one current value of its kind: 换成华为了 where the phone is an iPhone."""
    said = read.grammar.switch.search(read.sentence_form)
    new = read.grammar.strip_lead_and_tail(next((one for one in said.groups() if one), "")) if said else ""
    if said is None or not _is_whole_value(read, new):
        return None
    meant = [one for one in current_values if not one.limit and one.key not in _OTHERS and is_same_kind(one.text, new)]
    return _build_change(read, read.quote_until(said.end()), meant[0], new) if len(meant) == 1 else None


def _find_pet_end(read: _ParsedSentence, current_values: Sequence[CurrentValue]) -> list[PreferenceCandidate]:
    pets = [one for one in current_values if one.key == PETS]
    gone = [one for one in pets if is_pet_gone(one.text, read.sentence_form, read.sentence.language)]
    return [_build_change(read, read.quote_until(read.length), gone[0], "")] if len(gone) == 1 else []


def _find_lifted_limits(read: _ParsedSentence, current_values: Sequence[CurrentValue]) -> list[PreferenceCandidate]:
    found = []
    for one in current_values:
        places = find_value(one.text, read.sentence_form) if one.limit == AVOID else []
        for start, end in places:
            if read.is_users_own(start) and read.grammar.frees.search(read.form[max(0, start - NEAR) : start]):
                found.append(_build_change(read, read.quote_until(end), one, ""))
                break
    return found


def _find_unknown_value_change(
    read: _ParsedSentence, sides: Sequence[tuple[int, int, str, str]]
) -> PreferenceCandidate | None:
    both = next((one for one in sides if one[3]), None)
    if both is None or estimate_correction_probability(_choose_text_to_classify(read.sentence)) < NAMELESS:
        return None
    _, end, old, new = both
    return _build_change(read, read.quote_until(end), CurrentValue("", old), new)


def _prefer_limits(read: _ParsedSentence, current_values: list[CurrentValue]) -> list[CurrentValue]:
    """Return the limits alone where the words lift one: somebody "not allergic to peanuts" may like them."""
    limits = [one for one in current_values if one.limit and read.grammar.lifts[one.limit].search(read.sentence_form)]
    return limits or current_values


def _may_end_limit(read: _ParsedSentence, one: CurrentValue, place: int) -> bool:
    lifts = read.grammar.lifts.get(one.limit)
    return lifts is None or (read.is_users_own(place) and lifts.search(read.sentence_form) is not None)


def _build_change(read: _ParsedSentence, evidence: Evidence, old: CurrentValue, new: str) -> PreferenceCandidate:
    return PreferenceCandidate(
        category=None,
        key=old.key or None,
        value=new or (old.text,),
        statement=read.sentence.masked_words,
        mode="replace" if new else "remove",
        sort="change",
        evidence=evidence,
        replaces=old.text if new else None,
        confidence=EXTRACTION.change_confidence,
    )


def drop_vaguer_ends(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without the mere end of a value that another sentence replaces."""
    right = {one.replaces for one in candidates if isinstance(one, PreferenceCandidate) and one.sort == "change"}
    ends = [one for one in candidates if isinstance(one, PreferenceCandidate) and one.sort == "change"]
    vaguer = [one for one in ends if one.mode == "remove" and one.value_texts[0] in right]
    return [one for one in candidates if one not in vaguer]


def list_old_texts(changes: Iterable[PreferenceCandidate]) -> list[str]:
    return [text for one in changes for text in ((one.replaces,) if one.replaces else one.value_texts)]
