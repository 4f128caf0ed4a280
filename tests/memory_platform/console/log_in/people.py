"""What somebody does who logs in: password, code, set-up of the second factor."""

import re
import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.test import Client

from tests.conftest import HANDLER

PASSWORD = "a-good-long-word"
START, LOGIN, CODE = "/console/", "/console/login/", "/console/login/code/"
ACCOUNT, SET_UP, SWITCH_OFF = (
    "/console/account/",
    "/console/account/second-factor/",
    "/console/account/second-factor/off/",
)
CODES, AGAIN, END = (
    "/console/account/recovery-codes/",
    "/console/account/password-again/",
    "/console/account/sessions/end/",
)
STEP_S = 30


def open_browser(address: str = "127.0.0.1", **headers: str) -> Client:
    client = Client(REMOTE_ADDR=address, headers=headers)
    client.handler = HANDLER
    return client


def try_password(client: Client, username: str = "pam", password: str = PASSWORD, **more: str) -> Any:
    return client.post(LOGIN, {"username": username, "password": password, **more})


def is_logged_in(client: Client) -> bool:
    return client.get(ACCOUNT).status_code == 200


def read_text(answer: Any) -> str:
    """Return what a page says, messages included."""
    page = answer.content.decode().partition("</header>")[2].partition('id="footer"')[0]
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def make_code(secret: str, steps: int = 0) -> str:
    """Return the code of now, or of some steps of 30 s away."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // STEP_S + steps)))


def enter_password_again(client: Client, page: str, password: str = PASSWORD) -> Any:
    """Open a page of the account that asks for the password first, and enter it."""
    asked: Any = client.get(page)
    assert asked.status_code == 302, asked
    assert asked["Location"].startswith(AGAIN)
    return client.post(asked["Location"], {"password": password})


def read_secret(page: Any) -> str:
    found = re.search(r'account-secret">([\w ]+)<', page.content.decode())
    assert found
    return found[1].replace(" ", "")


def switch_on(client: Client, steps: int = -1) -> str:
    """Set the second factor up with the code of the step before, and return its secret."""
    enter_password_again(client, SET_UP)
    secret = read_secret(client.get(SET_UP))
    answer = client.post(SET_UP, {"code": make_code(secret, steps)})
    assert answer["Location"] == CODES, answer.content.decode()
    return secret


def read_recovery_codes(client: Client) -> list[str]:
    return re.findall(r"<code>(\d+)</code>", client.get(CODES).content.decode())


def has_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user).exists())
