"""The address of the mail server becomes Django's settings, or is refused without being repeated. Rows: D14."""

from typing import Any

import pytest

from memory_platform.env.mail_server import read_mail_server

FROM = "?_default_from_email=console@example.com"


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("", {}),
        (f"smtp://mail.example.com{FROM}", {"EMAIL_HOST": "mail.example.com", "EMAIL_PORT": 25}),
        (
            f"submission://mia%40x:p%3Ass@mail:2525{FROM}",
            {"EMAIL_PORT": 2525, "EMAIL_HOST_USER": "mia@x", "EMAIL_HOST_PASSWORD": "p:ss", "EMAIL_USE_TLS": True},
        ),
        (f"smtps://mail{FROM}", {"EMAIL_PORT": 465, "EMAIL_USE_SSL": True}),
    ],
)
def test_an_address_is_read(url: str, settings: dict[str, Any]) -> None:
    read = read_mail_server(url)
    assert {name: read[name] for name in settings} == settings
    assert read.get("DEFAULT_FROM_EMAIL", "console@example.com") == "console@example.com"
    assert ("EMAIL_USE_TLS" in read) == url.startswith("submission")


@pytest.mark.parametrize(
    "url", ["mail", "http://secret@mail", "smtp://secret@mail", f"smtp://{FROM}", f"smtp://secret@mail:port{FROM}"]
)
def test_a_wrong_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match=r"is|names") as fault:
        read_mail_server(url)
    assert "secret" not in str(fault.value)
