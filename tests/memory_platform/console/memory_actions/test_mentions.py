"""Who corrects a home sees what else says the old address, retires it with the correction, and the header tells the
time that the form promised. Rows: D2, G1, P4, T7."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memory_platform.console.memory_actions.memory_states import find_state_start
from memory_platform.console.shared.note_and_state_labels import CURRENT
from profiles.belief_queries import load_tags
from profiles.models import Tag
from profiles.services.tags.tags import TagDraft, upsert_tag
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Receipt, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import (
    REASON,
    action_address,
    list_audit_actions,
    load_only_row,
    memory_address,
    run_action,
)
from tests.memory_platform.console.memory_actions.test_origins import list_texts_in_use
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import remember

# Language of the staff, label, old and new address, what says the old one whole, in part, and not at all.
STORIES = {
    "en": (
        "home",
        "12 Willow Lane, Portland",
        "3 Mill Road, Portland",
        "Driving slowly to 12 Willow Lane, Portland",
        "Lotus Garden is close to 12 Willow Lane",
        "It rains in Portland",
        "Said elsewhere",
    ),
    "zh": (
        "家",
        "上海市浦东新区锦绣路100号",
        "上海市静安区南京西路1266号",
        "慢慢开往上海市浦东新区锦绣路100号",
        "去浦东新区锦绣路100号，不走高架",
        "锦绣路附近有一家川菜馆",
        "其他记忆中也提到",
    ),
}
WEEKS = timedelta(weeks=3)


@pytest.fixture(params=sorted(STORIES))
def story(world: World, request: pytest.FixtureRequest) -> tuple[str, ...]:
    """A home as it was told three weeks ago, and what was said about it and beside it."""
    name, old, _new, *said, _offer = STORIES[request.param]
    acme = world.acme
    with tenant_tx(acme.tenant.id):
        upsert_tag(acme.subject, TagDraft(name, {"kind": "place", "address": old}, valid_at=timezone.now() - WEEKS))
        Tag.objects.update(created_at=timezone.now() - WEEKS)
    remember(acme, *said, kind="reply")
    return (request.param, *STORIES[request.param])


def read_choices(page: str) -> dict[str, bool]:
    """Return the memories that a page offers to retire, and whether they are ticked."""
    found = re.findall(r'name="origins" value="[^"]+"([^>]*)>\s*([^<]+)', page)
    return {html.unescape(words).partition(": ")[2].strip(): "checked" in ticked for ticked, words in found}


def read_ticked(page: str) -> list[str]:
    return re.findall(r'name="origins" value="([^"]+)"[^>]* checked', page)


def open_page(client: Client, address: str, language: str) -> str:
    return client.get(address, headers={"Accept-Language": {"en": "en", "zh": "zh-hans"}[language]}).content.decode()


def test_what_says_the_old_home_is_offered_retired_and_brought_back(
    world: World, staff: Staff, story: tuple[str, ...]
) -> None:
    acme, (language, name, _old, new, whole, part, beside, offer) = world.acme, story
    home = load_only_row(acme, Tag)
    page = open_page(staff.sam, action_address(home, "correct"), language)
    assert offer in page
    assert read_choices(page) == {whole: True, part: False}
    columns = {"label": name, "kind": "place", "address": new}
    run_action(staff.sam, home, "correct", origins=read_ticked(page), **columns)
    assert list_texts_in_use(acme) == {part, beside}
    assert list_audit_actions(acme) == ["memory.corrected", "snapshot.retired"]
    made = load_only_row(acme, Tag)
    page = staff.sam.get(memory_address(made)).content.decode()
    assert action_address(made, "retire-mentions") in page, "one is left"
    run_action(staff.sam, load_only_row(acme, Snapshot, text=whole), "undo")
    assert list_texts_in_use(acme) == {whole, part, beside}, "each can be undone alone"
    page = open_page(staff.sam, action_address(made, "retire-mentions"), language)
    assert read_choices(page) == {whole: True, part: False}
    assert f'value="{REASON}"' in page, "the reason of the correction"
    run_action(staff.sam, made, "retire-mentions", origins=re.findall(r'name="origins" value="([^"]+)"', page))
    assert list_texts_in_use(acme) == {beside}
    assert staff.sam.get(action_address(made, "retire-mentions")).status_code == 404, "nothing is left"
    assert "Undone." in run_action(staff.sam, made, "undo")
    assert list_texts_in_use(acme) == {whole, part, beside}
    assert staff.gus.get(action_address(made, "retire-mentions")).status_code == 404


def test_the_proof_offers_what_still_says_the_old_home(world: World, staff: Staff, story: tuple[str, ...]) -> None:
    acme, (language, name, _old, new, whole, part, beside, _offer) = world.acme, story
    receipt = ask(acme, whole, None, min_relevance=0.0)
    home = load_only_row(acme, Tag)
    run_action(staff.sam, home, "correct", label=name, kind="place", address=new)
    assert list_texts_in_use(acme) == {whole, part, beside}, "nothing was ticked"
    proof = open_page(staff.sam, f"/console/snapshots/receipt/{receipt.pk}/again/", language)
    assert read_choices(proof) == {whole: True, part: False}
    made = load_only_row(acme, Tag)
    address = f"{action_address(made, 'retire-mentions')}?answer={receipt.pk}"
    assert f'action="{address}"' in proof
    body: dict[str, Any] = {"version": f"{made.pk}.{made.version}", "reason": REASON, "origins": read_ticked(proof)}
    done = staff.sam.post(address, body, follow=True).content.decode()
    assert f"/console/snapshots/receipt/{receipt.pk}/again/" in done
    assert list_texts_in_use(acme) == {part, beside}
    again = open_page(staff.sam, f"/console/snapshots/receipt/{receipt.pk}/again/", language)
    assert read_choices(again) == {part: False}
    with tenant_tx(acme.tenant.id):
        assert Receipt.objects.count() == 1
        assert Snapshot.objects.filter(build_current_snapshot_condition()).count() == 2


def test_a_corrected_home_is_so_since_the_correction(world: World, staff: Staff, story: tuple[str, ...]) -> None:
    acme, (_language, name, _old, new, *_rest) = world.acme, story
    home = load_only_row(acme, Tag)
    assert "your value holds from now on" in staff.sam.get(action_address(home, "correct")).content.decode()
    assert "since <time" in (page := staff.sam.get(memory_address(home)).content.decode())
    assert "3\xa0weeks ago" in page.split("since <time")[1][:200]
    run_action(staff.sam, home, "correct", label=name, kind="place", address=new)
    page = staff.sam.get(memory_address(home)).content.decode()
    assert "just now" in page.split("since <time")[1][:200]
    with tenant_tx(acme.tenant.id):
        made = Tag.objects.get()
        (in_prompt,) = load_tags(acme.subject.id)
        assert find_state_start(made, CURRENT) == in_prompt.valid_at
