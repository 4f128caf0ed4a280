"""Support adds a note, edits it and takes it away, and undoes both, in four looks. Rows: D2, P9, P10, T7."""

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# Enter, and the form and its button for adding, editing and taking away; an undo stands below "More".
MOST_CLICKS = 13
PEANUTS = ("I am allergic to peanuts.", "我对花生过敏。")
WALNUTS = ("I am allergic to walnuts.", "我对核桃过敏。")


def list_prompted(house: House, site: str, look: Look) -> list[str]:
    """Return which of the two notes the next prompt holds."""
    url = f"{site}/v1/subjects/ada/context"
    question = {"query": look.choose("What shall I cook tonight?", "今晚做什么菜？")}
    answer = httpx.post(url, headers=house.headers, json=question, timeout=60).raise_for_status()
    prompt = "\n".join(message["content"] for message in answer.json()["messages"])
    return [text for text in (look.choose(*PEANUTS), look.choose(*WALNUTS)) if text.rstrip(".。") in prompt]


def test_a_note_is_added_edited_taken_away_and_all_of_it_undone(
    world: World, site: str, sit_down: SitDown, look: Look
) -> None:
    acme, peanuts, walnuts = world.acme, look.choose(*PEANUTS), look.choose(*WALNUTS)
    create_staff("sam", acme.tenant)
    walk = Walk(sit_down("sam", **look.settings), look, names={"sam"})
    walk.find_person("ada")
    walk.reach("ada", "ada")
    walk.follow_to("Add a note", "添加笔记")
    walk.write("The note", "笔记内容", peanuts)
    walk.confirm("Add a note", "添加笔记")
    walk.read_message("Added. The next answer can use it.", "已添加。下一次回答即可使用。")
    assert list_prompted(acme, site, look) == [peanuts]
    walk.follow_to("Correct", "更正")
    walk.write("New text", "新的文字", walnuts)
    walk.confirm("Save the correction", "保存更正")
    walk.read_message("Corrected. It is believed from now on.", "已更正，从现在起以此为准。")
    told = look.choose(
        f"Corrected by sam: {peanuts} → {walnuts} (ticket 4711)", f"sam 更正：{peanuts} → {walnuts} （工单 4711）"
    )
    expect(walk.page.locator(".memory-story li p").last).to_have_text(told)
    assert list_prompted(acme, site, look) == [walnuts]
    walk.follow_to("Retire", "停用")
    walk.confirm("Retire this memory", "停用这条记忆")
    walk.read_message("Retired. Recall no longer finds it.", "已停用，召回不再找到它。")
    assert list_prompted(acme, site, look) == []
    for back in (walnuts, peanuts):
        walk.undo_last()
        assert list_prompted(acme, site, look) == [back]
    assert walk.clicks <= MOST_CLICKS
