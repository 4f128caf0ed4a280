"""Log-ins with a password are limited, and lead only into the console. Rows: D2, D14."""

import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from django.conf import global_settings
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import World
from tests.memory_platform.console.log_in.people import (
    ACCOUNT,
    LOGIN,
    PASSWORD,
    START,
    is_logged_in,
    open_browser,
    read_text,
    try_password,
)

pytestmark = pytest.mark.usefixtures("pam")
ROOT = Path(__file__).resolve().parents[4]


def fail(count: int, username: str = "pam", address: str = "127.0.0.1") -> Any:
    answer: Any = None
    for _ in range(count):
        answer = try_password(open_browser(address), username, "wrong")
    return answer


def test_the_right_password_leads_to_the_page_that_was_wanted() -> None:
    client = open_browser()
    asked = client.get("/console/profiles/subject/")
    assert asked["Location"] == f"{LOGIN}?next=/console/profiles/subject/"
    assert 'name="next" value="/console/profiles/subject/"' in client.get(asked["Location"]).content.decode()
    assert try_password(client, next="/console/profiles/subject/")["Location"] == "/console/profiles/subject/"
    assert client.get("/console/profiles/subject/").status_code == 200
    assert client.get(LOGIN)["Location"] == START


@pytest.mark.parametrize(
    "elsewhere",
    [
        *("//evil.example", "https://evil.example/console/", "/\\evil.example", "javascript:alert(1)", "/v1/tenant"),
        *("https://localhost/console/", "http:///console/", "\t//evil.example/console/"),
    ],
)
def test_no_address_leads_out_of_the_console(elsewhere: str) -> None:
    assert try_password(open_browser(), next=elsewhere)["Location"] == START
    by_query = open_browser().post(f"{LOGIN}?next={elsewhere}", {"username": "pam", "password": "a-good-long-word"})
    assert by_query["Location"] == START


def test_after_five_failures_even_the_right_password_waits_and_is_told_how_long() -> None:
    assert "try again" not in read_text(fail(5)).lower()
    for password in ("wrong", "a-good-long-word"):
        answer = try_password(open_browser(), password=password)
        assert answer.status_code == 429
        assert "Too many failed log-ins. Try again in 5 minutes." in read_text(answer)
    assert try_password(open_browser(), " PAM ").status_code == 429, "the same account, however it is written"
    assert try_password(open_browser(), "olga", "wrong").status_code == 200, "another account is not concerned"


def test_a_stranger_s_failures_do_not_shut_the_owner_out() -> None:
    for _ in range(2):
        fail(7, address="10.0.0.9")
    assert is_accepted(try_password(open_browser()))


def test_all_addresses_together_try_one_account_a_hundred_times_an_hour() -> None:
    for number in range(25):
        fail(4, address=f"10.0.7.{number}")
    answer = try_password(open_browser())
    assert answer.status_code == 429
    assert "Try again in 60 minutes." in read_text(answer)


def test_unknown_and_known_names_get_the_same_answers() -> None:
    User.objects.create_user("guest", password="a-good-long-word")  # no staff
    User.objects.create_user("gone", password="a-good-long-word", is_staff=True, is_active=False)
    seen = {}
    for number, (name, password) in enumerate(
        [("pam", "wrong"), ("nobody", "wrong"), ("guest", "a-good-long-word"), ("gone", "a-good-long-word")]
    ):
        answers = [try_password(open_browser(f"10.0.0.{number}"), name, password) for _ in range(7)]
        texts = [re.sub(r'value="[^"]*"', "", answer.content.decode()).replace(name, "X") for answer in answers]
        seen[name] = [
            (answer.status_code, re.sub(r"(csrf\S+|\d+ minutes?)", "", text))
            for answer, text in zip(answers, texts, strict=True)
        ]
    assert seen["pam"] == seen["nobody"] == seen["guest"] == seen["gone"]
    assert [status for status, _ in seen["pam"]] == [200] * 5 + [429] * 2


@pytest.mark.slow
def test_unknown_and_known_names_take_the_same_time(settings: Any) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # the platform's own
    pam = User.objects.get(username="pam")
    pam.set_password(PASSWORD)
    pam.save()

    def spend(name: str) -> float:
        began = time.perf_counter()
        try_password(open_browser(f"10.1.{len(times)}.{len(name)}"), name, "wrong")
        return time.perf_counter() - began

    times: list[tuple[float, float]] = []
    for _ in range(5):
        times.append((spend("pam"), spend("nobody")))
    known, unknown = (median(column) for column in zip(*times, strict=True))
    assert 0.5 < known / unknown < 2


