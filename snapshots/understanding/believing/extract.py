"""Extraction on one page: observe -> refuse -> changes and slots -> gate. No model, no I/O.

A sentence gives what it puts right or ends of what is held, and the slots that are read in it.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from snapshots.sensitive.detector import is_sensitive, mask_sensitive
from snapshots.understanding.believing.gate import judge, speaks_for_subject
from snapshots.understanding.believing.policy import EXTRACTION, ExtractionPolicy
from snapshots.understanding.correcting.corrections import changes_in, texts_gone, without_vaguer
from snapshots.understanding.reading.instructions import is_instruction, may_instruct
from snapshots.understanding.reading.sentences import Clause, observe, statement_of
from snapshots.understanding.slots.engine import read_slots
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    Extraction,
    ExtractionContext,
    HeldValue,
    PreferenceCandidate,
    ProfileFact,
    Rejection,
    TagCandidate,
    Utterance,
)

EXTRACTOR_VERSION = "slots-2"
"""Part of the stable ids of what is extracted: a new version may say something else about the same message."""

_SHUNNED = frozenset({"avoid", "dislikes"})
_MUST = re.compile(
    r"\b(?:never|can't|cannot|cant|allerg\w*|doctor|always|strictly)\b|不能|不可以|过敏|過敏|医生|醫生|永远|永遠|绝对|絕對|千万|千萬|怀孕",
    re.IGNORECASE,
)


def extract(utterance: Utterance, *, context: ExtractionContext, policy: ExtractionPolicy = EXTRACTION) -> Extraction:
    """Return what ``utterance`` teaches about the subject, gated; nothing for words that are not the subject's own.

    A page that teaches more than ``max_candidates`` things is a list to be read, not a person to be known: the rest is
    left to its statement.
    """
    if not speaks_for_subject(utterance, context.own_names):
        return Extraction()
    sentences = observe(utterance, policy=policy)
    allowed, refused = refuse(utterance, sentences)
    stated = read_slots(utterance.text, context, message_key=utterance.message_key) if allowed else []
    candidates = without_vaguer(
        list(
            islice(
                (one for clauses in allowed for one in analyse(clauses, stated, context.held)), policy.max_candidates
            )
        )
    )
    verdicts = judge(candidates, cited={utterance.message_key: utterance}, own_names=context.own_names, policy=policy)
    return _sorted(_once(verdicts.accepted), (*refused[: policy.max_candidates], *verdicts.rejected))


def refuse(utterance: Utterance, sentences: list[list[Clause]]) -> tuple[list[list[Clause]], list[Rejection]]:
    """Split off sentences that instruct the model, and report sentences that hold sensitive data (evidence masked)."""
    if not (may_instruct(utterance.text) or is_sensitive(utterance.text)):
        return sentences, []
    allowed, refused = [], []
    for clauses in sentences:
        said = clauses[0].sentence
        if is_instruction(said):
            refused.append(Rejection("instruction", _sentence_evidence(clauses[0])))
            continue
        if is_sensitive(said):
            refused.append(Rejection("sensitive", _sentence_evidence(clauses[0])))
        allowed.append(clauses)
    return allowed, refused


def analyse(clauses: list[Clause], stated: Iterable[Candidate], held: Sequence[HeldValue] = ()) -> list[Candidate]:
    """Return the candidates of one sentence: what it puts right or ends of what is ``held``, and what is ``stated``."""
    first = clauses[0]
    start, end = first.sentence_start, first.sentence_start + len(first.sentence)
    inside = [_with_sentence(one, first) for one in stated if start <= one.evidence.start < end]
    changes = changes_in(clauses, held)
    return [*changes, *(one for one in inside if not _gone(one, texts_gone(changes)))]


def _with_sentence(one: Candidate, clause: Clause) -> Candidate:
    """Return ``one`` with the words of its whole sentence: what stands beside a change is known by them."""
    return replace(one, statement=statement_of(clause)) if isinstance(one, PreferenceCandidate) else one


def _gone(one: Candidate, gone: Collection[str]) -> bool:
    """Return whether a change takes the place of what ``one`` only shuns: 不吃包子了,换成燕麦粥 forbids no 包子; what
    is only over is not disliked either ("I don't want country any more").

    What harms, and what is not to be at all, stays forbidden.
    """
    if not isinstance(one, PreferenceCandidate) or one.key not in _SHUNNED or _MUST.search(one.statement):
        return False
    return any(value in old or old in value for value in values_of(one) for old in gone)


def values_of(candidate: Candidate) -> set[str]:
    """Return the words that a candidate would bring into memory."""
    match candidate:
        case ProfileFact():
            return {candidate.value}
        case PreferenceCandidate():
            return set(candidate.value) if isinstance(candidate.value, tuple) else {str(candidate.value)}
        case TagCandidate():
            return {value for value in (candidate.address, candidate.phone, *candidate.aliases) if value}


def _sentence_evidence(clause: Clause) -> Evidence:
    start = clause.sentence_start
    quote = clause.utterance.text[start : start + len(clause.sentence)].strip()
    return Evidence(clause.utterance.message_key, mask_sensitive(quote)[0], start)


def _once(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """Return the candidates without repeats: the same thing said twice in one message is learned once."""
    seen: dict[str, Candidate] = {}
    for candidate in candidates:
        seen.setdefault(_identity(candidate), candidate)
    return list(seen.values())


def _identity(candidate: Candidate) -> str:
    match candidate:
        case ProfileFact():
            return f"fact|{candidate.field}|{candidate.value if candidate.mode != 'overwrite' else ''}"
        case PreferenceCandidate():
            return (
                f"{candidate.sort}|{candidate.category}|{candidate.key}|{candidate.mode}|"
                f"{candidate.value}|{candidate.replaces}"
            )
        case TagCandidate():
            return f"tag|{candidate.kind}|{candidate.label}|{candidate.address}|{candidate.phone}|{candidate.aliases}"


def _sorted(accepted: list[Candidate], rejections: tuple[Rejection, ...]) -> Extraction:
    facts = [c for c in accepted if isinstance(c, ProfileFact)]
    preferences = [c for c in accepted if isinstance(c, PreferenceCandidate)]
    return Extraction(
        facts=tuple(c for c in facts if not c.replaces),
        preferences=tuple(c for c in preferences if c.sort != "change"),
        tags=tuple(c for c in accepted if isinstance(c, TagCandidate)),
        corrections=(*(c for c in preferences if c.sort == "change"), *(c for c in facts if c.replaces)),
        rejections=rejections,
    )
