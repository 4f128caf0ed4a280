"""Snapshots of conversations without a model: decisions, numbers and preferences, in the speakers' words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.reading.text_forms import estimate_tokens
from snapshots.understanding.statements.config import SUMMARY, SummaryConfig
from snapshots.understanding.statements.topics import CUES, find_topics, score_importance
from snapshots.understanding.values import ExtractiveDraft, Utterance

_SENTENCE = re.compile(r"(?P<said>[^.!?。！？\n]+)(?P<end>[.!?。！？]+|\n|$)")
_LONGEST_SENTENCE = 600
_HAN = re.compile(r"[\u3400-\u9fff]")
_USER_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    order: int
    score: float
    source: str


def draft_conversation_snapshot(
    messages: Sequence[Utterance], *, tool_called: bool, config: SummaryConfig = SUMMARY
) -> ExtractiveDraft | None:
    """Return the snapshot of a whole conversation; None if no tool was called or nothing is worth keeping."""
    return _build_extract("conversation", messages, config) if tool_called else None


def split_segments(messages: Sequence[Utterance], *, config: SummaryConfig = SUMMARY) -> list[Sequence[Utterance]]:
    """Return the segments of a conversation of more than ``segment_over_turns`` user turns, else none."""
    starts = [i for i, message in enumerate(messages) if message.role == "user"]
    if len(starts) <= config.segment_over_turns:
        return []
    cuts = [*starts[:: config.segment_turns], len(messages)]
    cuts[0] = 0
    return [messages[a:b] for a, b in pairwise(cuts)]


def draft_segment_snapshot(messages: Sequence[Utterance], *, config: SummaryConfig = SUMMARY) -> ExtractiveDraft | None:
    """Return the snapshot of one segment; None if nothing is worth keeping."""
    return _build_extract("segment", messages, config)


def _build_extract(kind: str, messages: Sequence[Utterance], config: SummaryConfig) -> ExtractiveDraft | None:
    chosen = _choose_within_budget(_score_sentences(messages), config)
    if not chosen:
        return None
    text, masked = mask_sensitive(" ".join(sentence.text for sentence in chosen))
    everything = "\n".join(message.text for message in messages if message.role in {"user", "assistant"})
    topics = find_topics(everything, config=config)
    return ExtractiveDraft(
        kind="segment" if kind == "segment" else "conversation",
        text=text,
        importance=score_importance(text, config=config),
        topics=topics,
        category=topics[0] if topics else None,
        sources=tuple(dict.fromkeys(sentence.source for sentence in chosen)),
        masked=masked,
    )


def _score_sentences(messages: Sequence[Utterance]) -> list[_Sentence]:
    """Score sentences of user and assistant by their cues; tool output and empty courtesies are left out."""
    found: list[_Sentence] = []
    for message in messages:
        if message.role not in {"user", "assistant"}:
            continue
        weight = _USER_WEIGHT if message.role == "user" else 1.0
        for match in _SENTENCE.finditer(message.text):
            text = (match["said"][-_LONGEST_SENTENCE:] + match["end"]).strip()
            if text and says_something(text):
                cues = sum(cue.search(text) is not None for cue in CUES)
                # A user's first sentence says what the conversation is about, cue or not.
                first = 1.0 if message.role == "user" and not found else 0.0
                found.append(_Sentence(text, len(found), weight * cues + first, message.message_key))
    return found


def _choose_within_budget(sentences: list[_Sentence], config: SummaryConfig) -> list[_Sentence]:
    """Choose the best sentences that fit whole, newest first among equals; return them in the order of the talk."""
    kept: list[_Sentence] = []
    tokens = han = 0
    for sentence in sorted(sentences, key=lambda s: (-s.score, -s.order)):
        cost, characters = estimate_tokens(sentence.text), len(_HAN.findall(sentence.text))
        fits = tokens + cost <= config.max_tokens and han + characters <= config.max_chars_zh
        if sentence.score > 0 and fits and len(kept) < config.max_sentences:
            kept.append(sentence)
            tokens, han = tokens + cost, han + characters
    return sorted(kept, key=lambda s: s.order)
