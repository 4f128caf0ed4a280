"""Shortens a long conversation without a model: drops empty and repeated messages, and weighs the rest.

Pure. The earlier summary stands before the messages and competes with them line by line, so that early decisions are
not lost to later chat.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import collapse_spaces
from snapshots.sensitive.detector import mask_sensitive
from snapshots.summaries.config import RUNNING, RunningConfig
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.reading.text_folding import estimate_tokens
from snapshots.understanding.statements.topics import CUES
from snapshots.understanding.values import Utterance

_RE = load_patterns(Path(__file__).with_name("rule_summaries.toml"))

_VARIABLE = re.compile(r"\d+|0x[0-9a-f]+", re.IGNORECASE)
_CUT = "…"


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """One line of a summary: speaker, weight and place."""

    text: str
    weight: float
    order: int


def mask_and_filter_messages(messages: Sequence[Utterance]) -> list[Utterance]:
    """Return the messages, masked, with long tool output cut, without bare acknowledgements and repeated errors."""
    kept: list[Utterance] = []
    failed: set[str] = set()
    for message in messages:
        text = mask_sensitive(message.text.strip())[0]
        if not text or (message.role in {"user", "assistant"} and not says_something(text)):
            continue
        if message.role != "user" and _RE["error"].search(text):
            shape = _VARIABLE.sub("#", text)[: RUNNING.tool_chars]
            if shape in failed:
                continue
            failed.add(shape)
        if message.role == "tool" and len(text) > RUNNING.tool_chars:
            text = text[: RUNNING.tool_chars] + _CUT
        kept.append(Utterance(message.message_key, message.role, message.name, text, message.said_at, message.seq))
    return kept


def summarise_by_rules(so_far: str, messages: Sequence[Utterance], *, config: RunningConfig = RUNNING) -> str:
    """Return the summary of ``so_far`` and ``messages`` (shortened), within the budget of tokens; "" of nothing. All of
    it if it fits; else the lines with decisions, numbers, preferences or questions, the newest among equals."""
    lines = list(_split_lines(so_far, messages, config))
    if sum(estimate_tokens(line.text) for line in lines) <= config.budget:
        return "\n".join(line.text for line in lines)
    kept, left = [], config.budget
    for line in sorted(lines, key=lambda one: (-one.weight, -one.order)):
        cost = estimate_tokens(line.text)
        if cost <= left:
            kept.append(line)
            left -= cost
    return "\n".join(line.text for line in sorted(kept, key=lambda one: one.order))


def is_too_much_for_rules(so_far: str, messages: Sequence[Utterance]) -> bool:
    """Return whether the shortened conversation exceeds the budget by more than half of it: then a model is asked."""
    whole = estimate_tokens(so_far) + sum(estimate_tokens(message.text) for message in messages)
    return whole - RUNNING.budget > RUNNING.budget * RUNNING.over_share


def _split_lines(so_far: str, messages: Sequence[Utterance], config: RunningConfig) -> Iterator[SummaryLine]:
    order = 0
    for text in so_far.splitlines():
        if text.strip():
            yield SummaryLine(text.strip(), _weigh_line(text) + config.kept_before, order)
            order += 1
    for message in messages:
        who = collapse_spaces(message.name or "") or message.role
        for found in _RE["sentence"].finditer(message.text):
            text = " ".join(found.group().split())
            if text and (says_something(text) or message.role == "tool"):
                asked = 1.0 if message.role == "user" and text.endswith(("?", "？")) else 0.0
                own = config.user_weight if message.role == "user" else 1.0
                yield SummaryLine(f"{who}: {text[: config.line_chars]}", own * (_weigh_line(text) + asked), order)
                order += 1


def _weigh_line(text: str) -> float:
    return float(sum(cue.search(text) is not None for cue in CUES))
