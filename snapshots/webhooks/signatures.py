"""Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 of id, time and body."""

import base64
import hmac
import secrets
from collections.abc import Sequence

PREFIX = "whsec_"
SECRET_BYTES = 32


def make_secret() -> str:
    """Return a new secret, ``whsec_`` and base64, as receivers' libraries take it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def build_signature_headers(message_id: str, timestamp: int, body: bytes, signers: Sequence[str]) -> dict[str, str]:
    """Return the three headers of a message, with a signature by each of the secrets ``signers``. ``timestamp`` is in
    seconds since 1970."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(_sign(secret, signed) for secret in signers),
    }


def _sign(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
