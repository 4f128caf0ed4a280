"""The snapshot of a conversation or segment in a model's words: facts, each with the messages that support it.

One unsupported fact discards the whole answer: then the extract of the speakers' own sentences is used.
"""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from memory_platform.kernel.text import detect_language
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt
from snapshots.summaries.config import RUNNING
from snapshots.summaries.prompts import DIGEST
from snapshots.summaries.rule_summaries import mask_and_filter_messages
from snapshots.summaries.running_summaries import is_supported_by
from snapshots.understanding.config import SUMMARY
from snapshots.understanding.reading.text_folding import estimate_tokens
from snapshots.understanding.statements.topics import score_importance
from snapshots.understanding.values import ExtractiveDraft, Utterance

_WORDS = {"zh": SUMMARY.max_chars_zh, "en": SUMMARY.max_tokens // 2}


class DigestFact(BaseModel):
    """One sentence and the numbers of the messages that support it."""

    text: str = Field(min_length=1, max_length=300)
    messages: list[int] = Field(min_length=1)


class Digest(BaseModel):
    """A model's answer."""

    facts: list[DigestFact] = Field(min_length=1, max_length=8)


def rewrite_with_model(
    drawn: ExtractiveDraft, messages: Sequence[Utterance], model: ChatModel
) -> ExtractiveDraft | None:
    """Return ``drawn`` in the model's words; None if they are not supported by the messages, or too many. ``messages``
    are those that ``drawn`` was drawn from. No transaction may be open. Raises ChatUnavailable."""
    told = mask_and_filter_messages(messages)
    facts = model.ask_structured(build_digest_prompt(told), Digest).value.facts
    text = " ".join(fact.text.strip() for fact in facts)
    if estimate_tokens(text) > SUMMARY.max_tokens * RUNNING.tolerated or not all(
        is_told_in_messages(fact, told) for fact in facts
    ):
        return None
    cited = sorted({number for fact in facts for number in fact.messages})
    sources = tuple(told[number - 1].message_key for number in cited)
    return replace(drawn, text=text, importance=score_importance(text), sources=sources, masked=0)


def build_digest_prompt(messages: Sequence[Utterance]) -> ChatPrompt:
    """Return the prompt: the messages by number, each in a fence that it cannot leave."""
    language = "zh" if detect_language("\n".join(message.text for message in messages)) == "zh" else "en"
    nonce = new_nonce()
    instructions = DIGEST.text(language).format(words=_WORDS[language])
    shown = [
        f"{number}. {message.name or message.role}:\n{fence_text(message.text, nonce)}"
        for number, message in enumerate(messages, start=1)
    ]
    return ChatPrompt(f"{instructions}\n{fence_rule(language, nonce)}", "\n".join(shown))


def is_told_in_messages(fact: DigestFact, messages: Sequence[Utterance]) -> bool:
    if not all(1 <= number <= len(messages) for number in fact.messages):
        return False
    return is_supported_by(fact.text, "", [messages[number - 1] for number in fact.messages])
