"""What was left out for lack of room names the section and the setting. Rows: G1, D2."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory_platform.console.explanation.section_limits import find_section_limits
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import PolicyVersion
from tests.conftest import House


@pytest.fixture
def acme(world: Any) -> Iterator[House]:
    with tenant_tx(world.acme.tenant.id):
        yield world.acme


def make_candidate(lane: str, reason: str = "over_budget", standing: str = "") -> dict[str, Any]:
    return {
        "memory_id": lane,
        "lane": lane,
        "decision_reason": reason,
        "tokens": 20,
        "standing": standing,
        "context_position": None,
    }


def find_limit(candidate: dict[str, Any], *sections: dict[str, Any], version: str = "1") -> tuple[str, str]:
    """Return the sentence and the name of the setting."""
    receipt = Receipt(policy_version=version, tokens={"budget": 6_000}, sections=list(sections))
    limit = find_section_limits(receipt, [candidate]).get(candidate["memory_id"])
    return (limit.text, limit.address.split("#")[1]) if limit else ("", "")


def make_section(name: str, tokens: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "tokens": tokens, "items": 1, "dropped": 1, **more}


@pytest.mark.parametrize(
    ("candidate", "section", "text", "setting"),
    [
        (
            make_candidate("preferences", standing="lasting"),
            make_section("profile", 590),
            "The profile section has at most 600 tokens; 590 are used.",
            "profile",
        ),
        (
            make_candidate("preferences", "below_floor"),
            make_section("profile", 590),
            "The profile section has at most 600 tokens; 590 are used.",
            "profile",
        ),
        (
            make_candidate("preferences", standing="lasting"),
            make_section("profile", 90),
            "The profile section has at most 600 tokens by the policy, unless the request says otherwise; 90 are used.",
            "profile",
        ),
        (
            make_candidate("snapshots"),
            make_section("memory", 2_190, room={"carried": 500, "free": 5_000, "grows": True}),
            "The memory section had room for 2200 tokens in this prompt; 2190 are used.",
            "memory",
        ),
        (
            make_candidate("snapshots"),
            make_section("memory", 50, room={"carried": 500, "free": 5_000, "grows": False}),
            "The request or its intent set the size of the memory section; 50 tokens are used.",
            "memory_by_intent",
        ),
        (
            make_candidate("snapshots"),
            make_section("memory", 50),
            "The section “memory” has 1700 tokens, and what other sections leave; 50 are used.",
            "memory",
        ),
        (
            make_candidate("tasks"),
            make_section("task", 50),
            "The section “task” has 500 tokens, and what other sections leave; 50 are used.",
            "task",
        ),
    ],
)
def test_a_full_section_is_named_with_its_setting(
    acme: House, candidate: dict[str, Any], section: dict[str, Any], text: str, setting: str
) -> None:
    assert find_limit(candidate, section) == (text, f"setting-context.{setting}")


def test_what_was_left_out_for_another_reason_names_no_section(acme: House) -> None:
    full = make_section("profile", 590)
    assert find_limit(make_candidate("snapshots", "below_floor"), full) == ("", "")
    assert find_limit(make_candidate("preferences", "expired"), full) == ("", "")
    assert find_limit(make_candidate("preferences", "below_floor"), {**full, "dropped": 0}) == ("", "")
    assert find_limit({**make_candidate("preferences"), "context_position": 1}, full) == ("", "")


@pytest.mark.parametrize("version", ["", "nine", "9" * 32, "7"])
def test_a_policy_version_that_nobody_has_names_no_setting(acme: House, version: str) -> None:
    assert find_limit(make_candidate("snapshots"), make_section("memory", 50), version=version) == ("", "")


def test_the_policy_of_the_answer_counts(acme: House) -> None:
    PolicyVersion.objects.create(number=2, document={"context": {"profile": 100}}, reason="tests", author="t")
    shown = find_limit(make_candidate("profile", standing="vital"), make_section("profile", 95), version="2")
    assert shown[0] == "The profile section has at most 100 tokens; 95 are used."
