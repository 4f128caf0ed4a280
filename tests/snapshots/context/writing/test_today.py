"""Where the date of today stands, and when it is not needed. Rows: X11, X9."""

from dataclasses import replace
from typing import Any

import pytest

from snapshots.context.values import ContextMaterial, Passage, SectionName
from tests.snapshots.context.world import ADA, COUNTER, SINCE, all_content, context, memory, report, turns, within

REMEMBERED = {
    "the profile": ContextMaterial(profile=ADA),
    "a memory": ContextMaterial(memories=(memory(1),)),
    "a task": ContextMaterial(tasks=(Passage("tasks", "w-1", "book a table"),)),
    "a summary": ContextMaterial(summary=Passage("summary", "s-1", "we spoke of dinner"), turns=turns(2)),
    "what abstains": ContextMaterial(profile=ADA, memories=(memory(1, relevance=0.0),), needs=0.0),
    "nothing": ContextMaterial(turns=turns(2)),
    "nothing that helps": ContextMaterial(memories=(memory(1, relevance=0.0),), needs=0.0),
}


@pytest.mark.parametrize("total", [300, 6_000])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("held", REMEMBERED)
def test_the_date_of_today_stands_once_where_anything_is_remembered(held: str, language: str, total: int) -> None:
    line = {"en": "Today is Friday, 2 Jan 2026.", "zh": "今天是2026年1月2日，周五。"}[language]
    asked: dict[str, Any] = {"at": SINCE, "tenant_locale": language, "query": "?" if language == "en" else "？"}
    material = REMEMBERED[held]
    material = replace(material, profile=replace(material.profile, locale=None))
    dated = context(material, budget=within(total), **asked)
    assert all_content(dated.messages).count(line) == int("nothing" not in held)
    plain = context(material, budget=within(total), **asked | {"at": None})
    (_, with_it), (_, without) = (report(one, SectionName.GUIDE) for one in (dated, plain))
    assert with_it - without == COUNTER.count(f"{line}\n") * int("nothing" not in held)
    assert dated.prefix == plain.prefix
    if "nothing" not in held:
        (brief,) = [one["content"] for one in dated.messages if line in (one["content"] or "")]
        assert brief.startswith(line)
