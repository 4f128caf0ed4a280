"""Log-in through an OpenID provider over real HTTP, also one that lies or is away. Rows: D2, D14."""

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.contrib.auth.models import User

from memory_platform.console.log_in import oidc_provider
from tests.memory_platform.console.log_in.people import (
    START,
    is_logged_in,
    open_browser,
    try_password,
)
from tests.memory_platform.console.log_in.provider_log_ins import (
    BACK,
    GO,
    go_and_come_back,
    read_refusal,
)
from tests.oidc_server import CLIENT, KEY, OTHER_KEY, FakeProvider, sign_with_secret

WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "another audience": {"aud": "another-client"},
    "several audiences, another party": {"aud": [CLIENT, "other"], "azp": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "another nonce": {"nonce": "n" * 20},
    "no nonce": {"nonce": None},
    "expired": {"exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200},
    "no expiry": {"exp": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject of another shape": {"sub": {"a": 1}},
    "an endless subject": {"sub": "x" * 300},
    "a subject that Postgres cannot keep": {"sub": "a\x00b"},
    "not valid yet": {"nbf": int(time.time()) + 3600},
}


@pytest.mark.parametrize("lie", WRONG_CLAIMS)
def test_a_token_with_a_wrong_claim_is_refused(provider: FakeProvider, lie: str) -> None:
    provider.claims["groups"] = ["acme-bosses"]
    provider.lies = WRONG_CLAIMS[lie]
    client = open_browser()
    assert "answer was refused" in read_refusal(client, go_and_come_back(client))
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "signing", [("RS256", OTHER_KEY), ("none", None), sign_with_secret()], ids=["key", "none", "hmac"]
)
def test_a_token_with_a_wrong_signature_is_refused(provider: FakeProvider, signing: Any) -> None:
    provider.claims["groups"] = ["acme-bosses"]
    provider.signing = signing
    client = open_browser()
    assert "answer was refused" in read_refusal(client, go_and_come_back(client))
    provider.signing = ("RS256", KEY)
    assert is_logged_in_by(provider)


def is_logged_in_by(provider: FakeProvider) -> bool:
    client = open_browser()
    go_and_come_back(client)
    return is_logged_in(client)


BEARER = '"access_token": "at", "token_type": "Bearer"'


@pytest.mark.parametrize(
    "body",
    [
        *("", "[]", "7", "null", "{", '{"error": "x"}', f"{{{BEARER}}}"),
        *(f'{{{BEARER}, "id_token": 7}}', f'{{{BEARER}, "id_token": "a.b.c"}}'),
    ],
)
def test_whatever_the_token_endpoint_says_is_a_refused_log_in(provider: FakeProvider, body: str) -> None:
    provider.instead_of_token = body.encode()
    client = open_browser()
    assert "answer was refused" in read_refusal(client, go_and_come_back(client))


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": None},
        {"authorization_endpoint": 7},
        {"code_challenge_method": "plain", "scope": "everything", "verify": False, "client_id": "x"},
    ],
)
def test_metadata_of_another_shape_turns_nothing_off(provider: FakeProvider, metadata: Any) -> None:
    provider.metadata = metadata
    provider.claims["groups"] = ["acme-support"]
    client = open_browser()
    answer: Any = client.get(GO)
    if "code_challenge_method" in metadata:
        query = parse_qs(urlsplit(answer["Location"]).query)
        assert query["code_challenge_method"] == ["S256"]
        assert query["client_id"] == [CLIENT]
        assert query["scope"] == ["openid profile email"]
        assert query["redirect_uri"] == ["http://testserver/console/oidc/callback/"]
    else:
        assert "answer was refused" in read_refusal(client, answer)


def test_an_answer_counts_once_and_only_in_the_browser_that_asked(provider: FakeProvider) -> None:
    provider.claims["groups"] = ["acme-support"]
    client, stranger = open_browser(), open_browser()
    asked: Any = client.get(GO)
    sent = httpx.get(asked["Location"]).headers["location"].removeprefix("http://testserver")
    assert "answer was refused" in read_refusal(stranger, stranger.get(sent))
    assert client.get(sent)["Location"] == START
    client.post("/console/logout/")
    assert "answer was refused" in read_refusal(client, client.get(sent)), "the back button"


@pytest.mark.parametrize(
    "query", ["", "?code=x", "?state=x", "?code=x&state=y", "?error=access_denied&error_description=<b>", "?state=%00"]
)
def test_an_answer_that_nobody_asked_for_is_refused(provider: FakeProvider, query: str) -> None:
    client = open_browser()
    text = read_refusal(client, client.get(f"{BACK}{query}"))
    assert "answer was refused" in text
    assert "<b>" not in text


def test_a_log_in_changes_the_session_that_was_there_before(provider: FakeProvider) -> None:
    provider.claims["groups"] = ["acme-support"]
    client = open_browser()
    client.get(GO)
    before = client.cookies["sessionid"].value
    go_and_come_back(client)
    assert client.cookies["sessionid"].value != before


def test_while_the_provider_is_away_passwords_still_work(
    provider: FakeProvider, settings: Any, pam: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = open_browser()
    settings.CONSOLE_OIDC_ISSUER = "http://127.0.0.1:9/realm"
    assert "The log-in provider does not answer" in read_refusal(client, client.get(GO))
    settings.CONSOLE_OIDC_ISSUER, provider.delay_s = provider.issuer, 1.0
    monkeypatch.setattr(oidc_provider, "TIMEOUT_S", 0.2)
    assert "The log-in provider does not answer" in read_refusal(client, client.get(GO))
    assert try_password(client)["Location"] == START


def test_addresses_that_ask_the_provider_too_often_wait(provider: FakeProvider) -> None:
    client = open_browser()
    for _ in range(30):
        client.get(GO)
    count = len(provider.requests)
    assert "Too many log-ins from your address" in read_refusal(client, client.get(GO))
    assert len(provider.requests) == count
