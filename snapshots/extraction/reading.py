"""Extraction with a model (E1): one structured question about several messages of one subject, no transaction open.

A model proposes and nothing more: what it found has to stand where it says, in words that the subject says as true and
for good, and goes through the same gate as what rules found. Rules read every message all the same.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from memory_platform.kernel.text import comparable, detect_language
from memory_platform.providers.chat_prompts import fence_rule, fenced, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt
from snapshots.extraction.categories import allergen_category, category_of
from snapshots.extraction.gate import judge
from snapshots.extraction.instructions import is_instruction
from snapshots.extraction.observe import Clause, observe
from snapshots.extraction.policy import EXTRACTION, READING, ExtractionPolicy
from snapshots.extraction.prompts import ANALYSE
from snapshots.extraction.rules import statement_of
from snapshots.extraction.values import (
    Candidate,
    Evidence,
    Extraction,
    PreferenceCandidate,
    ProfileFact,
    Reason,
    Rejection,
    Sort,
    TagCandidate,
    Utterance,
)
from snapshots.sensitive.detector import mask_sensitive

ALLERGIES = "allergies"
LISTS = frozenset({"likes", "dislikes", "avoid", ALLERGIES})
"""Keys of preferences that hold several values."""
_ORIGIN_CHARS = 64
_PEOPLE_EN = (
    r"(?:mum|mom|mother|dad|father|parents?|wife|husband|partner|spouse|girlfriend|boyfriend|sister|brother|siblings?|"
    r"sons?|daughters?|kids?|child|children|baby|aunt|uncle|cousin|niece|nephew|grand\w+|friends?|flatmate|roommate|"
    r"neighbou?rs?|boss|manager|colleagues?|co-?workers?|teacher|doctor|landlord|client|customer|guests?|ex)"
)
_SELF_EN = re.compile(rf"\b(?:I|me|myself|we|us|mine)\b|\b(?:my|our)\b(?! (?:[a-z]+ )?{_PEOPLE_EN}\b)", re.IGNORECASE)
_ANOTHER_EN = re.compile(
    rf"\W*(?:(?:my|our|his|her|their|your|the|a) (?:[a-z]+ )?{_PEOPLE_EN}|he|she|they|you)\b", re.IGNORECASE
)
_CONFIDENCE = {
    "explicit": EXTRACTION.explicit_confidence,
    "implicit": EXTRACTION.implicit_confidence,
    "change": EXTRACTION.change_confidence,
    "constraint": EXTRACTION.explicit_confidence,
}


class Found(BaseModel):
    """One thing that a model read. ``message`` is the number that the message has in the question."""

    message: int
    quote: str = Field(min_length=1, max_length=600)
    kind: Literal["profile", "preference", "tag"]
    sort: Sort = "explicit"
    field: str = ""
    category: str = ""
    key: str = ""
    value: str = ""
    replaces: str = ""
    label: str = ""
    address: str = ""
    phone: str = ""


class Findings(BaseModel):
    """A model's answer."""

    items: list[Found] = Field(max_length=64)


def read(model: ChatModel, spoken: Sequence[Utterance]) -> dict[str, list[Candidate]]:
    """Return what a model proposes, by message; what names a message that it was not shown is left out.

    No transaction may be open. Raises ChatUnavailable.
    """
    origin = f"{ANALYSE.version}:{model.name}"[:_ORIGIN_CHARS]
    proposed: dict[str, list[Candidate]] = {}
    for found in model.structured(question(spoken), Findings).value.items:
        if 1 <= found.message <= len(spoken):
            message = spoken[found.message - 1]
            proposed.setdefault(message.message_key, []).append(_candidate(found, message, origin))
    return proposed


def question(spoken: Sequence[Utterance]) -> ChatPrompt:
    """Return the question to a model: the messages by number, each in a fence that it cannot leave, secrets masked."""
    texts = [mask_sensitive(message.text[: READING.message_chars])[0] for message in spoken]
    language, nonce = detect_language("\n".join(texts)), new_nonce()
    shown = [f"{number}:\n{fenced(text, nonce)}" for number, text in enumerate(texts, start=1)]
    return ChatPrompt(f"{ANALYSE.text(language)}\n{fence_rule(language, nonce)}", "\n".join(shown))


def with_read(
    by_rules: Extraction,
    proposed: Sequence[Candidate],
    message: Utterance,
    *,
    own_names: frozenset[str],
    policy: ExtractionPolicy = EXTRACTION,
) -> Extraction:
    """Return what rules found and what a model proposed beside it, gated; what both found is what rules found."""
    if not proposed:
        return by_rules
    sentences = observe(message, policy=policy)
    fresh: list[Candidate] = []
    refused: list[Rejection] = []
    for candidate in proposed[: policy.max_candidates]:
        reason = reason_against_reading(candidate, message, sentences)
        if reason:
            refused.append(Rejection(reason, candidate.evidence, candidate))
        elif not _is_known(candidate, [*_found(by_rules), *fresh]):
            fresh.append(_stated(candidate, sentences))
    verdicts = judge(fresh, cited={message.message_key: message}, own_names=own_names, policy=policy)
    changes = [one for one in verdicts.accepted if _is_change(one)]
    others = [one for one in verdicts.accepted if not _is_change(one)]
    return Extraction(
        facts=(*by_rules.facts, *(one for one in others if isinstance(one, ProfileFact))),
        preferences=(*by_rules.preferences, *(one for one in others if isinstance(one, PreferenceCandidate))),
        tags=(*by_rules.tags, *(one for one in others if isinstance(one, TagCandidate))),
        corrections=(*by_rules.corrections, *(one for one in changes if not isinstance(one, TagCandidate))),
        rejections=(*by_rules.rejections, *refused, *verdicts.rejected),
    )


