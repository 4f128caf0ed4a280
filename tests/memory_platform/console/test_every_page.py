"""Every page of the console: few queries, a strict content security policy, nothing written into it. Rows: D2, T3.

The list of pages is the site's own, so that a new page is tried without being named here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from admin_interface.models import Theme
from django.contrib.admin import site
from django.db import connection
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, URLPattern, URLResolver, reverse

from memory_platform.console.memory_actions.actions import STAFF_ACTIONS
from profiles.models import Subject
from snapshots.scheduled_job_registry import JOBS
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each

MOST_QUERIES = 30
# What some pages do beside showing: make the context anew, look for all that would go, go through a tenant's memory.
OWN_WORK = {"/again/": 24, "/act/forget/": 15, "/preview/backfill-vectors/": 4}
SUBJECT_PAGES = "/console/profiles/subject/"
WRITTEN_IN = re.compile(
    r"<style|<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")|\s(?:style|on[a-z]+)=[\"']", re.IGNORECASE
)
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-src": "'self'",
    "frame-ancestors": "'self'",
    "base-uri": "'none'",
}
# Addresses that end the log-in, or that nobody may ask for.
LEAVES = {"admin:logout", "admin:autocomplete"}

# Of pages that are not of one row, what their addresses name; ``subject`` stands for the id of the subject.
OTHER_ARGUMENTS: Mapping[str, Sequence[list[Any]]] = {
    "admin:preview": [[job] for job in sorted(JOBS)],
    "admin:app_list": [["tenants"], ["profiles"], ["snapshots"], ["django_celery_beat"]],
    "admin:snapshots_receipt_playground": [["subject"]],
    "admin:first_steps": [["subject"]],
    "admin:add_note": [["subject"]],
    "admin:add_preference": [["subject"]],
}

Rows = dict[type[Model], Any]


def names_of(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Yield the names of the site's addresses, with its namespace."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names_of(pattern.url_patterns)
        elif pattern.name:
            yield f"admin:{pattern.name}"


def pages_of(rows: Rows) -> list[str]:
    """Return the address of every page: those without an id, and for each row that is there its own."""
    found = []
    for name in sorted(set(names_of(site.get_urls())) - LEAVES):
        ids = [row.pk for model, row in rows.items() if f":{model._meta.app_label}_{model._meta.model_name}_" in name]
        acts = [[key, verb] for key in ids for verb in STAFF_ACTIONS]
        for args in ([], *([key] for key in ids), *acts, *OTHER_ARGUMENTS.get(name, ())):
            try:
                found.append(reverse(name, args=[rows[Subject].pk if one == "subject" else one for one in args]))
            except NoReverseMatch:
                continue
    return found


def open_page(client: Client, page: str) -> HttpResponse:
    answer: Any = client.get(page, follow=True)
    assert answer.status_code < 500, page
    return answer  # type: ignore[no-any-return]  # the test client's type is one of its own


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each("peanuts")


def people(world: World, staff: Staff) -> list[Client]:
    """Return a manager and the operator, both at acme's desk."""
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    return [staff.mia, staff.olga]


@pytest.mark.slow
def test_no_page_asks_the_database_more_than_thirty_times(world: World, staff: Staff, rows: Rows) -> None:
    manager, operator = people(world, staff)
    told = {page: count_queries(manager, page) for page in pages_of(rows)}
    assert sum(status == 200 for status, _ in told.values()) > 100
    # Where both are let in, the operator's pages ask no more: those of the subject stand for all of them.
    others = [page for page, (status, _) in told.items() if status != 200 or page.startswith(SUBJECT_PAGES)]
    for page in others:
        told[f"{page} (operator)"] = count_queries(operator, page)
    most = {page: MOST_QUERIES + sum(more for part, more in OWN_WORK.items() if part in page) for page in told}
    over = {page: count for page, (_, count) in told.items() if count > most.get(page, MOST_QUERIES)}
    assert over == {}


def count_queries(client: Client, page: str) -> tuple[int, int]:
    """Return the status of a page and the queries that it takes."""
    with CaptureQueriesContext(connection) as asked:
        answer = open_page(client, page)
    return answer.status_code, len(asked)


@pytest.mark.slow
def test_every_page_has_the_policy_and_nothing_that_it_refuses(world: World, staff: Staff, rows: Rows) -> None:
    for client in (Client(), *people(world, staff)):
        for page in pages_of(rows):
            answer = open_page(client, page)
            policy = dict(part.split(" ", 1) for part in answer["Content-Security-Policy"].split("; "))
            assert policy == POLICY, page
            if "html" in answer["Content-Type"]:
                assert WRITTEN_IN.search(answer.content.decode()) is None, page


def test_the_theme_is_a_sheet_that_browsers_keep(world: World, staff: Staff) -> None:
    shown = Client().get("/console/login/").content.decode()
    (address,) = re.findall(r'"(/console/theme\.css\?v=\w+)"', shown)
    sheet = Client().get(address)
    assert sheet["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in sheet["Cache-Control"]
    assert "--admin-interface-header-background-color: #1E293B;" in sheet.content.decode()
    assert Client().post(address).status_code == 405


def test_a_theme_with_another_colour_has_another_address_and_no_rule_gets_in(world: World, staff: Staff) -> None:
    before = re.findall(r"theme\.css\?v=(\w+)", Client().get("/console/login/").content.decode())
    theme = Theme.objects.get_active()
    theme.css_header_background_color, theme.title_color = "#123456", "red}body{a"
    theme.save()
    after = re.findall(r"theme\.css\?v=(\w+)", Client().get("/console/login/").content.decode())
    sheet = Client().get("/console/theme.css").content.decode()
    assert before != after
    assert "#123456" in sheet
    assert "body" not in sheet
