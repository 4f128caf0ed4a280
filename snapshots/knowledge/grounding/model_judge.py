"""Sentences judged by a chat model where the tenant has one: one question for all of them.

A model has to quote the passage that decides. A sentence that it does not answer, or whose quote stands in no passage,
keeps the judgement of the rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from memory_platform.kernel.text import detect_language, to_comparable
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable
from snapshots.knowledge.grounding.config import LIMITS, GroundingLimits
from snapshots.knowledge.grounding.prompts import GROUND


class SentenceVerdict(BaseModel):
    """A model's verdict on one sentence, and the words of the passage that show it."""

    sentence: int
    verdict: Literal["supported", "contradicted", "missing"]
    passage: int = 0
    quote: str = Field(default="", max_length=2_000)


class SentenceVerdicts(BaseModel):
    verdicts: list[SentenceVerdict] = Field(max_length=256)


@dataclass(frozen=True, slots=True)
class QuotedVerdict:
    """A model's verdict on a sentence. ``passage`` is the number of the passage, from 0; None where it found none."""

    is_supported: bool
    passage: int | None
    quote: str


def judge_sentences(
    model: ChatModel, sentences: Sequence[str], passages: Sequence[str]
) -> Mapping[int, QuotedVerdict] | None:
    """Return the verdicts by the number of the sentence, from 0; None when the model does not answer. No transaction
    may be open."""
    try:
        answer = model.ask_structured(build_question(sentences, passages), SentenceVerdicts).value
    except ChatUnavailable:
        return None
    comparable = [to_comparable(one) for one in passages]
    verdicts: dict[int, QuotedVerdict] = {}
    for one in answer.verdicts:
        number = one.sentence - 1
        if not 0 <= number < len(sentences):
            continue
        if one.verdict == "missing":
            verdicts.setdefault(number, QuotedVerdict(is_supported=False, passage=None, quote=""))
        elif _is_quoted(one, comparable):
            quoted = QuotedVerdict(one.verdict == "supported", one.passage - 1, one.quote)
            verdicts.setdefault(number, quoted)
    return verdicts


def build_question(sentences: Sequence[str], passages: Sequence[str], limits: GroundingLimits = LIMITS) -> ChatPrompt:
    """Return the prompt: sentences and passages by their numbers, each in a fence."""
    language = "zh" if detect_language("\n".join(sentences)) == "zh" else "en"
    nonce = new_nonce()
    shown = [
        f"{name} {number}:\n{fence_text(text[:most], nonce)}"
        for name, texts, most in (
            ("passage", passages, limits.passage_characters),
            ("sentence", sentences, limits.sentence_characters),
        )
        for number, text in enumerate(texts, 1)
    ]
    return ChatPrompt(f"{GROUND.text(language)}\n{fence_rule(language, nonce)}", "\n".join(shown))


def _is_quoted(verdict: SentenceVerdict, passages: Sequence[str]) -> bool:
    quote = to_comparable(verdict.quote)
    is_there = 1 <= verdict.passage <= len(passages)
    return is_there and any(map(str.isalnum, quote)) and quote in passages[verdict.passage - 1]
