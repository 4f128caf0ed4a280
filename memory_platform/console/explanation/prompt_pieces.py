"""A prompt as it was sent, with the place of every candidate in it. Pure functions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from snapshots.receipts.values import RenderedPrompt


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A piece of a prompt; ``position`` of the candidate that it renders, None for other text."""

    text: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt in pieces; ``role`` is "" if the prompt is one text."""

    role: str
    pieces: tuple[PromptPiece, ...]
    name: str = ""
    tool_calls: Any = None


def split_prompt(rendered: RenderedPrompt) -> list[PromptMessage]:
    told = [str(message.get("content") or "") for message in rendered.messages] or [rendered.text or ""]
    pieces = [
        tuple(
            _split_text(
                text, sorted((start, end, one) for one, message, start, end in rendered.places if message == at)
            )
        )
        for at, text in enumerate(told)
    ]
    if not rendered.messages:
        return [PromptMessage("", pieces[0])] if rendered.text else []
    return [
        PromptMessage(str(message.get("role", "")), held, str(message.get("name") or ""), message.get("tool_calls"))
        for message, held in zip(rendered.messages, pieces, strict=True)
    ]


def _split_text(text: str, places: Iterable[tuple[int, int, int]]) -> Iterator[PromptPiece]:
    done = 0
    for start, end, position in places:
        if start > done:
            yield PromptPiece(text[done:start])
        yield PromptPiece(text[start:end], position)
        done = end
    if done < len(text):
        yield PromptPiece(text[done:])
