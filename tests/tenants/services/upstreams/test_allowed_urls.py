"""Which addresses a tenant's model endpoint may have. Rows: D10."""

import pytest

from tenants.services.upstreams.allowed_urls import AllowedHost, find_base_url_fault, is_allowed_host

OWN = ["localhost:11434", "vllm.internal", "[fd00::7]:8080", "10.0.0.7"]


def code_of(base_url: str) -> str | None:
    fault = find_base_url_fault(base_url)
    return fault.code if fault else None


@pytest.fixture(autouse=True)
def hosts(settings: object) -> None:
    settings.UPSTREAM_HOSTS = OWN  # type: ignore[attr-defined]  # of Django's settings


@pytest.mark.parametrize(
    "base_url",
    [
        "https://api.openai.com/v1", "https://api.openai.com", "https://8.8.8.8/v1", "https://models.example:8443/a/b/",
        "https://[2606:4700::1111]/v1", "http://localhost:11434/v1", "http://vllm.internal/v1",
        "http://VLLM.internal:81/v1", "http://10.0.0.7:1/v1", "http://[fd00::7]:8080/v1",
    ],
)  # fmt: skip
def test_allowed(base_url: str) -> None:
    assert code_of(base_url) is None


@pytest.mark.parametrize(
    ("base_url", "code"),
    [
        ("", "malformed"),
        ("api.openai.com/v1", "malformed"),
        ("ftp://api.openai.com", "malformed"),
        ("file:///etc/passwd", "malformed"),
        ("https://", "malformed"),
        ("https:///v1", "malformed"),
        ("https://user:secret@api.openai.com/v1", "malformed"),
        ("https://api.openai.com@127.0.0.1/v1", "malformed"),
        ("https://api.openai.com/v1?key=1", "malformed"),
        ("https://api.openai.com/v1?", "malformed"),
        ("https://api.openai.com/v1#a", "malformed"),
        ("https://api.openai.com:port/v1", "malformed"),
        ("https://api.openai.com:99999/v1", "malformed"),
        ("https://api.openai.com/a b", "malformed"),
        ("https://api.openai.com\\@127.0.0.1", "malformed"),
        ("https://api.openai.com/\r\nX: y", "malformed"),
        ("https://mödels.example", "malformed"),
        ("https://" + "a" * 600 + ".example", "malformed"),
        ("http://api.openai.com/v1", "not_https"),
        ("http://localhost:11435/v1", "not_https"),
        ("https://localhost/v1", "private_address"),
        ("https://localhost./v1", "private_address"),
        ("https://127.0.0.1/v1", "private_address"),
        ("https://127.1/v1", "private_address"),
        ("https://0x7f000001/v1", "private_address"),
        ("https://a.0x1/v1", "private_address"),
        ("https://2130706433/v1", "private_address"),
        ("https://[::1]/v1", "private_address"),
        ("https://[::ffff:10.0.0.1]/v1", "private_address"),
        ("https://169.254.169.254/latest", "private_address"),
        ("https://printer.local/v1", "private_address"),
        ("https://metadata.google.internal/v1", "private_address"),
        ("https://vllm/v1", "private_address"),
    ],
)
def test_refused(base_url: str, code: str) -> None:
    assert code_of(base_url) == code


def test_hosts_of_the_operator_are_told_by_name_and_port() -> None:
    assert AllowedHost.parse("[fd00::7]:8080") == AllowedHost("fd00::7", 8080)
    assert AllowedHost.parse("fd00::7") == AllowedHost("fd00::7")
    assert is_allowed_host("localhost", 11434)
    assert not is_allowed_host("localhost", 80)
    assert is_allowed_host("vllm.internal", 1)
    assert not is_allowed_host("evil.vllm.internal", 1)
