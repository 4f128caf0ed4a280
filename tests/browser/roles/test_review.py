"""Support decides what waits, takes decisions back, and tries a question in the playground, in four looks.

Rows: D2, P12, T4, T7.
"""

from typing import Any

import pytest
from playwright.sync_api import expect

from profiles.models import Candidate
from snapshots.models import Message
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import create_version, propose
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.browser.test_stories import TALKS, tell_story
from tests.conftest import House, World
from tests.snapshots.understanding.making import preferences, say

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
KEYS = {"accept": "a", "reject": "r", "skip": "s"}
# What the proposals are read from, and why one is rejected.
TOLD = (
    ("26 degrees is nicest, I guess", "好像26度最舒服"),
    ("Maybe always the highway", "也许都走高速"),
    ("Vegetarian food, probably", "大概吃素吧"),
)
JEST = ("said in jest", "是开玩笑的")
WARM = {"value": 26, "unit": "°C"}


def propose_preference(house: House, place: str, value: Any, words: str) -> Candidate:
    """Let a proposal wait that these words of the person are the evidence of."""
    say(house, words)
    category, key = place.split("/")
    shared = {"provenance": "observation", "confidence": 0.4, "value": value}
    with tenant_tx(house.tenant.id):
        return Candidate.objects.create(
            **shared,
            subject=house.subject,
            kind="preference",
            target=place,
            verdict="pending",
            reason="unsure",
            message_ref=Message.objects.latest("seq").pk,
            quote_start=0,
            quote_end=len(words),
            proposal={
                **shared,
                "type": "preference",
                "category": category,
                "key": key,
                "statement": words,
                "mode": "set",
                "sort": "explicit",
                "said_at": "2026-11-16T09:30:00+00:00",
            },
        )


@pytest.fixture
def walk(world: World, sit_down: SitDown, look: Look) -> Walk:
    """Sam, who supports acme, before the start page."""
    create_staff("sam", world.acme.tenant)
    # And what a prompt says of how sure a memory is.
    return Walk(sit_down("sam", **look.settings), look, names={"sam", "high", "medium", "low"})


def press(walk: Walk, verb: str) -> None:
    """Decide about the proposal on the page: by key on a desk, by button on a phone."""
    if walk.look.size == "desk":
        walk.page.keyboard.press(KEYS[verb])
    elif verb == "skip":
        walk.click(walk.page.locator("#review-skip"))
    else:
        walk.click(walk.page.locator(f".review-card > .act-submit [value={verb}]"))


def expect_proposal(walk: Walk, row: Candidate, words: str) -> None:
    expect(walk.page.locator("#review-form [name=candidate]")).to_have_value(str(row.pk))
    expect(walk.page.locator("mark")).to_have_text(words)


def take_back(walk: Walk, row: Candidate, words: str) -> None:
    """Take the last decision back by key, and see the proposal wait again."""
    walk.page.keyboard.press("u")
    walk.read_message("Undone. It waits again.", "已撤销，重新等待审核。")
    expect_proposal(walk, row, words)


def reject(walk: Walk) -> None:
    """Reject the proposal on the page; the first try asks for a reason."""
    page, look, reason = walk.page, walk.look, walk.look.choose(*JEST)
    press(walk, "reject")
    if look.size == "desk":
        expect(page.locator("#id_reason")).to_be_focused()
        page.keyboard.type(reason)
        page.keyboard.press("Enter")
    else:
        told = look.choose("Give a reason for the rejection.", "请说明拒绝的原因。")
        expect(page.locator(".errorlist")).to_have_text(told)
        page.fill("#id_reason", reason)
        press(walk, "reject")
    walk.read_message("Rejected: nothing was written.", "已拒绝，未写入任何内容。")


def accept_as_edited(walk: Walk, value: str) -> None:
    walk.click(walk.page.locator(".review-edit summary"))
    walk.page.fill("#id_value", value)
    walk.look_at_page()
    walk.press("Accept as edited", "按修改接受")
    walk.read_message("Accepted with your changes.", "已按您的修改接受。")


def test_what_waits_is_decided_and_each_decision_taken_back(world: World, walk: Walk) -> None:
    acme, told = world.acme, [walk.look.choose(*words) for words in TOLD]
    highway, vegetarian, vegan = map(walk.look.choose, ("highway", "vegetarian", "vegan"), ("高速", "吃素", "纯素"))
    places = {"climate/temperature": WARM, "navigation/route": highway, "food/diet": vegetarian}
    rows = [propose_preference(acme, *place, words) for place, words in zip(places.items(), told, strict=True)]
    walk.find_person("ada")
    walk.reach("ada", "ada")
    walk.follow_to("Review", "审核")
    expect_proposal(walk, rows[0], told[0])
    press(walk, "accept")
    walk.read_message("Accepted and written to memory.", "已接受，记忆已更新。")
    assert preferences(acme) == {"climate": {"temperature": WARM}}
    expect_proposal(walk, rows[1], told[1])
    take_back(walk, rows[0], told[0])
    assert preferences(acme) == {}
    press(walk, "skip")
    expect_proposal(walk, rows[1], told[1])
    reject(walk)
    take_back(walk, rows[1], told[1])
    press(walk, "skip")
    expect_proposal(walk, rows[2], told[2])
    accept_as_edited(walk, vegan)
    assert preferences(acme) == {"food": {"diet": vegan}}
    take_back(walk, rows[2], told[2])
    assert preferences(acme) == {}
    with tenant_tx(acme.tenant.id):
        assert set(Candidate.objects.values_list("verdict", flat=True)) == {"pending"}
        rejections = AuditRecord.objects.filter(action="candidate.rejected")
        assert [one.reason for one in rejections] == [walk.look.choose(*JEST)]


def test_a_question_is_tried_with_one_policy_and_then_beside_another(world: World, walk: Walk) -> None:
    acme, page, look, talk = world.acme, walk.page, walk.look, TALKS[walk.look.locale]
    tell_story(acme, talk)
    with tenant_tx(acme.tenant.id):
        small = {"context": {"total": 200, "memory": 60}}
        create_version(propose(small, SECTIONS), by=COMMAND_LINE, reason=look.choose("shorter prompts", "更短的提示词"))
    walk.find_person("ada")
    walk.reach("ada", "ada")
    walk.follow_to("Playground", "试验场")
    page.fill("[name=query]", talk.question)
    walk.press("Show the prompt", "显示提示词")
    found = page.get_by_role("region", name=look.choose("What the prompt would contain", "会放入提示词的内容"))
    expect(found).to_contain_text(talk.wrong)
    prompt = page.get_by_role("region", name=look.choose("The prompt as it would be sent", "将会发送的提示词"))
    expect(prompt).to_contain_text(talk.wrong)
    walk.look_at_page()

    walk.click(page.locator(".play-again summary").first)
    expect(page.locator("[name=query]")).to_have_value(talk.question)
    page.select_option("[name=right]", "2")
    walk.press("Show the prompt", "显示提示词")
    names = [
        look.choose("Active policy (v1)", "生效中的策略（v1）"),
        look.choose("version 2: shorter prompts", "版本 2：更短的提示词"),
    ]
    expect(page.locator("h2[id^=play-side-] bdi")).to_have_text(names)
    only_left = page.locator("details", has_text=look.choose("Only left", "仅左侧")).first
    expect(only_left).to_contain_text(talk.wrong)
    walk.look_at_page()
    with tenant_tx(acme.tenant.id):
        assert AuditRecord.objects.filter(action="playground.asked", subject_ref=acme.subject.pk).count() == 2
