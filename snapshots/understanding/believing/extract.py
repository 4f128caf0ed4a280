"""From one message to gated candidates, on one page: sentences, refusals, corrections and slots, gate. No model, no
I/O."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from snapshots.sensitive.detector import is_sensitive
from snapshots.understanding.believing.gate import judge, speaks_for_subject
from snapshots.understanding.believing.policy import EXTRACTION, ExtractionPolicy
from snapshots.understanding.correcting.corrections import changes_in, texts_gone, without_vaguer
from snapshots.understanding.correcting.parting import is_of, read_partings
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.reading.sentences import Sentence, split_sentences
from snapshots.understanding.slots.engine import read_slots
from snapshots.understanding.values import (
    Candidate,
    Extraction,
    ExtractionContext,
    PreferenceCandidate,
    ProfileFact,
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


def extract(utterance: Utterance, *, context: ExtractionContext, policy: ExtractionPolicy = EXTRACTION) -> Extraction:
    """Return the gated candidates of ``utterance``; none for words that are not the subject's own.

    A page with more than ``max_candidates`` candidates is a document: the rest is left to its statement.
    """
    if not speaks_for_subject(utterance, context.own_names):
        return Extraction()
    sentences = split_sentences(utterance, policy=policy)
    allowed, refused = refuse(utterance, sentences)
    stated = read_slots(utterance.text, context, message_key=utterance.message_key) if allowed else []
    candidates = without_vaguer(
        list(islice((one for said in allowed for one in analyse(said, stated, context)), policy.max_candidates))
    )
    verdicts = judge(candidates, cited={utterance.message_key: utterance}, own_names=context.own_names, policy=policy)
    return sort_out(verdicts.accepted, (*refused[: policy.max_candidates], *verdicts.rejected))


def refuse(utterance: Utterance, sentences: Sequence[Sentence]) -> tuple[list[Sentence], list[Rejection]]:
    """Leave out sentences that instruct the model, and report sentences with sensitive data (evidence masked)."""
    allowed, refused = [], []
    holds_sensitive = is_sensitive(utterance.text)
    for sentence in sentences:
        if is_instruction(sentence.text):
            refused.append(Rejection("instruction", sentence.evidence()))
            continue
        if holds_sensitive and is_sensitive(sentence.text):
            refused.append(Rejection("sensitive", sentence.evidence()))
        allowed.append(sentence)
    return allowed, refused


def analyse(sentence: Sentence, stated: Iterable[Candidate], context: ExtractionContext) -> list[Candidate]:
    """Return the candidates of one sentence: corrections and ends of current values, partings and deaths, and the slots
    ``stated`` in it."""
    start, end = sentence.start, sentence.start + len(sentence.text)
    # What stands beside a change is known by the words of their whole sentence.
    inside = [
        replace(one, statement=sentence.said) if isinstance(one, PreferenceCandidate) else one
        for one in stated
        if start <= one.evidence.start < end
    ]
    changes = changes_in(sentence, context.held)
    partings = read_partings(sentence, context.nearby.known)
    parted = [one for one in inside if isinstance(one, TagCandidate) and any(is_of(one, other) for other in partings)]
    inside = [one for one in inside if one not in parted]
    return [*changes, *partings, *(one for one in inside if not _gone(one, texts_gone(changes)))]


def _gone(one: Candidate, gone: Collection[str]) -> bool:
    """Return whether a change replaces a value that ``one`` only avoids: 不吃包子了,换成燕麦粥 does not forbid 包子,
    and "I don't want country any more" is no dislike.

    Strict limits ("never", allergies) stay.
    """
    if not isinstance(one, PreferenceCandidate) or one.key not in _SHUNNED or _MUST.search(one.statement):
        return False
    return any(value in old or old in value for value in one.texts for old in gone)


def sort_out(accepted: Sequence[Candidate], rejections: tuple[Rejection, ...] = ()) -> Extraction:
    facts = [c for c in accepted if isinstance(c, ProfileFact)]
    preferences = [c for c in accepted if isinstance(c, PreferenceCandidate)]
    return Extraction(
        facts=tuple(c for c in facts if not c.replaces),
        preferences=tuple(c for c in preferences if c.sort != "change"),
        tags=tuple(c for c in accepted if isinstance(c, TagCandidate)),
        corrections=(*(c for c in preferences if c.sort == "change"), *(c for c in facts if c.replaces)),
        rejections=rejections,
    )
