"""Encrypts the API keys of tenants' model endpoints, and the secrets of webhooks.

Secrets of the environment do it, of which there may be several.

The first secret encrypts, all of them decrypt: an operator puts a new one in front, runs ``manage.py
reseal_upstream_keys`` and takes the old one away.
"""

import base64
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from memory_platform.kernel.errors import Refused, Unavailable
from memory_platform.kernel.keyed_hashes import derived_key

PURPOSE = "upstream-keys"


class SealMissing(Refused):
    """The operator has set no secret to encrypt keys with. HTTP 422."""

    code = "upstream_keys_missing"

    def __init__(self) -> None:
        super().__init__(
            "Keys of upstreams and secrets of webhooks cannot be stored: the operator of this platform must set "
            "UPSTREAM_KEYS."
        )


class KeyUnreadable(Unavailable):
    """No secret of the environment decrypts this key. HTTP 503."""

    code = "upstream_key_unreadable"

    def __init__(self) -> None:
        super().__init__(
            "The stored key of the upstream, or secret of the webhook, cannot be read: a secret is missing in "
            "UPSTREAM_KEYS. Set the upstream again, rotate the webhook, or ask the operator of this platform."
        )


def seal_key(key: str) -> bytes:
    """Return ``key`` encrypted. Raises SealMissing."""
    return _make_cipher(settings.UPSTREAM_KEYS).encrypt(key.encode())


def unseal_key(sealed: bytes) -> str:
    """Return the key. Raises KeyUnreadable."""
    try:
        return _make_cipher(settings.UPSTREAM_KEYS).decrypt(bytes(sealed)).decode()
    except (InvalidToken, SealMissing):
        raise KeyUnreadable from None


def reseal_key(sealed: bytes) -> bytes:
    """Return the key encrypted by the first secret. Raises KeyUnreadable."""
    try:
        return _make_cipher(settings.UPSTREAM_KEYS).rotate(bytes(sealed))
    except (InvalidToken, SealMissing):
        raise KeyUnreadable from None


def _make_cipher(secrets: Sequence[str]) -> MultiFernet:
    if not secrets:
        raise SealMissing
    return MultiFernet([Fernet(base64.urlsafe_b64encode(derived_key(secret, PURPOSE))) for secret in secrets])
