"""From one message to gated candidates, on one page: sentences, refusals, corrections and slots, gate. No model, no
I/O."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from snapshots.sensitive.detector import is_sensitive
from snapshots.understanding.candidate_gate import gate_candidates, is_own_message
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.correcting.relationship_ends import find_parted_contacts, is_same_contact
from snapshots.understanding.correcting.value_correction_detection import (
    drop_vaguer_ends,
    find_corrections,
    list_old_texts,
)
from snapshots.understanding.reading.own_sentences import OwnSentence, split_own_sentences
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.slots.slot_reading import read_slots
from snapshots.understanding.values import (
    Candidate,
    Extraction,
    ExtractionContext,
    FactCandidate,
    PreferenceCandidate,
    Rejection,
    TagCandidate,
    Utterance,
)

# Part of the stable ids of candidates: another version may read another candidate from the same message.
EXTRACTOR_VERSION = "slots-2"

_SHUNNED = frozenset({"avoid", "dislikes"})
_MUST = re.compile(
    r"\b(?:never|can't|cannot|cant|allerg\w*|doctor|always|strictly)\b|不能|不可以|过敏|過敏|医生|醫生|永远|永遠|绝对|絕對|千万|千萬|怀孕",
    re.IGNORECASE,
)


def extract_candidates(utterance: Utterance, *, context: ExtractionContext) -> Extraction:
    """Return the gated candidates of ``utterance``; none for words that are not the subject's own. A page with more
    than ``max_candidates`` candidates is a document: the rest is left to its statement."""
    if not is_own_message(utterance, context.own_names):
        return Extraction()
    sentences = split_own_sentences(utterance)
    allowed, refused = refuse_sentences(utterance, sentences)
    stated = read_slots(utterance.text, context, message_key=utterance.message_key) if allowed else []
    candidates = drop_vaguer_ends(
        list(
            islice(
                (one for said in allowed for one in collect_sentence_candidates(said, stated, context)),
                EXTRACTION.max_candidates,
            )
        )
    )
    verdicts = gate_candidates(
        candidates, cited={utterance.message_key: utterance}, own_names=context.own_names, config=EXTRACTION
    )
    return group_candidates(verdicts.accepted, (*refused[: EXTRACTION.max_candidates], *verdicts.rejected))


def refuse_sentences(
    utterance: Utterance, sentences: Sequence[OwnSentence]
) -> tuple[list[OwnSentence], list[Rejection]]:
    """Leave out sentences that instruct the model, and report sentences with sensitive data (evidence masked)."""
    allowed, refused = [], []
    holds_sensitive = is_sensitive(utterance.text)
    for sentence in sentences:
        if is_instruction(sentence.text):
            refused.append(Rejection("instruction", sentence.build_evidence()))
            continue
        if holds_sensitive and is_sensitive(sentence.text):
            refused.append(Rejection("sensitive", sentence.build_evidence()))
        allowed.append(sentence)
    return allowed, refused


def collect_sentence_candidates(
    sentence: OwnSentence, candidates: Iterable[Candidate], context: ExtractionContext
) -> list[Candidate]:
    """Return the candidates of one sentence: corrections and ends of current values, partings and deaths, and the slots
    ``candidates`` in it."""
    start, end = sentence.start, sentence.start + len(sentence.text)
    # What stands beside a change is known by the words of their whole sentence.
    inside = [
        replace(one, statement=sentence.masked_words) if isinstance(one, PreferenceCandidate) else one
        for one in candidates
        if start <= one.evidence.start < end
    ]
    changes = find_corrections(sentence, context.current_values)
    partings = find_parted_contacts(sentence, context.nearby.known_tags)
    parted = [
        one
        for one in inside
        if isinstance(one, TagCandidate) and any(is_same_contact(one, other) for other in partings)
    ]
    inside = [one for one in inside if one not in parted]
    return [*changes, *partings, *(one for one in inside if not _is_replaced(one, list_old_texts(changes)))]


def _is_replaced(one: Candidate, old_texts: Collection[str]) -> bool:
    """Return whether a change replaces a value that ``one`` only avoids: 不吃包子了,换成燕麦粥 does not forbid 包子,
    and "I don't want country any more" is no dislike. Strict limits ("never", allergies) stay."""
    if not isinstance(one, PreferenceCandidate) or one.key not in _SHUNNED or _MUST.search(one.statement):
        return False
    return any(value in old or old in value for value in one.value_texts for old in old_texts)


def group_candidates(accepted: Sequence[Candidate], rejections: tuple[Rejection, ...] = ()) -> Extraction:
    facts = [c for c in accepted if isinstance(c, FactCandidate)]
    preferences = [c for c in accepted if isinstance(c, PreferenceCandidate)]
    return Extraction(
        facts=tuple(c for c in facts if not c.replaces),
        preferences=tuple(c for c in preferences if c.sort != "change"),
        tags=tuple(c for c in accepted if isinstance(c, TagCandidate)),
        corrections=(*(c for c in preferences if c.sort == "change"), *(c for c in facts if c.replaces)),
        rejections=rejections,
    )
