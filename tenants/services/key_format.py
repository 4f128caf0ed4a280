"""The written form of an API key: ``mk_live_<key id 12>_<secret 43><checksum 6>``, all base 62.

A scanner finds leaked keys with ``mk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}`` and confirms them by the checksum.
"""

import hashlib
import hmac
import re
import secrets
import string
import zlib
from dataclasses import dataclass

PREFIX = "mk_live_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
KEY_ID_LENGTH = 12
SECRET_LENGTH = 43  # 43 base 62 digits hold 256 bits
CHECKSUM_LENGTH = 6
SCANNER_PATTERN = rf"{PREFIX}[0-9A-Za-z]{{{KEY_ID_LENGTH}}}_[0-9A-Za-z]{{{SECRET_LENGTH + CHECKSUM_LENGTH}}}"
_KEY = re.compile(SCANNER_PATTERN)


@dataclass(frozen=True, slots=True)
class KeyParts:
    """The parts of a key. ``secret`` never leaves the process."""

    key_id: str
    secret: str

    @property
    def token(self) -> str:
        """The written key, shown once."""
        body = f"{self.key_id}_{self.secret}"
        return f"{PREFIX}{body}{_checksum(body)}"


def new_key_parts() -> KeyParts:
    return KeyParts(_random_text(KEY_ID_LENGTH), _random_text(SECRET_LENGTH))


def parse_token(token: str) -> KeyParts | None:
    if not _KEY.fullmatch(token):
        return None
    body, checksum = token[len(PREFIX) : -CHECKSUM_LENGTH], token[-CHECKSUM_LENGTH:]
    if not hmac.compare_digest(_checksum(body), checksum):
        return None
    key_id, secret = body.split("_")
    return KeyParts(key_id, secret)


def compute_digest(secret: str, pepper: str) -> bytes:
    return hmac.new(pepper.encode(), secret.encode(), hashlib.sha256).digest()


def _random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), []
    for _ in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(digits)
