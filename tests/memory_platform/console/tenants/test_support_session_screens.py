"""Personal data only for a reason and a time, where one is asked for. Rows: T3, T7, D2."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.utils import ProgrammingError
from django.test import Client

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, SupportEnd, SupportSession, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in

PEOPLE = "/console/profiles/subject/"
START = "/console/tenants/supportsession/start/"
END = "/console/tenants/supportsession/end/"
MEMBERS = "/console/tenants/supportsession/members/"
LIST = "/console/tenants/supportsession/"


@pytest.fixture
def otto(world: World, staff: Staff) -> Client:
    """An operator at acme's desk, without a session."""
    client = log_in("otto")
    client.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    return client


def start_session(client: Client, page: str) -> str:
    """Open a session with the form that ``page`` leads to; return where one lands."""
    asked = client.get(page)
    assert asked["Location"].startswith(START)
    shown = client.get(asked["Location"]).content.decode()
    (wanted,) = re.findall(r'name="next" value="([^"]+)"', shown.split('class="support-start"')[1])
    sent = {"reason": "ticket 4711", "minutes": "30", "next": wanted.replace("&amp;", "&")}
    return client.post(START, sent)["Location"]


def test_an_operator_says_why_before_seeing_people_and_lands_where_they_wanted(world: World, otto: Client) -> None:
    wanted = f"{PEOPLE}{world.acme.subject.pk}/change/?clock=as_of"
    assert start_session(otto, wanted) == wanted
    page = otto.get(wanted).content.decode()
    assert "ada" in page
    assert "minutes left" in page
    assert "ticket 4711" in page


@pytest.mark.parametrize(
    "page", ["profiles/subject/", "profiles/subject/find/", "profiles/tag/", "snapshots/receipt/", "snapshots/work/"]
)
def test_nothing_personal_is_shown_before(otto: Client, page: str) -> None:
    assert otto.get(f"/console/{page}?q=ada")["Location"].startswith(START)


def test_what_is_not_personal_needs_no_session(otto: Client) -> None:
    for page in ("", "tenants/apikey/", "tenants/auditrecord/", "auth/user/", LIST.removeprefix("/console/")):
        assert otto.get(f"/console/{page}").status_code == 200, page


def test_a_session_is_of_one_tenant_and_one_person(world: World, staff: Staff, otto: Client) -> None:
    start_session(otto, PEOPLE)
    otto.post("/console/switch/", {"tenant": str(world.globex.tenant.id)})
    assert otto.get(PEOPLE)["Location"].startswith(START)
    ossi = log_in("ossi")
    ossi.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert ossi.get(PEOPLE)["Location"].startswith(START)


def test_a_session_ends_by_the_button(world: World, otto: Client) -> None:
    start_session(otto, PEOPLE)
    assert otto.get(END).status_code == 405
    otto.post(END)
    assert otto.get(PEOPLE)["Location"].startswith(START)
    with tenant_tx(world.acme.tenant.id):
        assert SupportEnd.objects.count() == 1
        actions = AuditRecord.objects.filter(action__startswith="support.").order_by("at")
        assert list(actions.values_list("action", flat=True))[-2:] == ["support.opened", "support.ended"]


def test_a_session_ends_by_itself_and_a_late_form_does_nothing(world: World, otto: Client) -> None:
    with tenant_tx(world.acme.tenant.id):
        SupportSession.objects.create(
            actor_kind="operator",
            actor_id=str(otto.session["_auth_user_id"]),
            reason="before",
            started_at=utc_now() - timedelta(hours=1),
            ends_at=utc_now() - timedelta(seconds=1),
        )
    subject = f"{PEOPLE}{world.acme.subject.pk}/change/"
    answer = otto.post(subject, {"external_id": "eve"}, follow=True)
    assert "Nothing was done" in answer.content.decode()


@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": ""},
        {"reason": " -.- "},
        {"minutes": "481"},
        {"minutes": "0"},
        {"minutes": "x"},
        {"reason": "x" * 401},
    ],
)
def test_a_session_without_a_reason_or_an_end_is_not_opened(world: World, otto: Client, wrong: dict[str, str]) -> None:
    answer = otto.post(START, {"reason": "ticket", "minutes": "30", "next": PEOPLE} | wrong)
    assert answer.status_code == 200
    assert otto.get(PEOPLE)["Location"].startswith(START)


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/console/", "/v1/docs", "javascript:1", ""])
def test_the_form_leads_to_the_console_only(otto: Client, wanted: str) -> None:
    sent = {"reason": "ticket", "minutes": "30", "next": wanted}
    assert otto.post(START, sent)["Location"] == "/console/"


def test_members_need_one_only_where_their_manager_says_so(world: World, staff: Staff) -> None:
    assert staff.sam.get(PEOPLE).status_code == 200
    assert staff.sam.post(MEMBERS, {"needed": "yes", "reason": "me too"}).status_code == 403
    staff.mia.post(MEMBERS, {"needed": "yes", "reason": ""})
    assert staff.sam.get(PEOPLE).status_code == 200
    staff.mia.post(MEMBERS, {"needed": "yes", "reason": "audit of 2026"})
    assert start_session(staff.sam, PEOPLE) == PEOPLE
    assert staff.sam.get(PEOPLE).status_code == 200
    assert staff.mia.get(PEOPLE)["Location"].startswith(START)
    assert staff.gus.get(PEOPLE).status_code == 200  # another tenant's
    staff.mia.post(MEMBERS, {"needed": "no", "reason": "over"})
    assert staff.mia.get(PEOPLE).status_code == 200
    with tenant_tx(world.acme.tenant.id):
        reasons = AuditRecord.objects.filter(action__in=("support.needed", "support.not_needed")).order_by("at")
        assert list(reasons.values_list("reason", flat=True)) == ["audit of 2026", "over"]
    assert not Tenant.objects.get(slug="globex").support_sessions


def test_the_manager_sees_who_looked_why_and_how_long(world: World, staff: Staff, otto: Client) -> None:
    start_session(otto, PEOPLE)
    page = staff.mia.get(LIST).content.decode()
    assert "otto" in page
    assert "ticket 4711" in page
    assert staff.sam.get(LIST).status_code == 403
    trail = staff.mia.get("/console/tenants/auditrecord/?q=otto").content.decode()
    assert "opened a support session" in trail


def test_the_manager_sees_what_was_looked_at(world: World, staff: Staff, otto: Client) -> None:
    start_session(otto, PEOPLE)
    otto.get(f"{PEOPLE}{world.acme.subject.pk}/change/")
    staff.sam.get("/console/profiles/tag/")
    with tenant_tx(world.acme.tenant.id):
        session = SupportSession.objects.get(reason="ticket 4711")
    page = staff.mia.get(f"{LIST}{session.pk}/change/").content.decode()
    assert "viewed: person" in page
    assert "viewed the list: places" not in page, "that was somebody else"
    (trail,) = re.findall(r'href="([^"]+)">All records in the audit trail', page)
    everything = staff.mia.get(trail.replace("&amp;", "&"), follow=True)
    assert everything.status_code == 200
    assert "viewed: person" in everything.content.decode()


def test_a_session_is_kept_as_it_was(world: World, otto: Client) -> None:
    start_session(otto, PEOPLE)
    for statement in (
        "UPDATE support_session SET reason = 'x'",
        "DELETE FROM support_session",
        "DELETE FROM support_end",
    ):
        with pytest.raises(ProgrammingError), tenant_tx(world.acme.tenant.id), connection.cursor() as cursor:
            cursor.execute(statement)
