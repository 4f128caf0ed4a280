"""Who corrects a home sees what else says the old address, retires it with the correction, and the header tells the
time that the form promised. Rows: D2, G1, P4, T7."""

import html
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memory_platform.console.memory_actions.action_forms import RetireMentionsForm
from memory_platform.console.memory_actions.actions import run_retire_mentions
from memory_platform.console.memory_actions.memory_states import find_state_start
from memory_platform.console.shared.note_and_state_labels import CURRENT
from profiles.belief_queries import load_tags
from profiles.models import Tag
from profiles.services.tags.tags import TagDraft, upsert_tag
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_tag
from snapshots.lifecycle.staff_actions.undo_act import find_last_act
from snapshots.models import Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
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
from tests.snapshots.erasure.races.test_lock_order import PATIENCE, elsewhere, until_one_waits_for_a_lock
from tests.snapshots.held import label, remember

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
    told = [(re.split("[:：]", html.unescape(words), maxsplit=1)[1], "checked" in ticked) for ticked, words in found]
    return {words.strip(): is_ticked for words, is_ticked in told}


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


def test_a_form_that_is_sent_again_retires_nothing_else(world: World, staff: Staff, story: tuple[str, ...]) -> None:
    acme, (_language, name, old, new, whole, _part, beside, _offer) = world.acme, story
    others = [f"{one}.1" for one in remember(world.globex, f"{whole} {old}", kind="reply")]
    run_action(staff.sam, load_only_row(acme, Tag), "correct", label=name, kind="place", address=new)
    made = load_only_row(acme, Tag)
    page = staff.sam.get(action_address(made, "retire-mentions")).content.decode()
    chosen = [*re.findall(r'name="origins" value="([^"]+)"', page), *others]
    body = {"version": f"{made.pk}.{made.version}", "reason": REASON, "origins": chosen}
    for answer in ("Recall no longer finds them.", "Nothing to do"):
        done = staff.sam.post(action_address(made, "retire-mentions"), body, follow=True)
        assert answer in done.content.decode()
    assert list_texts_in_use(acme) == {beside}
    assert list_texts_in_use(world.globex) == {f"{whole} {old}"}


def test_an_undo_brings_back_what_two_forms_retired_at_once(world: World) -> None:
    acme, doing = world.acme, ActContext(COMMAND_LINE, REASON)
    label(acme, "home", address="12 Willow Lane, Portland")
    said = remember(acme, "Driving to 12 Willow Lane", "Near 12 Willow Lane", kind="reply")
    with tenant_tx(acme.tenant.id):
        made = correct_tag(Tag.objects.select_related("subject").get(), {"address": "3 Mill Road, Portland"}, doing)

    def retire(one: UUID) -> None:
        home = Tag.objects.select_related("subject").get()
        form = RetireMentionsForm(home, {"origins": [f"{one}.1"], "reason": REASON})
        assert form.is_valid(), form.errors
        run_retire_mentions(home, form, doing)

    with ThreadPoolExecutor(1) as pool:
        with tenant_tx(acme.tenant.id):
            retire(said[0])
            second = elsewhere(pool, acme, lambda: retire(said[1]))
            until_one_waits_for_a_lock()
        second.result(PATIENCE)
    with tenant_tx(acme.tenant.id):
        act = find_last_act(made)
        assert act is not None and len(act.before["origins"]) == 2


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
