"""Unclear turns, judged by a model where the tenant has one: one question for several turns.

An unclear turn says nothing of any memory. A model may see more in it, but has to quote the words. A turn that it does
not answer, or whose words it cannot quote, stays unclear.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from memory_platform.kernel.text import detect_language, to_comparable
from memory_platform.providers.chat_prompts import fence_rule, fence_text, new_nonce
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable
from snapshots.feedback.config import JUDGING
from snapshots.feedback.reading.prompts import JUDGE
from snapshots.feedback.values import AnsweredTurn, TurnSense
from snapshots.sensitive.detector import mask_sensitive


class TurnVerdict(BaseModel):
    """A model's verdict on one turn, and the words that show it."""

    turn: int
    sense: Literal["confirm", "follow_up", "restate", "correct", "topic_change"]
    quote: str = Field(default="", max_length=600)


class TurnVerdicts(BaseModel):
    verdicts: list[TurnVerdict] = Field(max_length=64)


def is_unclear(turn: AnsweredTurn, sense: TurnSense) -> bool:
    return sense is TurnSense.UNCLEAR and any(character.isalnum() for character in to_comparable(turn.next or ""))


def judge_turns(model: ChatModel, turns: Sequence[AnsweredTurn]) -> dict[int, TurnSense]:
    """Return the senses of turns, by place, that a model names and quotes; none when it does not answer. No transaction
    may be open."""
    if not turns:
        return {}
    try:
        verdicts = model.ask_structured(build_question(turns), TurnVerdicts).value.verdicts
    except ChatUnavailable:
        return {}
    senses: dict[int, TurnSense] = {}
    for verdict in verdicts:
        place, quote = verdict.turn - 1, to_comparable(verdict.quote)
        is_quote = any(character.isalnum() for character in quote)
        if is_quote and 0 <= place < len(turns) and quote in to_comparable(turns[place].next or ""):
            senses.setdefault(place, TurnSense(verdict.sense))
    return senses


def build_question(turns: Sequence[AnsweredTurn]) -> ChatPrompt:
    """Return the prompt for a model: the turns by number, texts of others in fences, secrets masked."""
    language = "zh" if detect_language("\n".join(turn.next or "" for turn in turns)) == "zh" else "en"
    nonce = new_nonce()

    def part(name: str, text: str | None) -> str:
        return f"{name}:\n{fence_text(mask_sensitive(text[: JUDGING.chars])[0], nonce)}" if text else f"{name}: -"

    shown = [
        "\n".join([f"{number}.", part("question", turn.query), part("reply", turn.reply), part("next", turn.next)])
        for number, turn in enumerate(turns, start=1)
    ]
    return ChatPrompt(f"{JUDGE.text(language)}\n{fence_rule(language, nonce)}", "\n".join(shown))
