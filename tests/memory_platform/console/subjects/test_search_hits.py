"""Words that one person alone has lead to their page, and the heading says how many match. Rows: D2, T3."""

import re
from html import unescape

import pytest

from profiles.models import Subject
from profiles.services.tags.tags import TagDraft, upsert_tag
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.subjects.test_subject_screen import FIND, store_fact
from tests.snapshots.held import prefer, say
from tests.snapshots.notes_held import note_down


@pytest.fixture
def john(world: World) -> Subject:
    """Jonathan, and somebody whose id begins as his does."""
    with tenant_tx(world.acme.tenant.id):
        john = store_fact("user_123", "Jonathan Smith", plan="family")
        upsert_tag(john, TagDraft("home", {"address": "42 Baker Street"}))
        store_fact("user_124", "John Lee", seat="aisle")
    return john


def test_words_of_one_person_lead_to_their_page_unless_they_are_only_alike(
    world: World, john: Subject, staff: Staff
) -> None:
    for query in ("jonathan", "JONATHAN smith", "Baker Street"):
        assert staff.sam.get(FIND, {"q": query})["Location"] == f"/console/profiles/subject/{john.pk}/change/"
    for query in ("jonatahn", "user_129", "smith zzzzzz", "user_12"):
        assert staff.sam.get(FIND, {"q": query}).status_code == 200
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="subject.searched").count() == 7


def test_the_heading_says_how_many_match_which_words(world: World, john: Subject, staff: Staff) -> None:
    page = staff.sam.get(FIND, {"q": " user_12"}).content.decode()
    assert "<h1>2 people match “user_12”</h1>" in page
    assert "<h1>1 person matches “jonatahn”</h1>" in staff.sam.get(FIND, {"q": "jonatahn"}).content.decode()


@pytest.mark.parametrize("words", ["highway", "高速 & 路"])
def test_words_that_nobody_is_known_by_are_looked_for_in_what_was_said(world: World, staff: Staff, words: str) -> None:
    prefer(world.acme, "navigation", "route", f"{words} always")
    say(world.acme, f"Take the {words}")
    note_down(world.acme, f"Wants the {words}")
    page = staff.sam.get(FIND, {"q": f" {words} "}).content.decode()
    assert "Nobody in this tenant" in page
    ways = [unescape(one) for one in re.findall(r'<a href="(/console/[^"?]+\?q=[^"]+)"', page)]
    assert len(ways) == 3
    for way in ways:
        for staff_member, is_theirs in ((staff.sam, True), (staff.gus, False)):
            rows = staff_member.get(way).content.decode().partition('id="result_list"')[2]
            assert (words in unescape(rows)) is is_theirs, way
