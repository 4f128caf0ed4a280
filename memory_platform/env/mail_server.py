"""The mail server that ``EMAIL_URL`` names, as Django's settings."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

# Schemes, each with its default port and Django's setting for its encryption.
MAIL_SCHEMES = {"smtp": (25, ""), "submission": (587, "EMAIL_USE_TLS"), "smtps": (465, "EMAIL_USE_SSL")}
SENDER = "_default_from_email"


def read_mail_server(url: str) -> dict[str, Any]:
    """Return Django's mail settings for this address; {} for "". Raises ValueError, without repeating the address: it
    may hold a password."""
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("is not an address") from None
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise ValueError(f"is no mail server: write one of {', '.join(MAIL_SCHEMES)}, then ://host:port")
    sender = parse_qs(parts.query).get(SENDER, [""])[0]
    if "@" not in sender:
        raise ValueError(f"names no sender: end it with ?{SENDER}=console@example.com")
    default_port, encryption = MAIL_SCHEMES[parts.scheme]
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or default_port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "DEFAULT_FROM_EMAIL": sender,
        **({encryption: True} if encryption else {}),
    }
