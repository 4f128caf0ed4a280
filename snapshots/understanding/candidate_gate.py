"""The gate: no candidate becomes a profile fact, preference or tag unless it is proven, the subject's own, and safe.

It judges candidates of patterns and of chat models alike. Duplicates and contradictions are left to the writer, who
knows the current beliefs.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from snapshots.sensitive.detector import find_sensitive, is_sensitive, is_sensitive_named, is_telephone
from snapshots.understanding.config import EXTRACTION, ExtractionConfig
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.values import (
    Candidate,
    FactCandidate,
    GateResult,
    PreferenceCandidate,
    Rejection,
    RejectionReason,
    TagCandidate,
    Utterance,
)

_KEY = re.compile(r"[\w-]{1,60}")
_LONGEST_PHONE = 30
# A value that begins with punctuation was cut out of two sentences. ".NET" was not.
_TORN = re.compile(r"\s*(?:[:;,!?、，。：；！？)）】~…]|\.(?!\w))|\s*\.[\u3400-\u9fff]")


def is_own_message(utterance: Utterance, own_names: frozenset[str]) -> bool:
    """Return whether the words are the subject's own: role user, and no name or one of ``own_names`` (any case)."""
    if utterance.role != "user":
        return False
    return utterance.name is None or utterance.name.casefold() in {name.casefold() for name in own_names}


def gate_candidates(
    candidates: Iterable[Candidate],
    *,
    cited: Mapping[str, Utterance],
    own_names: frozenset[str],
    config: ExtractionConfig = EXTRACTION,
) -> GateResult:
    """Split ``candidates`` into accepted and rejected. ``cited`` holds the batch's messages by key. The confidence of
    an accepted candidate is lowered to the ceiling of its provenance."""
    accepted: list[Candidate] = []
    rejected: list[Rejection] = []
    for candidate in candidates:
        reason = find_rejection_reason(candidate, cited=cited, own_names=own_names, config=config)
        if reason is None:
            ceiling = get_confidence_ceiling(candidate.provenance, config)
            accepted.append(replace(candidate, confidence=min(candidate.confidence, ceiling)))
        else:
            rejected.append(Rejection(reason, candidate.evidence, candidate))
    return GateResult(tuple(accepted), tuple(rejected))


def find_rejection_reason(
    candidate: Candidate,
    *,
    cited: Mapping[str, Utterance],
    own_names: frozenset[str],
    config: ExtractionConfig = EXTRACTION,
) -> RejectionReason | None:
    """Return why ``candidate`` may not become memory; None when it may."""
    message = cited.get(candidate.evidence.message_key)
    if message is None or not candidate.evidence.quote or candidate.evidence.quote not in message.text:
        return "evidence_missing"
    if not is_own_message(message, own_names):
        return "not_the_subject"
    if not _is_well_formed(candidate, config):
        return "schema"
    said = [candidate.evidence.quote, *candidate.value_texts]
    if any(is_instruction(fold_for_matching(text)) for text in said):
        return "instruction"
    return "sensitive" if is_sensitive_candidate(candidate) else None


def is_sensitive_candidate(candidate: Candidate) -> bool:
    """Return whether a value of ``candidate``, or the words that prove it, must not be learned.

    A contact's telephone number may be learned; a card number in its place, or a number that its sentence calls
    something else ("my card number is 4111 1111"), may not.
    """
    if isinstance(candidate, TagCandidate):
        phone = candidate.phone or ""
        told = [candidate.label, candidate.address or "", *candidate.aliases, "" if is_telephone(phone) else phone]
        return any(map(is_sensitive, told)) or _is_named_secret(candidate)
    place = (
        (candidate.field,) if isinstance(candidate, FactCandidate) else (candidate.category or "", candidate.key or "")
    )
    if any(map(is_sensitive, (candidate.evidence.quote, *place))):
        return True
    return any(is_sensitive_named(place[-1], text) for text in candidate.value_texts)


def _is_named_secret(tag: TagCandidate) -> bool:
    told, quote = [one for one in (tag.address, tag.phone) if one], tag.evidence.quote
    hidden = [quote[start:end] for start, end, kind in find_sensitive(quote) if kind != "card number"]
    return any(one in words or words in one for one in told for words in hidden)


def get_confidence_ceiling(provenance: str, config: ExtractionConfig = EXTRACTION) -> float:
    """Return the highest confidence that a provenance allows; an unknown provenance gets the lowest."""
    ceilings = {"confirmed_by_user": config.confirmed_ceiling, "analysis": config.analysis_ceiling}
    return ceilings.get(provenance, config.observation_ceiling)


def _is_well_formed(candidate: Candidate, config: ExtractionConfig) -> bool:
    texts = candidate.value_texts
    has_values = bool(texts) and all(text.strip() and len(text) <= config.max_value_chars for text in texts)
    if not (0.0 <= candidate.confidence <= 1.0 and has_values) or any(map(_TORN.match, texts)):
        return False
    match candidate:
        case FactCandidate():
            return _KEY.fullmatch(candidate.field) is not None
        case PreferenceCandidate():
            if candidate.category is None or candidate.key is None:
                return candidate.sort == "change" and candidate.category is None
            return bool(_KEY.fullmatch(candidate.category) and _KEY.fullmatch(candidate.key))
        case TagCandidate():
            return (
                bool(candidate.address or candidate.phone or candidate.aliases or candidate.relation)
                and len(candidate.phone or "") <= _LONGEST_PHONE
            )
