"""The audit trail is read in words: acts first, looks on demand, people by their id. Rows: T7, D2, T3."""

import re

from django.contrib import admin

from memory_platform.console.tenants.audit_sentences import ACTS, describe_action
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE, record_audit
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in, open_support_for

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
    assert "looked at" not in rows
    looks = read_rows(staff.mia.get(LIST, {"show": "looks"}).content.decode())
    assert "looked at: subject · ada" in looks
    assert "retired" not in looks
    both = read_rows(staff.mia.get(LIST, {"show": "all", "q": "ada"}).content.decode())
    assert "looked at: subject · ada" in both
    assert "retired a preference · ada" in both
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="preference.retracted")
    assert "<h1><bdi>retired a preference</bdi></h1>" in staff.mia.get(f"{LIST}{record.pk}/change/").content.decode()
    assert read_rows(staff.mia.get(LIST, {"show": "nonsense"}).content.decode())


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
    assert describe_action("profile_fact.listed") == "looked through: profile facts"
    assert describe_action("tag.viewed") == "looked at: tag"
    assert describe_action("api.memory:read") == "called the API, scope memory:read"
    assert describe_action("nobody.knows") == "nobody.knows"
    assert not {"viewed", "listed"} & {action.partition(".")[2] for action in ACTS if action != "start.viewed"}
    assert admin.site.is_registered(AuditRecord)
