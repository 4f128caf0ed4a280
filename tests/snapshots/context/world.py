"""Ada, a subject of acme, and what the platform holds of her, as the context room receives it."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from memory_platform.providers.contracts import TokenCounter
from memory_platform.providers.token_estimator import CachedTokenCounter, TokenEstimator
from profiles.prompt_lines import TagParts
from snapshots.context.assemble_context import assemble_context
from snapshots.context.choosing.profile_facts import (
    FactCertainty,
    make_preference_fact,
    make_profile_fact,
    make_tag_fact,
)
from snapshots.context.config import ContextPolicy
from snapshots.context.values import (
    AssembledContext,
    BudgetRequest,
    ContextMaterial,
    ContextRequest,
    ContextTurn,
    MemoryItem,
    Passage,
    SectionName,
    StandingProfile,
)

COUNTER = TokenEstimator()
# As in the product: most pieces of a test's contexts have been counted for another one.
REMEMBERING = CachedTokenCounter(COUNTER, 4_096)
NONCE = "qjwmzkxtbv"
SINCE = datetime(2026, 1, 2, 9, 30, tzinfo=UTC)
SURE = FactCertainty(1.0, "confirmed_by_user", SINCE)
SEEN = FactCertainty(0.6, "observation", SINCE)

ADA = StandingProfile(
    locale="en-GB",
    fields=(make_profile_fact("name", "Ada", SURE), make_profile_fact("interests", ["chess", "tea"], SEEN)),
    attributes=(make_profile_fact("city", "London", SEEN),),
    preferences=(make_preference_fact("p-1", ("food", "allergies"), ["peanuts"], SURE),),
    tags=(make_tag_fact("t-1", TagParts("家", "place", address="上海市浦东新区世纪大道100号"), SURE),),
)
NOBODY = StandingProfile()


def memory(number: int, text: str | None = None, **more: Any) -> MemoryItem:
    """Return snapshot ``number``; lower numbers score higher."""
    values: dict[str, Any] = {
        "lane": "snapshots",
        "id": f"m-{number}",
        "kind": "statement",
        "text": text or f"Ada once told story {number} about her garden",
        "confidence": 0.6,
        "provenance": "observation",
        "score": 1 - number / 1000,
        "valid_since": SINCE,
    }
    return MemoryItem(**(values | more))


def turns(count: int, text: str = "We talked about the weather") -> tuple[ContextTurn, ...]:
    """Return ``count`` turns, user and assistant in turn, oldest first."""
    return tuple(ContextTurn(f"k-{n}", ("user", "assistant")[n % 2], f"{text}, turn {n}") for n in range(count))


def passage(lane: str, number: int = 0, text: str = "Something to read, of middling length") -> Passage:
    """Return passage ``number`` of ``lane``; lower numbers score higher."""
    return Passage(lane=lane, id=f"{lane}-{number}", text=f"{text} {number}", score=1 - number / 1000)  # type: ignore[arg-type]  # lane comes from the test


def context(
    material: ContextMaterial | None = None,
    query: str = "Where do I live?",
    policy: ContextPolicy | None = None,
    counter: TokenCounter = REMEMBERING,
    **request: Any,
) -> AssembledContext:
    """Assemble a context of ``material`` with the fixed nonce."""
    asked = ContextRequest(query, **request)
    return assemble_context(asked, material or ContextMaterial(), counter=counter, nonce=NONCE, policy=policy)


def within(total: int, **named: int) -> BudgetRequest:
    """Return a budget."""
    return BudgetRequest(total=total, **named)


def report(result: AssembledContext, name: SectionName) -> tuple[int, int]:
    """Return (items, tokens) of one section."""
    section = next(section for section in result.sections if section.name is name)
    return section.items, section.tokens


def kept_ids(result: AssembledContext) -> list[str]:
    """Return the ids in the context in reading order."""
    return [decision.id for decision in result.decisions if decision.position is not None]


def reason_of(result: AssembledContext, item_id: str) -> str:
    """Return what became of one candidate."""
    return next(decision.reason.value for decision in result.decisions if decision.id == item_id)


def elements(content: str, name: str = "user_memory") -> list[ElementTree.Element]:
    """Return the elements called ``name``; raises ParseError when ``content`` is not well-formed beside plain text."""
    return list(ElementTree.fromstring(f"<context>{content}</context>").iter(name))  # noqa: S314 - our own output


_LINE = re.compile(r"[-~?] (?:assistant: |助手：)?(.*?)(?: \(\d[^()]*\))?", re.DOTALL)
_DAY = re.compile(r"\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:|(?:\d{4}年)?\d{1,2}月\d{1,2}日：")


def words_in(content: str) -> list[str]:
    """Return the words of the memories in ``content``, whether each is an element or a line of one."""
    found: list[str] = []
    for element in elements(content):
        if element.get("category") is not None:
            found.append(element.text or "")
            continue
        told = (line for line in (element.text or "").strip("\n").split("\n") if not _DAY.fullmatch(line))
        lines = [_LINE.fullmatch(line) for line in told]
        found += [line[1] if line else "?" for line in lines]
    return found


def all_content(messages: Sequence[dict[str, Any]]) -> str:
    """Return the contents of all messages, one after the other."""
    return "\n".join(message["content"] or "" for message in messages)


def tag_like(content: str) -> int:
    """Return how often something in ``content`` looks like one end of a memory element."""
    return len(re.findall(r"<\s*/?\s*user_memory", content, re.IGNORECASE))
