"""The operator resets a lost second factor and ends sessions, with a reason on record. Rows: D2, D14, T7."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.log_in.conftest import forget_attempts, pam  # noqa: F401 - fixtures
from tests.memory_platform.console.log_in.people import (
    START,
    has_factor,
    is_logged_in,
    open_browser,
    read_text,
    switch_on,
    try_password,
)


@pytest.fixture
def browser(world: World, pam: User) -> Client:  # noqa: F811 - the fixture
    browser = open_browser()
    try_password(browser)
    switch_on(browser)
    return browser


@pytest.fixture
def operator(world: World, staff: Staff) -> Client:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    return staff.olga


def page_of(user: User) -> str:
    return f"/console/auth/user/{user.pk}/access/"


def read_log(user: User) -> list[str]:
    entries = LogEntry.objects.filter(object_id=str(user.pk), user__username="olga").order_by("pk")
    return list(entries.values_list("change_message", flat=True))


def test_a_lost_second_factor_is_reset_with_a_reason(pam: User, browser: Client, operator: Client) -> None:  # noqa: F811
    assert page_of(pam) in operator.get(f"/console/auth/user/{pam.pk}/change/").content.decode()
    assert "10 recovery codes are left" in read_text(operator.get(page_of(pam)))
    refused = operator.post(page_of(pam), {"act": "reset_factor", "reason": " "}, follow=True)
    assert "Nothing was done: give a reason" in read_text(refused)
    assert has_factor(pam)
    for _ in range(2):  # a second click does no harm
        done: Any = operator.post(
            page_of(pam), {"act": "reset_factor", "reason": "lost phone,\nseen in person"}, follow=True
        )
        assert "The second factor is off" in read_text(done)
    assert not has_factor(pam)
    assert try_password(open_browser())["Location"] == START
    assert read_log(pam) == ["Second factor reset: lost phone, seen in person"]


def test_all_sessions_of_a_person_end(pam: User, browser: Client, operator: Client) -> None:  # noqa: F811
    operator.post(page_of(pam), {"act": "end_sessions", "reason": "stolen laptop"})
    assert not is_logged_in(browser)
    assert is_logged_in(operator)
    assert read_log(pam) == ["All sessions ended (1): stolen laptop"]


def test_nothing_is_done_that_was_not_chosen(pam: User, browser: Client, operator: Client) -> None:  # noqa: F811
    for act in ("", "delete", "RESET_FACTOR"):
        answer: Any = operator.post(page_of(pam), {"act": act, "reason": "x"}, follow=True)
        assert "Nothing was done" in read_text(answer)
    assert has_factor(pam)
    assert is_logged_in(browser)
    assert read_log(pam) == []


def test_nobody_but_the_operator_gets_there(pam: User, browser: Client, staff: Staff) -> None:  # noqa: F811
    for client in (staff.mia, staff.sam, staff.gus, staff.vic):
        assert client.get(page_of(pam)).status_code == 403
        assert client.post(page_of(pam), {"act": "reset_factor", "reason": "x"}).status_code == 403
    assert has_factor(pam)


@pytest.mark.parametrize("wrong", ["0", "999999999", "x", "%00", "01a22423-500c-73a9-896b-cd90d70e9a97"])
def test_a_person_who_is_not_there_is_not_found(operator: Client, wrong: str) -> None:
    assert operator.get(f"/console/auth/user/{wrong}/access/").status_code == 404
