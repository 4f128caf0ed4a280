"""The contexts that docs/contexts/context-example.md prints: made from a journey's talk, with the receipt of each."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from snapshots.episodes.agent_tasks import begin_task
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.lifecycle.write_types import NewSnapshot
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.held import know
from tests.snapshots.lifecycle.world import create
from tests.snapshots.understanding.making import settle

PAGE = Path(__file__).parents[5] / "docs" / "contexts" / "context-example.md"
JOURNEY = json.loads((Path(__file__).parents[4] / "data" / "journey.json").read_text())
MINUTE = timedelta(minutes=1)
SETTLED_EVERY = 10
"""Messages after which workers have done what there is: between two turns a person takes longer than they do."""
BESIDE = ("intent", "phase", "model_route", "cache", "policy_version", "degraded_reason")
VARYING = re.compile(r"(?<=nonce=\")[a-z]{10}|…\w{6}|[0-9a-f]{64}")
"""What is another in every world: nonces, ids, hashes."""
NUMBER = re.compile(r"-?\d+\.\d+")


def print_context(house: House, caller: Caller, language: str) -> str:
    """Return what the page prints of one language: the request, the context whole, and its receipt."""
    life = JOURNEY[language]
    asked = life["asked"]
    live_through(house, life)
    answer = body_of(caller("POST", "/v1/subjects/ada/context", asked))
    receipt = body_of(caller("GET", f"/v1/receipts/{answer['receipt_id']}"))
    parts = [
        f"```json\n{as_json(asked)}\n```",
        f"```text\n{in_words(answer['messages'])}\n```",
        f"Beside the messages, shortened: `{as_json({name: answer[name] for name in BESIDE})}`",
        f"Sections as tokens; items, left out:\n\n{sections_of(answer)}",
        "### Its receipt",
        f"`GET /v1/receipts/{{receipt_id}}`, all candidates in their order:\n\n{candidates_of(receipt)}",
        f"One of them in full:\n\n```json\n{as_json(one_in_full(receipt))}\n```",
    ]
    return "\n\n".join(parts)


def live_through(house: House, life: dict[str, Any]) -> None:
    """Say the whole talk, store what is stored by hand, and begin the task: days before it is asked, and so long ago
    that recency tells none of it from the rest, on whichever day this runs."""
    know(house, valid_at=datetime.fromisoformat(life["known_since"]), **life["facts"])
    began = datetime.fromisoformat(life["said_from"])
    said = [
        IncomingMessage(role=role, content=content, said_at=began + number * MINUTE)
        for number, (role, content) in enumerate(life["turns"])
    ]
    for start in range(0, len(said), SETTLED_EVERY):
        with tenant_tx(house.tenant.id):
            accept_messages(house.subject, life["asked"]["conversation_id"], said[start : start + SETTLED_EVERY])
        settle(house)
    create(house, *(NewSnapshot(text, said_at=began + len(said) * MINUTE) for text in life["by_hand"]))
    with tenant_tx(house.tenant.id):
        begin_task(house.subject, life["task"]["goal"], life["task"]["plan"])


def in_words(messages: list[dict[str, Any]]) -> str:
    return "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in messages)


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def sections_of(answer: dict[str, Any]) -> str:
    """Return the sections as a table of one row."""
    cells = [f"{one['tokens']}; {one['items']}, {one['dropped']}" for one in answer["sections"]]
    tokens = answer["tokens"]
    names = [one["name"] for one in answer["sections"]]
    return table([*names, "total"], [[*cells, f"{tokens['total']} of {tokens['budget']}"]])


def candidates_of(receipt: dict[str, Any]) -> str:
    """Return the candidates as a table, ids by their ends."""
    columns = ["position", "lane", "kind", "score", "decision", "guardrail", "tokens", "memory"]
    rows = [
        [
            str(one["context_position"] or "–"),
            one["lane"],
            one["kind"],
            f"{abs(one['candidate_score']):.3f}",
            one["decision_reason"],
            one["guardrail_hit"] or "",
            str(one["tokens"]),
            f"…{one['memory_id'][-6:]}",
        ]
        for one in receipt["candidates"]
    ]
    return table(columns, rows)


def one_in_full(receipt: dict[str, Any]) -> dict[str, Any]:
    """Return the first memory that recall found, its id by its end."""
    found = next(one for one in receipt["candidates"] if one["lane"] == "snapshots")
    return {**found, "memory_id": f"…{found['memory_id'][-6:]}"}


def table(columns: list[str], rows: list[list[str]]) -> str:
    head, *body = (f"| {' | '.join(cells)} |" for cells in (columns, *rows))
    return "\n".join([head, "|" + "---|" * len(columns), *body])


def read_block(page: Path, mark: str) -> str:
    """Return what the page prints under the mark."""
    return _split_page(page, mark)[1]


def write_block(page: Path, mark: str, text: str) -> None:
    before, _, after = _split_page(page, mark)
    page.write_text(before + text + after, encoding="utf-8")


def comparable(text: str) -> tuple[list[str], list[str]]:
    """Return the lines without what is another in every world, figures among it: the prompt as it stands, and the
    candidates in one order, since equal scores have none."""
    masked = NUMBER.sub("*", VARYING.sub("*", text))
    prompt, _, receipt = masked.partition("### Its receipt")
    return prompt.splitlines(), sorted(receipt.splitlines())


def _split_page(page: Path, mark: str) -> tuple[str, str, str]:
    """Return the page before, between and after the mark and its end."""
    text, start = page.read_text(encoding="utf-8"), f"<!-- printed: {mark} -->\n"
    begin = text.index(start) + len(start)
    end = text.index("\n<!-- end -->", begin)
    return text[:begin], text[begin:end], text[end:]
