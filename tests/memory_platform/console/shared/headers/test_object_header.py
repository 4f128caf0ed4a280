"""Every page of one thing has the same head: its sentence, status, who and when, acts and ids. Rows: D2, T3."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client

from memory_platform.console.shared.headers.object_header import (
    MAX_TITLE_CHARS,
    ObjectHeader,
    make_time_fact,
)
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.models import Conversation, MemoryReview, Message, Note, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, PolicyVersion
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import Rows
from tests.snapshots.held import know, say

HEADED = (Subject, Preference, ProfileFact, Tag, Note, Snapshot, Conversation, Message, Receipt, PolicyVersion, ApiKey)


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each("walnuts")


def read_header(client: Client, row: Model) -> str:
    page = client.get(build_change_address(type(row), row.pk)).content.decode()
    return page.partition('<header class="object-header">')[2].partition("</header>")[0]


def read_title(header: str) -> str:
    (title,) = re.findall(r"<h1><bdi>(.*?)</bdi></h1>", header)
    return unescape(title)


def read_badge(header: str) -> str:
    found = re.findall(r'<span class="badge badge-\w+">([^<]+)</span>', header)
    return found[0].lower() if found else ""


def read_acts(header: str) -> list[str]:
    return [" ".join(one.split()) for one in re.findall(r'<a class="act[^>]*>([^<]+)</a>', header)]


def test_every_thing_is_named_by_a_sentence_that_begins_the_tab_s_title(staff: Staff, rows: Rows) -> None:
    for model in HEADED:
        page = staff.mia.get(build_change_address(model, rows[model].pk)).content.decode()
        (title,) = re.findall(r"<h1><bdi>(.*?)</bdi></h1>", page)
        assert ("Policy version" if model is PolicyVersion else "walnuts") in title, model
        assert re.search(r"<title>\s*" + re.escape(title), page), model
        assert page.count("<h1") == 1, model
        assert page.count('class="object-header"') == 1, model


def test_the_sentence_of_a_memory_names_the_person(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        wish = Preference.objects.create(
            subject=world.acme.subject,
            category="navigation",
            key="avoid_highway",
            value=True,
            confidence=0.9,
            provenance="observation",
            valid_at=utc_now(),
        )
    assert read_title(read_header(staff.sam, wish)) == "ada’s navigation preference: avoid highway"
    know(world.acme, name="Ada")
    header = read_header(staff.sam, wish)
    assert read_title(header) == "Ada’s navigation preference: avoid highway"
    assert "observation" in header
    assert f'href="{build_change_address(Subject, world.acme.subject.pk)}"' in header


def test_the_badge_says_how_a_memory_stands(world: World, staff: Staff, rows: Rows) -> None:
    for model in (Preference, ProfileFact, Tag, Snapshot):
        assert read_badge(read_header(staff.sam, rows[model])) == "current", model
    hour_ago = utc_now() - timedelta(hours=1)
    with tenant_tx(world.acme.tenant.id):
        for model in (Preference, ProfileFact, Snapshot):
            model.objects.filter(pk=rows[model].pk).update(invalid_at=hour_ago)
    for model in (Preference, ProfileFact, Snapshot):
        assert read_badge(read_header(staff.sam, rows[model])) == "ended", model
    assert read_badge(read_header(staff.sam, rows[Note])) == "possibly outdated"
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(pk__in=(rows[Snapshot].pk, rows[Note].snapshot_id)).update(retired_at=hour_ago)
    for retired in (Snapshot, Note):
        assert read_badge(read_header(staff.sam, rows[retired])) == "retired", retired


def test_the_badge_of_a_key_and_a_version_says_whether_it_serves(world: World, staff: Staff, rows: Rows) -> None:
    assert read_badge(read_header(staff.mia, rows[ApiKey])) == "active"
    assert read_badge(read_header(staff.mia, rows[PolicyVersion])) == "draft, not active yet"
    with tenant_tx(world.acme.tenant.id):
        active = PolicyVersion.objects.get(number=1)
        ApiKey.objects.filter(pk=rows[ApiKey].pk).update(revoked_at=utc_now())
    assert read_badge(read_header(staff.mia, active)) == "active"
    assert read_badge(read_header(staff.mia, rows[ApiKey])) == "revoked"


def test_acts_follow_the_role_and_stand_beside_the_title(staff: Staff, rows: Rows) -> None:
    assert read_acts(read_header(staff.vic, rows[Subject])) == ["Audit trail"]
    support = {"Playground", "Add a note", "Add a preference", "Export", "Audit trail"}
    assert set(read_acts(read_header(staff.sam, rows[Subject]))) == support
    assert set(read_acts(read_header(staff.mia, rows[Subject]))) == {
        *support,
        "Join with another person",
        "Undo the join with walnuts",
        "Erase",
    }
    assert read_acts(read_header(staff.vic, rows[Preference])) == ["Audit trail"]
    assert {"Confirm", "Correct", "Retire"} < set(read_acts(read_header(staff.sam, rows[Preference])))
    assert "Forget" in read_acts(read_header(staff.mia, rows[Preference]))
    assert "Ask again in the playground" in read_acts(read_header(staff.sam, rows[Receipt]))
    assert "New version from this one" in read_acts(read_header(staff.mia, rows[PolicyVersion]))
    assert read_acts(read_header(staff.sam, rows[PolicyVersion])) == ["Compare", "Audit trail"]
    for model in HEADED:
        assert read_header(staff.mia, rows[model]).count("act-main") <= 1, model


@pytest.mark.slow
def test_an_act_of_the_head_opens_its_page(staff: Staff, rows: Rows) -> None:
    for model in HEADED:
        for address in re.findall(r'<a class="act[^>]*href="([^"]+)"', read_header(staff.mia, rows[model])):
            assert staff.mia.get(unescape(address)).status_code == 200, address


def test_ids_stand_behind_a_button_that_copies_them(staff: Staff, rows: Rows) -> None:
    known: dict[type[Model], Any] = {
        Subject: rows[Subject].external_id,
        Note: rows[Note].snapshot_id,
        ApiKey: rows[ApiKey].key_id,
    }
    for model in HEADED:
        assert f'data-copy="{known.get(model, rows[model].pk)}"' in read_header(staff.mia, rows[model]), model


def test_what_is_not_known_takes_no_line_and_what_is_technical_is_closed(world: World, staff: Staff) -> None:
    (message,) = say(world.acme, "I like walnuts")
    page = staff.sam.get(build_change_address(Message, message.pk)).content.decode()
    assert '<div class="readonly">-</div>' not in page
    assert "field-tool_call_id" not in page
    assert re.search(r"<details><summary>\s*<h2[^>]*>Technical details", page)
    assert 'name="_continue"' not in page
    assert "closelink" not in page


def test_a_long_or_hostile_sentence_is_cut_and_harmless(world: World, staff: Staff) -> None:
    text = "<script>alert(1)</script> " + "walnut " * 200
    (row,) = say(world.acme, text)
    page = staff.sam.get(build_change_address(Message, row.pk)).content.decode()
    assert "<script>alert" not in page
    assert len(read_title(page.partition('class="object-header"')[2].partition("</header>")[0])) <= MAX_TITLE_CHARS
    assert text.strip() in unescape(page), "the page itself has all of it"


def test_what_has_only_an_id_is_named_by_what_it_is(staff: Staff, rows: Rows) -> None:
    header = read_header(staff.sam, rows[MemoryReview])
    assert read_title(header) == "Memory to review"
    assert "object-kind" not in header


def test_a_title_is_one_line() -> None:
    assert ObjectHeader("  one\n two\t three ").title == "one two three"


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=3), "3\xa0minutes ago"),
        (timedelta(hours=2, minutes=10), "2\xa0hours ago"),
        (timedelta(days=400), "1\xa0year ago"),
    ],
)
def test_a_time_is_told_by_how_long_ago_with_the_exact_one_on_hover(ago: timedelta, words: str) -> None:
    at = utc_now() - ago
    assert f">{words}</time>" in render_time_ago(at)
    assert f'title="{at:%Y-%m-%d %H:%M:%S} UTC"' in render_time_ago(at)
    assert make_time_fact("asked %s", at) == f"asked {render_time_ago(at)}"


def test_a_time_to_come_is_told_as_it_is_and_no_time_not_at_all() -> None:
    assert ">2999-01-01 00:00:00</time>" in render_time_ago(datetime(2999, 1, 1, tzinfo=UTC))
    assert render_time_ago(None) == make_time_fact("asked %s", None) == ""


def test_another_tenant_s_thing_has_no_head(staff: Staff, rows: Rows) -> None:
    for model in HEADED:
        page = staff.gus.get(build_change_address(model, rows[model].pk), follow=True).content.decode()
        assert "object-header" not in page, model
        assert "walnuts" not in page, model
