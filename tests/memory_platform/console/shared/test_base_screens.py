"""Lists are quick, findable and lead on. Rows: D2, T7."""

from typing import Any

import pytest
from django.contrib.admin import site
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from memory_platform.console.memories import newest_rows_search
from memory_platform.console.shared.lists import change_lists
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.models import Conversation, Message, Receipt, Snapshot, Work, WorkRemoved
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, TenantOwned, UsageDay
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import remember

MOST_QUERIES = 30
ROWS = 50

Rows = dict[type[Model], Any]


def list_address(model: type[Model], page: str = "") -> str:
    return f"/console/{model._meta.app_label}/{model._meta.model_name}/{page}"


@pytest.fixture
def crowd(world: World) -> list[Rows]:
    """A page full of everything, each row of another subject."""
    with tenant_tx(world.acme.tenant.id):
        return [make_one_of_each("ada", number) for number in range(ROWS)]


@pytest.mark.slow
def test_no_page_asks_the_database_once_per_row(world: World, staff: Staff, crowd: list[Rows]) -> None:
    counts: dict[str, int] = {}
    mia = staff.mia
    for model in (model for model in site._registry if issubclass(model, TenantOwned)):
        pages = ["", "?q=ada"] + ([f"{crowd[0][model].pk}/change/"] if model in crowd[0] else [])
        for page in pages:
            with CaptureQueriesContext(connection) as asked:
                answer = mia.get(list_address(model, page))
            assert answer.status_code == 200, (model, page)
            counts[list_address(model, page)] = len(asked)
    assert {page: count for page, count in counts.items() if count > MOST_QUERIES} == {}


