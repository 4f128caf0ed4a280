"""``manage.py replay_policy`` tells what another version would have done, and what it cannot tell. Rows: T4."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import World
from tests.snapshots.policies.test_effective_policies import make
from tests.snapshots.policies.test_policy_replay import ask, fill


def run(*options: str) -> str:
    told = StringIO()
    call_command("replay_policy", *options, stdout=told)
    return told.getvalue()


def test_it_reports_in_words_and_as_json(world: World) -> None:
    fill(world.acme)
    make(world.acme, {"context": {"memory": 420, "query": 0, "summary": 0, "task": 0}}, activate=True)
    make(world.acme, {"context": {"memory": 150}, "scoring": {"keyword_own": 1}})
    receipt = ask(world.acme, 2, "green tea")
    words = run("--tenant", "acme", "--from", "2", "--to", "3")
    assert "1 receipts of version 2, 1 with memories to choose from." in words
    assert f"  {receipt.id}: enter none; leave " in words
    assert "what scoring.keyword_own does" in words
    told: dict[str, Any] = json.loads(run("--tenant", "acme", "--from", "2", "--to", "3", "--json", "--examples", "0"))
    assert (told["compared"], told["changed"]["count"], told["untold"]) == (1, 1, ["scoring.keyword_own"])
    assert told["examples"] == []
    assert "None of 0 receipts of version 3" in run("--tenant", "acme", "--from", "3", "--to", "2")


@pytest.mark.parametrize(
    "options",
    [
        ("--tenant", "nobody", "--from", "1", "--to", "1"),
        ("--tenant", "acme", "--from", "1", "--to", "9"),
        ("--tenant", "acme", "--from", "x", "--to", "1"),
        ("--tenant", "acme", "--from", "1", "--to", "1", "--receipts", "-1"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(world: World, options: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run(*options)
