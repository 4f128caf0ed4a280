"""Intent and phase by rules in English and Chinese, over golden sets. Rows: X2, X6, X7, R1."""

import time
from collections.abc import Mapping
from functools import cache

import pytest

from memory_platform.kernel.linear import Float32
from memory_platform.providers.registry import embedders
from snapshots.context.intent import PHASES, detect_intent, detect_phase, read_intent
from snapshots.context.intent_reader import INTENTS
from snapshots.recall.search import embed_question
from tests.golden.labels import rows, scores

PRECISION = 0.95
RECALL = 0.75


@cache
def vectors(text: str) -> Mapping[str, Float32]:
    """What recall makes of a question with the embedded models."""
    found, _ = embed_question(text, embedders("wordllama,use"))
    return found


def test_each_intent_is_read_precisely_and_mostly() -> None:
    wanted = rows("intents")
    assert len(wanted) >= 150
    found = scores(({detect_intent(row["text"], vectors(row["text"]))}, {row["intent"]}) for row in wanted)
    assert set(found) == set(INTENTS)
    assert not {n: s for n, s in found.items() if s.precision < PRECISION or s.recall < RECALL}


def test_each_phase_is_read_precisely_and_mostly() -> None:
    pairs: list[tuple[set[str], set[str]]] = []
    for row in rows("phases"):
        intent = detect_intent(row["text"], vectors(row["text"]))
        phase = detect_phase(row["text"], intent=intent, turns=row["turns"], tool_open=row["tool_open"])
        pairs.append(({phase}, {row["phase"]}))
    found = scores(pairs)
    assert set(found) == set(PHASES)
    assert not {n: s for n, s in found.items() if s.precision < PRECISION or s.recall < RECALL}


def test_a_greeting_before_a_request_does_not_hide_it() -> None:
    assert detect_intent("Hello! Navigate home please") == "navigation"
    assert detect_intent("你好,帮我订一张机票") == "task"
    assert detect_intent("Hello!") == "small_talk"


def test_the_reading_names_its_cue() -> None:
    assert read_intent("Can you recommend a film?").cue == "recommend"
    assert read_intent("The sky is blue.").cue == ""


@pytest.mark.parametrize("text", ["", " ", "\n", "🙂", "I wonder", "x" * 70_000, "what " * 14_000, "帮我" * 30_000])
def test_any_text_is_read_at_once(text: str) -> None:
    started = time.process_time()
    intent = detect_intent(text)
    assert detect_phase(text, intent=intent, turns=0) in PHASES
    assert time.process_time() - started < 0.1


def test_traditional_characters_are_read_too() -> None:
    assert detect_intent("導航回家") == "navigation"
    assert detect_intent("推薦一家火鍋店") == "recommendation"
