"""What README.md and README.zh.md print: a talk, and lines of the context that the platform makes of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.evaluation.contexts.lives import Life, LifeQuestion, read_lives
from snapshots.context.writing.memory_guide import SIGNS
from tests.conftest import House
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.understanding.making import settle

ROOT = Path(__file__).parents[5]
LIVES = ROOT / "tests" / "golden" / "lives"
TURN_CHARS = 100
DAY = re.compile(r"(?:\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:|(?:\d{4}年)?\d{1,2}月\d{1,2}日：)")
NONCE = re.compile(r'nonce="[a-z]+"')


@dataclass(frozen=True, slots=True)
class ReadmePicture:
    """A question of a life. The README shows turns and lines of the context that hold one of these words; there is no
    room for all."""

    page: str
    lives: str
    question: str
    budget: int
    system_prompt: str
    turns: tuple[str, ...]
    lines: tuple[str, ...]
    left_out: str
    """Stands for the turns that are not shown; takes ``turns`` and ``tokens`` of the whole talk."""


PICTURES = (
    ReadmePicture(
        page="README.md",
        lives="en.json",
        question="en-ingrid-q6",
        budget=500,
        system_prompt="You are a helpful assistant.",
        turns=("pacemaker", "energiser", "Coeliac"),
        lines=(
            "Today is",
            "pacemaker",
            "Coeliac",
            "eyes",
            "put off to",
            "this phone",
        ),
        left_out="... {turns} turns of six talks, {tokens:,} tokens in all ...",
    ),
    ReadmePicture(
        page="README.zh.md",
        lives="zh.json",
        question="zh-xiaomin-q1",
        budget=500,
        system_prompt="你是一位贴心的助手。",
        turns=("乳胶", "片儿川，不要笋"),
        lines=("今天是", "乳胶", "哮喘", "职业", "不要笋", "10月5号", "从骨科去"),
        left_out="……六次对话共 {turns} 条消息，{tokens:,} 个 token ……",
    ),
)


def print_picture(picture: ReadmePicture, house: House, caller: Caller) -> dict[str, str]:
    """Return by mark what the README prints."""
    lives = read_lives(LIVES / picture.lives).lives
    [(life, question)] = [(one, asked) for one in lives for asked in one.questions if asked.id == picture.question]
    answer = ask_after(life, question, picture, house, caller)
    shown = [*_list_turns(life, picture), _shorten("user", question.query)]
    shown.insert(-1, picture.left_out.format(turns=len(life.turns), tokens=answer["tokens"]["full_history"]))
    made = [line for one in answer["messages"] for line in NONCE.sub('nonce="..."', one["content"]).splitlines()]
    lines = list(_keep_lines(made, picture.lines))
    missing = [word for word in picture.lines if not any(word in line for line in lines)]
    assert not missing, f"The context has no line with {missing}: choose others.\n" + "\n".join(made)
    return {"the talk": _as_block(shown), "the context": _as_block(lines)}


def ask_after(
    life: Life, question: LifeQuestion, picture: ReadmePicture, house: House, caller: Caller
) -> dict[str, Any]:
    """Post the life talk by talk, and return the context of the question."""
    subject = f"/v1/subjects/{picture.question}"
    for session in life.sessions:
        where = f"{subject}/conversations/{session.id}"
        body_of(caller("POST", f"{where}/messages", {"messages": session.messages}))
        caller("POST", f"{where}/end", {})
        settle(house)
    body = {"query": question.query, "at": question.at, "budget": {"total": picture.budget}}
    body |= {"conversation_id": "new", "system_prompt": picture.system_prompt}
    return body_of(caller("POST", f"{subject}/context", body))


def _list_turns(life: Life, picture: ReadmePicture) -> list[str]:
    said = [turn for session in life.sessions for turn in session.messages]
    return [
        _shorten(turn["role"], turn["content"])
        for turn in said
        if any(word in turn["content"] for word in picture.turns)
    ]


def _shorten(role: str, content: str) -> str:
    return f"{role}: {content if len(content) <= TURN_CHARS else content[:TURN_CHARS].rsplit(' ', 1)[0] + ' ...'}"


def _keep_lines(lines: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Yield the lines that hold one of the words, each under its date, and the tags around them."""
    day = ""
    for line in lines:
        if DAY.fullmatch(line):
            day = line
        elif any(word in line for word in words) and (line.startswith((*SIGNS.values(), "Today", "今天"))):
            yield from [day] if day else []
            yield line
            day = ""
        elif line.startswith(("<user_memory", "</user_memory")):
            yield line
            day = ""


def _as_block(lines: Sequence[str]) -> str:
    return "\n".join(["```text", *lines, "```"])
