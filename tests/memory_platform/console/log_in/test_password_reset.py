"""A forgotten password is reset by mail, when there is mail. Rows: D2, D14."""

import re
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail

from tests.memory_platform.console.log_in.people import (
    CODE,
    LOGIN,
    is_logged_in,
    open_browser,
    read_text,
    switch_on,
    try_password,
)

pytestmark = pytest.mark.usefixtures("pam")
ASK = "/console/password-reset/"


def wait_for_mail(count: int) -> None:
    until = time.monotonic() + 5
    while len(mail.outbox) < count and time.monotonic() < until:
        time.sleep(0.01)
    assert len(mail.outbox) == count


@pytest.fixture
def mailbox(settings: Any) -> None:
    settings.EMAIL_URL = "memory://"
    mail.outbox = []


def test_without_mail_there_is_no_link_and_no_page() -> None:
    client = open_browser()
    assert "password-reset" not in client.get(LOGIN).content.decode()
    assert "The operator of this platform can set a new one." in read_text(client.get(LOGIN))
    for page in (ASK, f"{ASK}sent/", f"{ASK}x/y/", f"{ASK}done/"):
        assert client.get(page).status_code == 404
        assert client.post(page, {"email": "pam@example.com"}).status_code in {404, 405}


def test_the_link_sets_a_new_password_once_and_ends_all_sessions(mailbox: None) -> None:
    old = open_browser()
    try_password(old)
    client = open_browser()
    assert ASK in client.get(LOGIN).content.decode()
    assert client.get(ASK).status_code == 200
    assert client.post(ASK, {"email": "PAM@example.com"})["Location"] == f"{ASK}sent/"
    wait_for_mail(1)
    (link,) = re.findall(r"http://testserver(/console/password-reset/\S+)", str(mail.outbox[0].body))
    form: Any = client.get(link)
    new = {"new_password1": "another-long-1", "new_password2": "another-long-1"}
    assert client.post(form["Location"], new)["Location"] == f"{ASK}done/"
    assert not is_logged_in(client), "the link is no log-in"
    assert not is_logged_in(old)
    assert try_password(open_browser(), password="another-long-1").status_code == 302
    assert open_browser().get(link).status_code == 200, "the link was used: its page says so"
    assert "link was invalid" in read_text(open_browser().get(link))


def test_known_and_unknown_addresses_get_the_same_answer(mailbox: None) -> None:
    answers = [open_browser(f"10.0.0.{number}").post(ASK, {"email": email}) for number, email in
               enumerate(("pam@example.com", "nobody@example.com"))]  # fmt: skip
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, f"{ASK}sent/")] * 2
    wait_for_mail(1)


def test_a_reset_does_not_get_around_the_second_factor(mailbox: None, pam: User) -> None:
    browser = open_browser()
    try_password(browser)
    switch_on(browser)
    pam.set_password("another-long-1")
    pam.save()
    assert try_password(open_browser(), password="another-long-1")["Location"] == CODE


def test_people_without_a_password_get_no_link(mailbox: None, pam: User) -> None:
    pam.set_unusable_password()
    pam.save()
    open_browser().post(ASK, {"email": "pam@example.com"})
    time.sleep(0.2)
    assert mail.outbox == []


def test_an_address_asks_five_times_in_five_minutes(mailbox: None) -> None:
    statuses = [open_browser().post(ASK, {"email": "x@example.com"}).status_code for _ in range(6)]
    assert statuses == [302] * 5 + [429]
    assert "Too many attempts" in open_browser().post(ASK, {"email": "x@example.com"}).content.decode()
