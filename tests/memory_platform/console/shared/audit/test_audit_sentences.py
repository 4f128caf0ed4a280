"""The audit trail is read in words: acts first, looks on demand, people by their id. Rows: T7, D2, T3."""

import re

from django.contrib import admin

from memory_platform.console.shared.audit.audit_sentences import ACTS, describe_action
from profiles.models import Preference, Tag
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE, record_audit
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in, open_support_for
from tests.memory_platform.console.memory_actions.test_memory_admin import run_action
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import label

LIST = "/console/tenants/auditrecord/"


def read_rows(page: str) -> str:
    table = page.partition('id="result_list"')[2].partition("</table>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", table).split())


def test_acts_are_sentences_with_links_and_looks_are_one_filter_away(world: World, staff: Staff) -> None:
    subject = world.acme.subject
    staff.sam.get(f"/console/profiles/subject/{subject.pk}/change/")
    with tenant_tx(world.acme.tenant.id):
        record_audit(COMMAND_LINE, "preference.retracted", object_kind="preference", subject_ref=subject.pk)
        record_audit(COMMAND_LINE, "vendor.invented", object_kind="<b>", object_id="<i>")
    staff.mia.post("/console/tenants/supportsession/members/", {"needed": "no", "reason": "over"})
    staff.sam.get("/console/tenants/apikey/")
    page = staff.mia.get(LIST).content.decode()
    rows = read_rows(page)
    assert "retired a preference · ada" in rows
    assert f'href="/console/profiles/subject/{subject.pk}/change/"' in page
    assert "no longer requires support sessions of members" in rows
    assert "asked for a page" in rows, "a refusal is no look"
    assert "vendor.invented" in rows
    assert "<i>" not in page
    assert "viewed" not in rows
    looks = read_rows(staff.mia.get(LIST, {"show": "looks"}).content.decode())
    assert "viewed: person · ada" in looks
    assert "retired" not in looks
    both = read_rows(staff.mia.get(LIST, {"show": "all", "q": "ada"}).content.decode())
    assert "viewed: person · ada" in both
    assert "retired a preference · ada" in both
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="preference.retracted")
    assert "<h1><bdi>Retired a preference</bdi></h1>" in staff.mia.get(f"{LIST}{record.pk}/change/").content.decode()
    assert read_rows(staff.mia.get(LIST, {"show": "nonsense"}).content.decode())


def read_trail(page: str, table: str = "change-history") -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition(f'id="{table}"')[2].partition("</table>")[0]).split())


def test_the_trail_of_a_person_tells_what_staff_did_to_their_memories(world: World, staff: Staff) -> None:
    label(world.acme, "office", address="88 Mill Avenue")
    with tenant_tx(world.acme.tenant.id):
        office = Tag.objects.select_related("subject").get()
    person, tag = f"/console/profiles/subject/{office.subject_id}", f"/console/profiles/tag/{office.pk}"
    run_action(
        staff.sam, office, "correct", label="office", kind="place", address="90 Mill Avenue", reason="ticket 4711"
    )
    run_action(staff.sam, office, "undo", reason="wrong person")
    staff.sam.get(f"{person}/change/")
    for page in (f"{person}/history/", f"{tag}/history/"):
        shown = staff.sam.get(page).content.decode()
        acts = read_trail(shown)
        assert "corrected a memory · office" in acts
        assert "ticket 4711" in acts
        assert "undid the correction of a memory · office" in acts
        assert f'href="{tag}/change/"' in shown
        assert "viewed" not in acts
    views = staff.sam.get(f"{person}/history/").content.decode()
    assert re.search(r"<summary>Show \d+ views</summary>", views)
    assert "viewed: person" in read_trail(views, "change-views")
    assert staff.gus.get(f"{person}/history/").status_code == 404


def test_the_list_names_memories_and_its_filter_speaks_in_sentences(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
    run_action(staff.sam, rows[Preference], "confirm")
    page = staff.mia.get(LIST).content.decode()
    assert f"confirmed a memory · {rows[Preference].key.replace('_', ' ')}" in read_rows(page)
    assert re.search(r"<option [^>]*>\s*confirmed a memory\s*</option>", page) or ">confirmed a memory</option>" in page
    assert ">memory.confirmed<" not in page
    for title in ("Time", "Refused", "Action"):
        assert f">{title}</h3>" in page


def test_the_reason_of_an_act_and_what_it_entailed_stands_once(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        for action in ("memory.corrected", "snapshot.retired", "snapshot.retired"):
            record_audit(COMMAND_LINE, action, object_kind="tag", reason="she called 她来电")
        record_audit(COMMAND_LINE, "tag.deleted", object_kind="tag", reason="another act")
    rows = read_rows(staff.mia.get(LIST).content.decode())
    assert rows.count("she called 她来电") == 1 and rows.count("as below: the same act") == 2
    assert "another act" in rows


def test_an_operator_reads_whom_it_was_about_within_a_support_session_only(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        record_audit(COMMAND_LINE, "preference.retracted", subject_ref=world.acme.subject.pk)
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert "· ada" not in read_rows(otto.get(LIST).content.decode())
    assert "· ada" not in read_rows(otto.get(LIST, {"q": "ada"}).content.decode())
    open_support_for("otto", world.acme.tenant)
    assert "· ada" in read_rows(otto.get(LIST).content.decode())


def test_what_screens_record_is_said_in_words() -> None:
    assert describe_action("profile_fact.listed") == "viewed the list: profile facts"
    assert describe_action("tag.viewed") == "viewed: place or contact"
    assert describe_action("api.memory:read") == "called the API, scope memory:read"
    assert describe_action("nobody.knows") == "nobody.knows"
    own_words = {"start.viewed", "memory_file.viewed"}
    assert not {"viewed", "listed"} & {action.partition(".")[2] for action in ACTS if action not in own_words}
    assert admin.site.is_registered(AuditRecord)
