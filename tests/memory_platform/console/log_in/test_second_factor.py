"""A second factor for log-ins with a password: codes count once, and nobody gets around it. Rows: D2, D14."""

import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from memory_platform.console.log_in import allauth_adapters
from memory_platform.console.log_in.own_log_in_page import count_recovery_codes
from tests.conftest import World
from tests.memory_platform.console.forms import forms_of
from tests.memory_platform.console.log_in.people import (
    ACCOUNT,
    AGAIN,
    CODE,
    CODES,
    LOGIN,
    PASSWORD,
    SET_UP,
    START,
    STEP_S,
    SWITCH_OFF,
    enter_password_again,
    has_factor,
    is_logged_in,
    make_code,
    open_browser,
    read_recovery_codes,
    read_secret,
    read_text,
    switch_on,
    try_password,
)
from tests.memory_platform.console.test_every_page import WRITTEN_IN

pytestmark = pytest.mark.usefixtures("pam")


@pytest.fixture
def client(pam: User) -> Client:
    client = open_browser()
    try_password(client)
    return client


def enter_code(code: str) -> Any:
    """Log in anew with the password and this code."""
    browser = open_browser()
    asked = try_password(browser, next="/console/profiles/subject/")
    assert asked["Location"] == CODE
    assert not is_logged_in(browser)
    return browser.post(CODE, {"code": code})


def test_after_the_password_comes_the_code_and_then_the_wanted_page(client: Client) -> None:
    secret = switch_on(client)
    browser = open_browser()
    assert try_password(browser, next="/console/profiles/subject/")["Location"] == CODE
    page = browser.get(CODE)
    assert "Enter the code that your app shows now" in read_text(page)
    assert WRITTEN_IN.search(page.content.decode()) is None
    answer: Any = browser.post(CODE, {"code": make_code(secret)})
    assert answer["Location"] == "/console/profiles/subject/"
    assert is_logged_in(browser)
    assert browser.get(CODE)["Location"] == START, "the back button leads on"


def test_no_page_opens_between_password_and_code(client: Client) -> None:
    switch_on(client)
    browser = open_browser()
    try_password(browser)
    for page in (START, "/console/switch/", ACCOUNT, SET_UP, SWITCH_OFF, CODES, "/console/password_change/"):
        assert browser.get(page)["Location"].startswith(LOGIN), page
    assert browser.post("/console/account/sessions/end/", {"session": "others"})["Location"].startswith(LOGIN)
    assert open_browser().get(CODE)["Location"] == LOGIN, "the code comes after a password"
    assert open_browser().post(CODE, {"code": "123456"})["Location"] == LOGIN


def test_the_picture_is_an_svg_that_the_policy_allows(client: Client) -> None:
    enter_password_again(client, SET_UP)
    page = client.get(SET_UP)
    html = page.content.decode()
    assert 'src="data:image/svg+xml;base64,' in html
    assert WRITTEN_IN.search(html) is None
    assert "img-src 'self' data:" in page["Content-Security-Policy"]
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    "steps", [-1, pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.slow)]
)
def test_a_code_is_good_for_one_step_on_each_side(client: Client, steps: int) -> None:
    wait_for_a_whole_step()
    secret = switch_on(client, steps=-1 if steps != -1 else 0)
    assert enter_code(make_code(secret, steps))["Location"] == "/console/profiles/subject/"


@pytest.mark.parametrize("steps", [-3, -2, 2, 3])
def test_older_and_later_codes_are_wrong(client: Client, steps: int) -> None:
    wait_for_a_whole_step()
    secret = switch_on(client)
    assert "This code is wrong" in read_text(enter_code(make_code(secret, steps)))


def wait_for_a_whole_step() -> None:
    """Wait until the step of now lasts as long as a test."""
    left = STEP_S - time.time() % STEP_S
    if left < 8:
        time.sleep(left)


def test_no_code_counts_twice(client: Client) -> None:
    wait_for_a_whole_step()
    secret = switch_on(client, steps=-1)
    assert "This code is wrong" in read_text(enter_code(make_code(secret, -1))), "the one of the set-up"
    code = make_code(secret)
    assert enter_code(code).status_code == 302
    assert "This code is wrong" in read_text(enter_code(code))
    assert "This code is wrong" in read_text(enter_code(f" {code[:3]} {code[3:]} ")), "written otherwise"


def test_wrong_codes_are_limited_and_then_the_right_one_waits(client: Client) -> None:
    secret = switch_on(client)
    browser = open_browser("10.0.0.3")
    try_password(browser)
    for _ in range(5):
        assert "This code is wrong" in read_text(browser.post(CODE, {"code": "000000"}))
    assert "Too many wrong codes" in read_text(browser.post(CODE, {"code": make_code(secret)}))
    assert not is_logged_in(browser)
    other = open_browser("10.0.0.4")
    try_password(other)
    assert "Too many wrong codes" in read_text(other.post(CODE, {"code": make_code(secret)}))


