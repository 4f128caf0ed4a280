"""The README prints a context of 500 tokens; its lines are what the code brings of that life today, in their order and
each under its date. Rows: X1, G1."""

import re
from collections.abc import Sequence
from pathlib import Path

from pytest_django.fixtures import Settings

from lab.evaluation.contexts.lives import read_lives
from memory_platform.env.environment import Environment
from snapshots.context.writing.memory_guide import SIGNS
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.understanding.making import settle

ROOT = Path(__file__).resolve().parents[5]
ASKED = re.compile(r"<!-- printed: (\S+) (\d+) -->\n```text\n(.*?)\n```", re.S)
DAY = re.compile(r"\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:")
NONCE = re.compile(r'nonce="[a-z]+"')


def dated_lines(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return lines, each with the date that it stands under; "" where it stands under none."""
    dated, day = list[tuple[str, str]](), ""
    for line in lines:
        day = day if line.startswith(tuple(SIGNS.values())) else line if DAY.fullmatch(line) else ""
        dated.append((day, line))
    return dated


def test_the_readme_prints_what_the_code_brings(acme: Caller, world: World, settings: Settings) -> None:
    settings.EMBEDDER = Environment.model_fields["embedder"].default  # the product's own models, which tests do without
    [(wanted, budget, printed)] = ASKED.findall((ROOT / "README.md").read_text())
    lives = read_lives(ROOT / "tests" / "golden" / "lives" / "en.json").lives
    [(life, question)] = [(one, asked) for one in lives for asked in one.questions if asked.id == wanted]
    for session in life.sessions:
        where = f"/v1/subjects/ingrid/conversations/{session.id}"
        body_of(acme("POST", f"{where}/messages", {"messages": session.messages}))
        acme("POST", f"{where}/end", {})
        settle(world.acme)
    body = {"query": question.query, "at": question.at, "budget": {"total": int(budget)}}
    body |= {"conversation_id": "new", "system_prompt": "You are a helpful assistant."}
    answer = body_of(acme("POST", "/v1/subjects/ingrid/context", body))
    brought = [line for one in answer["messages"] for line in NONCE.sub('nonce="..."', one["content"]).splitlines()]

    lines, dated = dated_lines(printed.splitlines()), dated_lines(brought)
    assert len(lines) >= 8
    assert [line for line in lines if line not in dated] == [], "\n".join(brought)
    assert [line for line in dated if line in lines] == lines, "in the order of the context"