def reason_against_reading(candidate: Candidate, message: Utterance, sentences: list[list[Clause]]) -> Reason | None:
    """Return why a model's candidate may not go on to the gate, or None when it may.

    The gate asks whether the quote stands in the message; here it is asked what the words around it make of it, and
    whether the value is the subject's word or the model's.
    """
    around = [clause for clauses in sentences for clause in clauses if _overlaps(clause, candidate.evidence)]
    if candidate.evidence.start < 0 or not _is_in_words(candidate, message):
        return "evidence_missing"
    if any(is_instruction(clause.sentence) for clause in around):
        return "instruction"
    if not around or not all(clause.asserted for clause in around):
        return "not_asserted"
    if any(clause.one_off for clause in around):
        return "one_off"
    if not isinstance(candidate, TagCandidate) and any(map(_is_anothers, around)):
        return "not_the_subject"
    return None


def _is_anothers(clause: Clause) -> bool:
    """Return whether a clause speaks of another person; in English also where nothing in it speaks of the speaker."""
    if clause.language == "zh":
        return clause.subject == "other"
    return _ANOTHER_EN.match(clause.text) is not None or _SELF_EN.search(clause.sentence) is None


def _candidate(found: Found, message: Utterance, origin: str) -> Candidate:
    """Return a model's item as a candidate; what it lacks, the gate will miss. A model analyses: nobody confirmed."""
    quote = found.quote.strip()
    evidence = Evidence(message.message_key, quote, message.text.find(quote))
    provenance = "observation" if found.sort == "implicit" else "analysis"
    confidence = _CONFIDENCE[found.sort]
    value, replaces = found.value.strip(), found.replaces.strip() if found.sort == "change" else ""
    if found.kind == "profile":
        return ProfileFact(
            field=_name(found.field or found.key),
            value=value,
            evidence=evidence,
            mode="append" if _name(found.field or found.key) == "interests" else "overwrite",
            replaces=replaces or None,
            provenance=provenance,
            confidence=confidence,
            origin=origin,
        )
    if found.kind == "tag":
        return TagCandidate(
            label=found.label.strip(),
            kind="place" if found.address.strip() else "contact",
            evidence=evidence,
            address=found.address.strip() or None,
            phone=found.phone.strip() or None,
            provenance=provenance,
            confidence=confidence,
            origin=origin,
        )
    key = _name(found.key)
    listed = key in LISTS
    return PreferenceCandidate(
        category=allergen_category(value) if key == ALLERGIES else _name(found.category) or category_of(value),
        key=key,
        value=(value,) if listed and not replaces else value,
        statement="",
        mode="replace" if listed and replaces else "add" if listed else "set",
        sort=found.sort,
        evidence=evidence,
        replaces=replaces or None,
        provenance=provenance,
        confidence=confidence,
        origin=origin,
    )


def _name(said: str) -> str:
    return "_".join(said.lower().split())


def _stated(candidate: Candidate, sentences: list[list[Clause]]) -> Candidate:
    """Return a preference with the sentence that it was said in."""
    if not isinstance(candidate, PreferenceCandidate):
        return candidate
    first = next(clause for clauses in sentences for clause in clauses if _overlaps(clause, candidate.evidence))
    return replace(candidate, statement=statement_of(first))


def _overlaps(clause: Clause, evidence: Evidence) -> bool:
    end = clause.start + len(clause.text) - clause.shift
    return evidence.start < end and clause.start < evidence.start + len(evidence.quote)


def _is_in_words(candidate: Candidate, message: Utterance) -> bool:
    said = comparable(message.text)
    return all(comparable(value) in said for value in candidate.texts)


def _is_change(candidate: Candidate) -> bool:
    match candidate:
        case PreferenceCandidate():
            return candidate.sort == "change"
        case ProfileFact():
            return candidate.replaces is not None
        case TagCandidate():
            return False


def _is_known(candidate: Candidate, found: Sequence[Candidate]) -> bool:
    """Return whether something found says the same, or reads the same words at the same place in another way."""
    return any(
        _place(candidate) == _place(other)
        and (_same_words(candidate, other) or not set(candidate.texts).isdisjoint(other.texts))
        for other in found
    )


def _same_words(one: Candidate, other: Candidate) -> bool:
    mine, yours = one.evidence, other.evidence
    return mine.start < yours.start + len(yours.quote) and yours.start < mine.start + len(mine.quote)


def _place(candidate: Candidate) -> tuple[str, str]:
    match candidate:
        case ProfileFact():
            return "fact", candidate.field
        case PreferenceCandidate():
            return "preference", candidate.key or ""
        case TagCandidate():
            return "tag", comparable(candidate.label)


def _found(extraction: Extraction) -> Iterator[Candidate]:
    yield from extraction.corrections
    yield from extraction.facts
    yield from extraction.preferences
    yield from extraction.tags