def test_a_recovery_code_logs_in_once(client: Client) -> None:
    switch_on(client)
    codes = read_recovery_codes(client)
    assert len(set(codes)) == 10
    assert enter_code(codes[0]).status_code == 302
    assert "This code is wrong" in read_text(enter_code(codes[0]))
    assert "9 recovery codes are left" in read_text(client.get(ACCOUNT))
    client.post(f"{CODES}new/")
    assert set(read_recovery_codes(client)).isdisjoint(codes)
    assert "This code is wrong" in read_text(enter_code(codes[1]))


def test_setting_up_and_switching_off_ask_for_the_password(client: Client, pam: User) -> None:
    for page in (SET_UP, AGAIN):
        client.get(page)
    assert client.post(SET_UP, {"code": "123456"})["Location"].startswith(AGAIN), "not even by a post"
    answer = enter_password_again(client, SET_UP, "wrong")
    assert "This password is wrong" in read_text(answer)
    assert not has_factor(pam)
    secret = switch_on(client)
    other = open_browser()
    try_password(other)
    other.post(CODE, {"code": make_code(secret)})
    assert other.post(SWITCH_OFF)["Location"].startswith(AGAIN)
    assert has_factor(pam)
    assert enter_password_again(other, SWITCH_OFF)["Location"] == ACCOUNT, "the form that waited is carried out"
    assert not has_factor(pam)
    assert try_password(open_browser())["Location"] == START
    said = list(LogEntry.objects.filter(user=pam).order_by("pk").values_list("change_message", flat=True))
    assert said == ["Second factor switched on.", "Second factor switched off."]


def test_set_up_twice_and_by_two_tabs(client: Client, pam: User) -> None:
    enter_password_again(client, SET_UP)
    first = read_secret(client.get(SET_UP))
    second = read_secret(client.get(SET_UP))
    assert first != second
    assert "This code is wrong" in read_text(client.post(SET_UP, {"code": make_code(first)})), "a stale tab"
    assert client.post(SET_UP, {"code": make_code(second)})["Location"] == CODES
    assert client.post(SET_UP, {"code": make_code(second, 1)})["Location"] == SWITCH_OFF, "it is on already"
    assert Authenticator.objects.filter(user=pam).count() == 2, "the app and the recovery codes"


def test_the_secret_is_not_readable_in_the_database(client: Client, pam: User, settings: Any) -> None:
    secret = switch_on(client)
    row = Authenticator.objects.get(user=pam, type="totp")
    assert secret not in str(row.data)
    assert allauth_adapters.SecondFactorRules().decrypt(row.data["secret"]) == secret
    settings.SECRET_KEY = "another key, which reads nothing of what was kept before"
    browser = open_browser()
    try_password(browser)
    assert "can no longer be read" in read_text(browser.post(CODE, {"code": make_code(secret)}))
    assert count_recovery_codes(pam) == 0, "none can be read, and the operator's page shows that"
    call_command("reset_second_factor", "pam")
    assert not has_factor(pam)
    assert LogEntry.objects.filter(change_message="Second factor reset on the command line.").count() == 1
    call_command("reset_second_factor", "pam")
    with pytest.raises(CommandError, match="No account has this user name"):
        call_command("reset_second_factor", "nobody-here")


def test_a_platform_may_require_it(settings: Any, world: World, client: Client, pam: User) -> None:
    settings.CONSOLE_REQUIRE_SECOND_FACTOR = True
    for page in (START, "/console/profiles/subject/", "/console/switch/", "/console/dashboard/"):
        assert client.get(page)["Location"] == SET_UP, page
    assert client.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})["Location"] == SET_UP
    assert client.get("/console/password_change/").status_code == 200
    switch_on(client)
    assert client.get(START).status_code == 200
    enter_password_again_if_asked(client, SWITCH_OFF)
    assert "You cannot switch it off" in read_text(client.get(SWITCH_OFF))
    assert "You cannot switch it off" in read_text(client.post(SWITCH_OFF))
    assert has_factor(pam)


def enter_password_again_if_asked(client: Client, page: str) -> None:
    if client.get(page).status_code == 302:
        enter_password_again(client, page)


def test_entering_the_password_again_leads_nowhere_else(client: Client) -> None:
    answer: Any = client.post(f"{AGAIN}?next=https://evil.example/", {"password": PASSWORD})
    assert answer["Location"] == START


def test_forms_of_the_account_need_no_tenant(client: Client, pam: User) -> None:
    loner = User.objects.create_user("lone", password=PASSWORD, is_staff=True)
    browser = open_browser()
    try_password(browser, "lone")
    switch_on(browser)
    assert has_factor(loner)
    assert all(form.method == "post" for form in forms_of(browser.get(CODES).content.decode()))


def test_it_is_said_in_chinese(client: Client) -> None:
    switch_on(client)
    client.cookies["django_language"] = "zh-hans"
    assert "双重验证" in read_text(client.get(ACCOUNT))
    browser = open_browser()
    browser.cookies["django_language"] = "zh-hans"
    try_password(browser)
    assert "验证码" in read_text(browser.post(CODE, {"code": "000000"}))