def test_an_address_that_tries_many_accounts_waits_too() -> None:
    for number in range(20):
        assert fail(1, f"name-{number}", "10.0.0.7").status_code == 200
    assert fail(1, "name-x", "10.0.0.7").status_code == 429
    assert try_password(open_browser("10.0.0.7")).status_code == 429
    assert is_accepted(try_password(open_browser("10.0.0.8")))


def is_accepted(answer: Any) -> bool:
    return bool(answer.status_code == 302)


def test_a_forged_header_is_no_new_address(settings: Any) -> None:
    for number in range(20):
        client = open_browser("10.0.0.7", **{"X-Forwarded-For": f"1.2.3.{number}", "X-Real-IP": f"1.2.3.{number}"})
        try_password(client, f"name-{number}", "wrong")
    assert try_password(open_browser("10.0.0.7", **{"X-Forwarded-For": "9.9.9.9"})).status_code == 429
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    behind_proxy = open_browser("10.0.0.7", **{"X-Forwarded-For": "10.0.0.7, 1.2.3.4"})
    assert is_accepted(try_password(behind_proxy)), "the proxy says the last one"
    assert try_password(open_browser("10.0.0.7")).status_code == 429, "and who comes past it is the peer"


def test_a_right_log_in_between_does_not_start_the_count_anew() -> None:
    fail(4)
    assert is_accepted(try_password(open_browser()))
    fail(1)
    assert try_password(open_browser()).status_code == 429


@pytest.mark.slow
@pytest.mark.processes
def test_another_process_knows_of_the_failures() -> None:
    fail(5)
    program = (
        "import django; django.setup(); from django.core.cache import cache; from django.conf import settings;"
        "from memory_platform.providers.redis.client import redis_client;"
        "print(redis_client().call('t', lambda c: len(list(c.scan_iter('console:*login_failed*')))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=100
    )
    assert int(done.stdout.split()[-1]) == 2, "by account and by address"


def test_limits_hold_while_redis_is_away(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere.sock"
    fail(5, "somebody")
    assert try_password(open_browser(), "somebody").status_code == 429
    assert is_accepted(try_password(open_browser("10.0.0.6")))


def test_a_log_in_changes_the_session_that_was_there_before() -> None:
    client = open_browser()
    client.session.save()
    session = client.session
    session["planted"] = "by somebody"
    session.save()
    client.cookies["sessionid"] = session.session_key or ""
    assert is_accepted(try_password(client))
    assert client.cookies["sessionid"].value != session.session_key
    victim = Client()
    victim.cookies["sessionid"] = session.session_key or ""
    assert victim.get(ACCOUNT).status_code == 302


def test_a_form_sent_twice_and_one_without_fields_do_no_harm() -> None:
    client = open_browser()
    assert [try_password(client).status_code for _ in range(2)] == [302, 302]
    assert is_logged_in(client)
    empty = open_browser().post(LOGIN, {})
    assert empty.status_code == 200
    assert "Enter your user name and your password." in read_text(empty)
    assert open_browser().post(LOGIN, {"username": "p\x00am", "password": "x"}).status_code == 200


def test_a_form_sent_after_the_session_was_lost_says_so(world: World) -> None:
    client = open_browser()
    try_password(client)
    client.session.flush()
    answer = client.post("/console/tenants/apikey/add/", {"name": "k"})
    assert answer["Location"].startswith(LOGIN)
    text = read_text(client.get(answer["Location"]))
    assert "Nothing was saved. Your log-in has ended" in text
    assert "Your log-in has ended" not in read_text(client.get(LOGIN)), "said once"


def test_who_comes_for_the_first_time_reads_no_reason() -> None:
    client = open_browser()
    assert "has ended" not in read_text(client.get(client.get(START)["Location"]))


def test_there_is_no_sign_up_and_no_page_of_addresses() -> None:
    client = open_browser()
    try_password(client)
    for page in ("signup/", "email/", "3rdparty/", "social/connections/", "login/code/confirm/", "accounts/login/"):
        for base in ("/console/", "/console/account/", "/", "/accounts/"):
            assert client.get(f"{base}{page}").status_code == 404, base + page
    for model in ("account/emailaddress", "mfa/authenticator", "usersessions/usersession"):
        assert client.get(f"/console/{model}/").status_code == 404, model