@pytest.mark.slow
def test_every_list_is_found_by_the_subjects_own_id(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows, others = make_one_of_each("user_123"), make_one_of_each("someone-else")
    for model in (model for model in rows if hasattr(model, "subject") or model is Subject):
        page = staff.mia.get(list_address(model, "?q=user_123")).content.decode()
        assert f"{rows[model].pk}/change/" in page, model
        assert f"{others[model].pk}/change/" not in page, model


def test_every_list_has_a_stable_order_and_says_what_can_be_searched() -> None:
    for model, screen in site._registry.items():
        if issubclass(model, TenantOwned):
            assert str(screen.ordering[-1]).lstrip("-") == "id", model  # type: ignore[index]  # ours all have one
            assert screen.search_fields or model is UsageDay, model  # days are found by their filter


def test_the_subjects_page_shows_what_is_known_and_leads_to_all_that_is_held(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows, others = make_one_of_each("花生"), make_one_of_each("someone-else")
    subject = rows[Subject].pk
    page = staff.sam.get(list_address(Subject, f"{subject}/change/")).content.decode()
    assert all(f"{rows[known].pk}/change/" in page for known in (ProfileFact, Preference, Tag))
    for model in (ProfileFact, Preference, Tag, Snapshot, Conversation, Message, Receipt, Work):
        assert f'href="{list_address(model, f"?subject={subject}")}"' in page
        listed = staff.sam.get(list_address(model, f"?subject={subject}")).content.decode()
        assert f"{rows[model].pk}/change/" in listed
        assert f"{others[model].pk}/change/" not in listed
        assert "花生" in listed


def test_a_memory_leads_to_its_messages_and_to_the_prompts_that_used_it(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows, others = make_one_of_each("peanuts"), make_one_of_each("someone-else")
    for model in (ProfileFact, Preference, Tag, Snapshot):
        page = staff.sam.get(list_address(model, f"{rows[model].pk}/change/")).content.decode()
        assert f"?message={rows[Message].pk}#" in page, model
    assert f"{rows[Receipt].pk}/change/" in page
    receipts = staff.sam.get(list_address(Receipt, f"?memory={rows[Snapshot].pk}")).content.decode()
    assert f"{rows[Receipt].pk}/change/" in receipts
    assert f"{others[Receipt].pk}/change/" not in receipts


def test_a_snapshot_shows_what_it_said_before(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows, others = make_one_of_each("花生"), make_one_of_each("cashews")
    page = staff.sam.get(list_address(Snapshot, f"{rows[Snapshot].pk}/change/")).content.decode()
    assert "before: 花生" in page
    assert "before: cashews" not in page
    assert "before: cashews" in staff.sam.get(list_address(Snapshot, f"{others[Snapshot].pk}/change/")).content.decode()


def test_how_much_work_was_removed_is_seen_by_day(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts")
    for query, counted in (("", True), ("?q=2026-03-01", True), ("?q=2025", False)):
        assert (">41<" in staff.vic.get(list_address(WorkRemoved, query)).content.decode()) is counted
    assert ">41<" not in staff.gus.get(list_address(WorkRemoved)).content.decode()
    assert staff.mia.get(list_address(WorkRemoved, "add/")).status_code == 403


def test_snapshots_and_preferences_are_told_apart_by_standing(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows, past = make_one_of_each("now"), make_one_of_each("then")
        for model in (Snapshot, Preference):
            gone = model._default_manager.filter(pk=past[model].pk)
            gone.update(invalid_at=past[model].valid_at)
    for model, now, before in ((Snapshot, "current", "ended"), (Preference, "current", "ended")):
        held, lost = (staff.sam.get(list_address(model, f"?standing={s}")).content.decode() for s in (now, before))
        assert f"{rows[model].pk}/change/" in held
        assert f"{rows[model].pk}/change/" not in lost
        assert f"{past[model].pk}/change/" in lost
        assert f"{past[model].pk}/change/" not in held


def test_a_read_is_recorded_with_its_subject_and_told_by_user_name(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
    page = list_address(Snapshot, f"{rows[Snapshot].pk}/")
    staff.sam.get(f"{page}change/")
    with tenant_tx(world.acme.tenant.id):
        read = AuditRecord.objects.get(action="snapshot.viewed")
        assert read.subject_ref == rows[Subject].pk
    history = staff.mia.get(f"{page}history/").content.decode()
    assert "viewed: snapshot" in history
    assert "sam" in history
    assert ">sam<" in staff.mia.get(list_address(AuditRecord, "?q=sam")).content.decode()


def test_the_bare_addresses_lead_to_the_console(staff: Staff) -> None:
    assert staff.sam.get("/")["Location"] == staff.sam.get("/console")["Location"] == "/console/"


def test_a_whole_tenant_s_list_counts_the_newest_and_offers_no_dates(
    world: World, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(world.acme, *(f"memory {number}" for number in range(5)))
    monkeypatch.setattr(change_lists, "MAX_COUNTED_ROWS", 3)

    whole = staff.sam.get(list_address(Snapshot)).content.decode()
    assert "the newest 3; choose a person or search to see others" in whole
    assert "?o=" not in whole
    assert "toplinks" not in whole, "no way into years and months"

    own = staff.sam.get(list_address(Snapshot, f"?subject={world.acme.subject.pk}")).content.decode()
    assert "5 snapshots" in own
    assert "o=" in own
    assert "toplinks" in own

    answer = staff.sam.get(list_address(Snapshot, "?o=1&said_at__year=2026&kind=manual"))
    assert answer["Location"] == list_address(Snapshot, "?kind=manual")


def test_words_are_looked_for_in_the_newest_and_in_all_of_a_subject(
    world: World, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_rows_search, "MAX_SEARCHED_ROWS", 2)
    with tenant_tx(world.acme.tenant.id):
        old, *_newer = [make_one_of_each(name) for name in ("茶壶 teapot", "kettle one", "kettle two")]
    for model in (Snapshot, Message):
        for words in ("teapot", "茶壶"):
            page = staff.sam.get(list_address(model), {"q": words}).content.decode()
            assert f"{old[model].pk}/change/" not in page
            assert "Only the newest 2 were" in page
        page = staff.sam.get(list_address(model), {"q": "kettle"}).content.decode()
        assert page.count("/change/?_changelist_filters") >= 2
        for query in (
            {"q": "茶壶", "subject": old[Subject].pk},
            {"q": old[Subject].external_id},
            {"q": str(old[model].pk)},
        ):
            page = staff.sam.get(list_address(model), query).content.decode()
            assert f"{old[model].pk}/change/" in page, query
            assert "Only the newest" not in page, query
    assert (
        f"{old[Receipt].pk}/change/"
        in staff.sam.get(list_address(Receipt), {"q": str(old[Receipt].pk)}).content.decode()
    )
    page = staff.gus.get(list_address(Snapshot), {"q": str(old[Snapshot].pk)}).content.decode()
    assert f"{old[Snapshot].pk}/change/" not in page


def test_what_the_assistant_said_is_a_kind_in_the_list(world: World, staff: Staff) -> None:
    """Row C7."""
    remember(world.acme, "I'd recommend Kafka on the Shore", kind="reply")
    remember(world.acme, "I swim on Mondays")
    page = staff.sam.get(list_address(Snapshot, "?kind__exact=reply")).content.decode()
    assert ("Kafka on the Shore" in page, "swim on Mondays" in page) == (True, False)
    offered = staff.sam.get(list_address(Snapshot)).content.decode()
    assert "?kind__exact=reply" in offered
