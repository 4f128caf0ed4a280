"""People see where they are logged in, and end it. Rows: D2, D14."""

import re
import time
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.test import Client

from memory_platform.console.log_in.user_agent_names import describe_device
from tests.memory_platform.console.log_in.people import (
    ACCOUNT,
    END,
    LOGIN,
    PASSWORD,
    START,
    is_logged_in,
    open_browser,
    read_text,
    try_password,
)

pytestmark = pytest.mark.usefixtures("pam")
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1"


def log_in_from(address: str, agent: str = FIREFOX, name: str = "pam") -> Client:
    client = open_browser(address, **{"User-Agent": agent})
    assert try_password(client, name).status_code == 302
    assert is_logged_in(client)
    return client


def list_ids(client: Client) -> list[str]:
    return re.findall(r'name="session" value="(\d+)"', client.get(ACCOUNT).content.decode())


def test_the_list_names_device_address_and_time() -> None:
    here = log_in_from("10.0.0.1")
    log_in_from("10.0.0.2", IPHONE)
    text = read_text(here.get(ACCOUNT))
    for words in ("Firefox, Linux", "10.0.0.1", "this device", "Safari, iOS", "10.0.0.2", time.strftime("%Y-%m-%d")):
        assert words in text
    assert len(list_ids(here)) == 1, "nobody ends the session of this page by accident"


def test_one_session_or_all_others_end_at_once() -> None:
    here, phone, desk = log_in_from("10.0.0.1"), log_in_from("10.0.0.2", IPHONE), log_in_from("10.0.0.3")
    row = UserSession.objects.get(ip="10.0.0.2")
    for _ in range(2):  # a second click does no harm
        assert here.post(END, {"session": str(row.pk)})["Location"] == ACCOUNT
    assert [is_logged_in(client) for client in (here, phone, desk)] == [True, False, True]
    here.post(END, {"session": "others"})
    assert [is_logged_in(client) for client in (here, phone, desk)] == [True, False, False]
    answer: Any = desk.get(START)
    assert answer["Location"].startswith(LOGIN)
    assert here.post(END, {"session": str(UserSession.objects.get(ip="10.0.0.1").pk)}).status_code == 302
    assert not is_logged_in(here), "by an old tab: this one ends as well"


def test_nobody_ends_the_session_of_somebody_else() -> None:
    User.objects.create_user("eve", password=PASSWORD, is_staff=True)
    mine, theirs = log_in_from("10.0.0.1"), log_in_from("10.0.0.2", name="eve")
    foreign = UserSession.objects.get(ip="10.0.0.1").pk
    for wrong in (str(foreign), "0", "-1", "x", "", "9" * 40, "\x00", "１"):
        answer = theirs.post(END, {"session": wrong})
        assert (answer.status_code, answer["Location"]) == (302, ACCOUNT), wrong
    theirs.post(END, {"session": "others"})
    assert is_logged_in(mine)
    assert "10.0.0.1" not in read_text(theirs.get(ACCOUNT))
    assert theirs.get(END).status_code == 405


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one() -> None:
    here, other = log_in_from("10.0.0.1"), log_in_from("10.0.0.2")
    new = {"old_password": PASSWORD, "new_password1": "another-long-1", "new_password2": "another-long-1"}
    assert here.post("/console/password_change/", new)["Location"] == "/console/password_change/done/"
    assert is_logged_in(here)
    assert not is_logged_in(other)
    assert "10.0.0.2" not in read_text(here.get(ACCOUNT))


def test_old_passwords_are_not_guessed_in_a_session_that_was_left_open() -> None:
    here = log_in_from("10.0.0.1")
    new = {"old_password": "wrong", "new_password1": "another-long-1", "new_password2": "another-long-1"}
    statuses = [here.post("/console/password_change/", new).status_code for _ in range(11)]
    assert statuses == [200] * 10 + [429]


def test_a_log_in_ends_when_it_is_old_and_when_nobody_uses_it(settings: Any) -> None:
    for seconds_ago, key, words in (
        (settings.CONSOLE_IDLE_MINUTES * 60, "seen_at", "you did nothing for a while"),
        (settings.CONSOLE_SESSION_HOURS * 3600, "logged_in_at", "as old as a log-in may be"),
    ):
        client = log_in_from("10.0.0.1")
        set_back(client, key, seconds_ago - 20)
        assert is_logged_in(client)
        set_back(client, key, seconds_ago)
        answer: Any = client.post("/console/tenants/apikey/add/", {"name": "k"})
        assert answer["Location"].startswith(LOGIN)
        text = read_text(client.get(answer["Location"]))
        assert f"Nothing was saved. Your log-in has ended: {words}" in text or words in text
        assert not is_logged_in(client)


def set_back(client: Client, key: str, seconds: float) -> None:
    session = client.session
    session[key] = time.time() - seconds
    session.save()


def test_use_does_not_prolong_the_absolute_limit() -> None:
    client = log_in_from("10.0.0.1")
    began = client.session["logged_in_at"]
    set_back(client, "seen_at", 120)
    assert is_logged_in(client)
    assert client.session["logged_in_at"] == began
    assert time.time() - client.session["seen_at"] < 10
    try_password(client)
    assert client.session["logged_in_at"] > began, "a new log-in begins anew"


def test_a_page_soon_after_another_writes_nothing() -> None:
    client = log_in_from("10.0.0.1")
    before = UserSession.objects.get().last_seen_at
    client.get("/console/switch/")
    assert UserSession.objects.get().last_seen_at == before
    set_back(client, "seen_at", 61)
    client.get("/console/switch/")
    assert UserSession.objects.get().last_seen_at > before


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox, Linux"),
        (IPHONE, "Safari, iOS"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"),
        ("<script>alert(1)</script>", "unknown device"),
        ("", "unknown device"),
    ],
)
def test_a_device_is_named_in_two_words(agent: str, device: str) -> None:
    assert describe_device(agent) == device


def test_a_hostile_browser_name_is_shown_as_text() -> None:
    client = log_in_from("10.0.0.1", "<script>alert(1)</script>\"'" + "x" * 900)
    page = client.get(ACCOUNT).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_deactivated_person_is_out_at_once(pam: User) -> None:
    client = log_in_from("10.0.0.1")
    User.objects.filter(pk=pam.pk).update(is_active=False)
    assert not is_logged_in(client)
    User.objects.filter(pk=pam.pk).update(is_active=True, is_staff=False)
    assert client.get(START)["Location"].startswith(LOGIN), "no loop between log-in and start"
    assert client.get(LOGIN).status_code == 200
