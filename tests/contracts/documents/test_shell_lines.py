"""The shell lines of the pages work as they stand, one after another. Rows: D15, G1."""

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now

from snapshots.models import Work, WorkState
from tenants.isolation import tenant_tx
from tests.clients.python.conftest import lift_limits
from tests.conftest import House, World
from tests.contracts.documents.blocks import QUICK_PAGES, SLOW_PAGES, list_shell_lines
from tests.contracts.documents.shell import fit_lines, run_lines
from tests.memory_platform.api.conftest import Caller
from tests.serving import serve_app, working

# The first page waits until the database is made, which takes four minutes on a busy machine: not by its fault.
pytestmark = [pytest.mark.processes, pytest.mark.timeout(400, func_only=True)]
# What the pages have the reader set up before: the names of docs/api.md and docs/memory/tools.md.
API = 'api() { curl -s "$@" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json"; }\n'
SETTING = {page: [API] for page in ("docs/memory/notes.md", "docs/contexts/intent.md")} | {
    "docs/memory/tasks.md": ['API=$BASE/v1\ncall() { api "$@"; echo; }\n' + API],
    "docs/policies/experiments.md": [
        """curl -s $BASE/v1/policies -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
        -d '{"changes": {"recall": {"top_k": 5}}, "reason": "shorter"}'\n"""
    ],
    "docs/contexts/documents-in-answers.md": [*list_shell_lines("docs/contexts/documents.md")[:1], "sleep 1\n"],
    "docs/contexts/documents.md": ["mkdir handbook; echo '带薪年假二十天。' > handbook/leave.md\n"],
}
# Pages with a program that waits for the workers.
WAITING = {"docs/contexts/documents.md", "docs/contexts/documents-in-answers.md"}
# Words that the lines of a page print when they do what the page says.
PRINTED = {
    "README.md": ["allergic to peanuts", "my sister Ruth"],
    "README.zh.md": ["世纪大道100号", "泰山"],
    "docs/api.md": ["aisle", '"pending":0', "no_tool_call", '"scope":"subject"'],
    "docs/operations/audit.md": ["acme-1.jsonl: unchanged"],
    "docs/operations/care.md": ["acme:"],
    "docs/clients/coming-from.md": ["Ruth plays the cello."],
    "docs/cost.md": ["100000"],
    "docs/contexts/documents-in-answers.md": ["80 degrees", '"supported":false'],
    "docs/contexts/documents.md": ['"verdict":"stored"', "Tea guide", "1 new, 0 changed, 0 unchanged."],
    "docs/models/embedding.md": ["space"],
    "docs/policies/experiments.md": ["shorter prompts"],
    "docs/memory/feedback.md": ['"signal":"corrected"', '"signal":"negative"'],
    "docs/contexts/intent.md": ["model_route"],
    "docs/memory/notes.md": ["My son Theo is allergic to bees"],
    "docs/one-memory.md": ["aisle seats", '"user_feedback_signal":"positive"', "liked 0.90 -> 1.00"],
    "docs/policies/policies.md": ['"before":6000,"after":3000', "shipping_preference"],
    "docs/contexts/prompt-cache.md": ["anthropic"],
    "docs/memory/tasks.md": ["[completed] Find hotels", "a room to the courtyard"],
    "docs/webhooks.md": ['"secret":"whsec_'],
    "docs/memory/tools.md": ['"verdict":"stored"', "我该怎么称呼您", '"accepted":true'],
}


@pytest.fixture(scope="module")
def address(shared_world: World) -> Iterator[str]:
    """The platform over HTTP; acme may ask as often as it likes."""
    lift_limits(shared_world.acme)
    with serve_app() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def acme(shared_world: World) -> House:
    """The tenant whose key the lines have."""
    return shared_world.acme


@pytest.mark.parametrize("page", [*QUICK_PAGES, *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW_PAGES)])
def test_the_lines_of_a_page_work(page: str, address: str, acme: House, tmp_path: Path) -> None:
    with working(acme.tenant.id) if page in WAITING else nullcontext():
        said = run_lines(SETTING.get(page, []) + list_shell_lines(page), tmp_path, acme, address)
    assert [words for words in PRINTED[page] if words not in said] == [], said[-3000:]


def test_a_line_that_fails_is_found(address: str, acme: House, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not_found"):
        run_lines(['curl -s $BASE/v1/receipts/x -H "Authorization: Bearer $KEY"\n', "true\n"], tmp_path, acme, address)


def test_a_pause_lasts_until_work_that_comes_later_is_done(address: str, acme: House, tmp_path: Path) -> None:
    said = {"messages": [{"role": "user", "content": "I play the cello. 我住在苏州。"}]}
    posted = Caller(acme)("POST", "/v1/subjects/late/conversations/c1/messages", said)
    assert posted.status_code < 300, posted.content
    with tenant_tx(acme.tenant.id):
        assert Work.objects.filter(state=WorkState.READY).update(due_at=Now() + timedelta(seconds=1))
    asked = """curl -s $BASE/v1/subjects/late/recall -H "Authorization: Bearer $KEY" \\
        -H "Content-Type: application/json" -d '{"query": "Which instrument does she play?"}'\n"""
    assert "cello" in run_lines(["sleep 2\n", asked], tmp_path, acme, address)


def test_printed_ids_and_keys_become_real_ones() -> None:
    lines = "BASE=http://127.0.0.1:8000 KEY=mk_live_...; X=1\nTASK=01a203e1-e332-...   # the `id`\n"
    assert fit_lines(lines, "http://h:1") == "BASE=http://h:1 KEY=$KEY; X=1\nTASK=$(last_id)\n"
