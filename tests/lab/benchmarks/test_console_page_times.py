"""A visit of the console finds its pages by itself, and leaves nobody behind. Rows: D2."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from lab.benchmarks.console_page_times import (
    PageSeen,
    Visitor,
    classify_page,
    find_console_links,
    list_start_pages,
    log_in_visitor,
    measure_floor,
    measure_linked_pages,
)
from lab.benchmarks.load.load_target import MeasuredStack, MeasurementRefused
from tenants.isolation import tenant_tx
from tenants.models import Member
from tests.conftest import World
from tests.serving import serve_app
from tests.snapshots.held import remember


@pytest.fixture
def target(database: None) -> Iterator[MeasuredStack]:
    """The whole platform over HTTP for one test."""
    with serve_app() as port:
        yield MeasuredStack("127.0.0.1", port, "")


@pytest.mark.slow
def test_a_visit_reaches_pages_of_every_section_and_ends_as_it_began(world: World, target: MeasuredStack) -> None:
    house = world.acme
    remember(house, "My dog is called Rex")
    with log_in_visitor(target, house.tenant.id) as visitor:
        assert measure_floor(visitor, 2) > 0
        pages = {
            page.name: page
            for page in measure_linked_pages(
                visitor, list_start_pages(house.tenant.id, ["ada"]), 1, 1, advance=lambda _: None
            )
        }
    assert {
        "admin:index",
        "admin:profiles_subject_changelist",
        "admin:profiles_subject_change",
        "admin:snapshots_snapshot_changelist",
        "admin:tenants_auditrecord_changelist",
    } <= pages.keys()
    assert {page.status for page in pages.values()} <= {200, 302}
    assert all(len(page.ms) == 1 for page in pages.values())
    with tenant_tx(house.tenant.id):
        assert not Member.objects.exists()
    assert not User.objects.filter(username__startswith="bench-").exists()
    assert not Session.objects.exists()


def test_nobody_is_let_in_with_a_made_up_session(world: World, target: MeasuredStack) -> None:
    with log_in_visitor(target, world.acme.tenant.id) as visitor:
        pass
    status, _, _ = visitor.get("/console/")
    assert status == 302


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/console/", "admin:index"),
        ("/console/profiles/subject/?q=ada&p=1", "admin:profiles_subject_changelist?p&q"),
        ("/console/logout/", None),
        ("/console/jsi18n/", None),
    ],
)
def test_pages_of_one_kind_are_asked_together(address: str, kind: str | None) -> None:
    assert classify_page(address) == kind


def test_only_links_below_the_console_are_followed() -> None:
    elsewhere = '<a href="https://elsewhere.example/console/">x</a> <a href="/v1/docs">y</a>'
    page = f'<a href="?p=2">2</a> {elsewhere} <a href="#a">z</a>'
    assert list(find_console_links(page, "/console/profiles/subject/")) == [
        "/console/profiles/subject/?p=2",
        "/console/profiles/subject/",
    ]


def test_a_slow_page_says_so() -> None:
    assert PageSeen("admin:index", ms=[10, 20, 30]).render_line(2) == "admin:index: p50 20 ms (10 x), most 30 ms of 3"
    assert PageSeen("slow", ms=[400], status=500).render_line(2).endswith("answered 500  OVER 300 ms")


def test_a_stack_that_is_not_there_is_told() -> None:
    with pytest.raises(MeasurementRefused, match="broke off"):
        measure_floor(visitor_of_nothing(), 1)


def visitor_of_nothing() -> Visitor:
    return Visitor(MeasuredStack("127.0.0.1", 1, ""), "")
