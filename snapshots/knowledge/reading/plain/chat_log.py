"""Finds the turns of a chat in plain text: lines such as ``Ada: ...``, ``[10:02] 客服：...``."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snapshots.knowledge.config import CHAT_LOGS

_TIME = r"[\[(]?\d(?:[\d/.:, -]|(?<=\d)[年月日T]){3,24}(?:[AaPp][Mm]|Z)?[\])]?[^\S\n]{0,4}(?:[-–][^\S\n]{0,4})?"
_NAME = r"[^\W\d_][^\n:：,，;；!！?？。|<>{}=*#/\"“]{0,39}?"
_TURN = re.compile(rf"[^\S\n]{{0,12}}(?:{_TIME})?({_NAME})[^\S\n]{{0,4}}[:：](?:[^\S\n]|(?<=：)|(?=[^\x00-\x7f])|$)")
_ROLES = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "agent", "customer", "model"})
# Names of questions and answers, which are no chat.
_PAIRS = frozenset({"q", "a", "question", "answer", "问", "答", "问题", "回答", "答案"})


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A turn of a chat: who speaks, and its lines, the name before them."""

    speaker: str
    text: str


def find_turns(text: str) -> tuple[str, tuple[LoggedTurn, ...]] | None:
    """Return what stands before the first turn, and the turns; None for a text that is no chat. Linear."""
    lines = text.split("\n")
    starts = list(_list_starts(lines))
    if not starts or not _is_chat([name for _, name in starts], sum(bool(line.strip()) for line in lines)):
        return None
    ends = [*(at for at, _ in starts[1:]), len(lines)]
    turns = tuple(LoggedTurn(name, "\n".join(lines[at:end])) for (at, name), end in zip(starts, ends, strict=True))
    return "\n".join(lines[: starts[0][0]]), turns


def _list_starts(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each line that starts a turn, with the name; nothing if the text begins otherwise."""
    before = 0
    for at, line in enumerate(lines):
        turn = _TURN.match(line)
        if turn:
            before = -len(lines)
            yield at, " ".join(turn[1].split())
        else:
            before += bool(line.strip())
            if before > CHAT_LOGS.lines_before:
                return


def _is_chat(names: Sequence[str], lines: int) -> bool:
    """Return whether names come again and again, as those of fields or of notes in a text do not."""
    speakers = Counter(names)
    folded = {name.casefold() for name in speakers}
    if len(speakers) < 2 or folded <= _PAIRS:  # noqa: PLR2004  # a chat has two sides
        return False
    if folded <= _ROLES:
        return True
    if any(name.isascii() and name.islower() and name not in _ROLES for name in speakers):
        return False
    once = sum(count == 1 for count in speakers.values())
    return once <= CHAT_LOGS.once_share * len(speakers) and len(names) >= CHAT_LOGS.line_share * lines
