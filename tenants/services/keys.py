"""API keys: create (shown once), authenticate, rotate with overlap, revoke.

The written form is ``mk_live_<key id 12>_<secret 43><checksum 6>``, all base 62. A scanner finds leaked keys with
``mk_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}`` and confirms them by the checksum.
"""

import hashlib
import hmac
import re
import secrets
import string
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound
from memory_platform.kernel.ids import new_id
from memory_platform.kernel.product_ids import find_product_id_fault
from memory_platform.postgres.prepared_statements import fetch_prepared
from tenants.config import KEY_CONFIG
from tenants.errors import InvalidKey
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, ApiKeyDigest, Scope
from tenants.services.audit import Actor, record_audit
from tenants.services.usage.quotas import Limits, copy_limits

PREFIX = "mk_live_"
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
KEY_ID_LENGTH = 12
SECRET_LENGTH = 43  # 43 base 62 digits hold 256 bits
CHECKSUM_LENGTH = 6
# What a key of one subject may do: the others concern the whole tenant.
SUBJECT_SCOPES = frozenset({Scope.MEMORY_READ, Scope.MEMORY_WRITE})
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
        return f"{PREFIX}{body}{_compute_checksum(body)}"


def make_key_parts() -> KeyParts:
    return KeyParts(_make_random_text(KEY_ID_LENGTH), make_secret())


def parse_token(token: str) -> KeyParts | None:
    if not _KEY.fullmatch(token):
        return None
    body, checksum = token[len(PREFIX) : -CHECKSUM_LENGTH], token[-CHECKSUM_LENGTH:]
    if not hmac.compare_digest(_compute_checksum(body), checksum):
        return None
    key_id, secret = body.split("_")
    return KeyParts(key_id, secret)


def make_secret() -> str:
    """Return a new random secret, as keys and links of invitations have one."""
    return _make_random_text(SECRET_LENGTH)


def compute_digest(secret: str, pepper: str) -> bytes:
    return hmac.new(pepper.encode(), secret.encode(), hashlib.sha256).digest()


def _make_random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _compute_checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), []
    for _ in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(digits)


NO_DIGEST = bytes(32)
AUTH_KEY = """
SELECT tenant_id, tenant_slug, tenant_name, policy_version, policy_epoch, api_key_id, scopes, expires_at, revoked_at,
       last_used_at, digest, requests_per_second, burst, messages_per_day, stored_snapshots, model_tokens_per_day,
       bound_subject
FROM app.auth_key($1)
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: one valid API key of one tenant. ``bound_subject``: the only subject that it may reach; "" is all."""

    tenant_id: UUID
    tenant_slug: str
    tenant_name: str
    policy_version: int
    policy_epoch: int
    api_key_id: UUID
    key_id: str
    scopes: frozenset[str]
    limits: Limits
    bound_subject: str = ""
    is_authenticated: bool = True


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A new key and its token; the token is stored nowhere and cannot be shown again."""

    api_key: ApiKey
    token: str


@dataclass(frozen=True, slots=True)
class _KeyRow:
    """One row of ``app.auth_key``."""

    tenant_id: UUID
    tenant_slug: str
    tenant_name: str
    policy_version: int
    policy_epoch: int
    api_key_id: UUID
    scopes: Sequence[str]
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    digest: bytes
    requests_per_second: int | None
    burst: int | None
    messages_per_day: int | None
    stored_snapshots: int | None
    model_tokens_per_day: int | None
    bound_subject: str


def create_key(
    *,
    name: str,
    scopes: Sequence[str],
    by: Actor,
    expires_at: datetime | None = None,
    bound_subject: str = "",
    key_ref: UUID | None = None,
) -> CreatedKey:
    """Create a key for the tenant of the open scope. Raises InvalidInput for an unknown scope or none.

    ``bound_subject`` is the product's id of the only subject that it may reach; nobody needs to have the id yet.
    ``key_ref`` is the id of its row, for callers that may ask twice: the second time raises IntegrityError.
    """
    _check_scopes(scopes)
    if bound_subject:
        _check_subject_binding(bound_subject, scopes)
    parts = make_key_parts()
    given = {"name": name, "scopes": sorted(set(scopes)), "expires_at": expires_at, "bound_subject": bound_subject}
    api_key = ApiKey.objects.create(id=key_ref or new_id(), key_id=parts.key_id, **given)
    ApiKeyDigest.objects.create(api_key=api_key, digest=compute_digest(parts.secret, settings.KEY_PEPPER))
    act = "api_key.bound" if bound_subject else "api_key.created"
    record_audit(by, act, object_kind="api_key", object_id=api_key.key_id)
    return CreatedKey(api_key, parts.token)


def rotate_key(
    api_key: ApiKey, *, by: Actor, overlap: timedelta = KEY_CONFIG.rotation_overlap, reason: str = ""
) -> CreatedKey:
    """Create a successor with the same name, scopes, subject and limits; the old key stays valid for at most
    ``overlap``."""
    successor = create_key(name=api_key.name, scopes=api_key.scopes, by=by, bound_subject=api_key.bound_subject)
    copy_limits(api_key, successor.api_key, by=by)
    end = utc_now() + overlap
    api_key.expires_at = min(api_key.expires_at, end) if api_key.expires_at else end
    api_key.rotated_to = successor.api_key
    api_key.save(update_fields=["expires_at", "rotated_to"])
    record_audit(by, "api_key.rotated", object_kind="api_key", object_id=api_key.key_id, reason=reason)
    return successor


def revoke_key(api_key: ApiKey, *, by: Actor, reason: str = "") -> None:
    """Revoke a key at once: every process asks the database on each request."""
    if api_key.revoked_at is None:
        api_key.revoked_at = utc_now()
        api_key.save(update_fields=["revoked_at"])
        record_audit(by, "api_key.revoked", object_kind="api_key", object_id=api_key.key_id, reason=reason)


def delete_keys_of_subjects(external_ids: Collection[str]) -> int:
    """Delete the keys that are bound to these subjects, in the open scope; return how many. They end at once."""
    deleted, _ = ApiKey.objects.filter(bound_subject__in=external_ids).exclude(bound_subject="").delete()
    return deleted


def key_by_id(key_id: str) -> ApiKey:
    api_key = ApiKey.objects.filter(key_id=key_id).first()
    if api_key is None:
        raise NotFound("No API key of this tenant has this id: the letters between mk_live_ and the next underscore.")
    return api_key


def authenticate_key(token: str) -> Caller:
    """Return the caller. Raises InvalidKey, the same for every reason; unknown keys take as long as known ones."""
    parts = parse_token(token)
    if parts is None:
        raise InvalidKey
    found = fetch_prepared(AUTH_KEY, [parts.key_id])
    row = _KeyRow(*found[0]) if found else None
    genuine = hmac.compare_digest(
        compute_digest(parts.secret, settings.KEY_PEPPER), bytes(row.digest) if row else NO_DIGEST
    )
    is_live = row is not None and row.revoked_at is None and (row.expires_at is None or row.expires_at > utc_now())
    if row is None or not genuine or not is_live:
        raise InvalidKey
    _note_use(row)
    return _build_caller(row, parts)


def _note_use(row: _KeyRow) -> None:
    """Write ``last_used_at`` at most once a minute, in a transaction of its own."""
    now = utc_now()
    if row.last_used_at is not None and now - row.last_used_at < KEY_CONFIG.last_used_resolution:
        return
    with tenant_tx(row.tenant_id):
        ApiKey.objects.filter(id=row.api_key_id).update(last_used_at=now)


def _build_caller(row: _KeyRow, parts: KeyParts) -> Caller:
    return Caller(
        tenant_id=row.tenant_id,
        tenant_slug=row.tenant_slug,
        tenant_name=row.tenant_name,
        policy_version=row.policy_version,
        policy_epoch=row.policy_epoch,
        api_key_id=row.api_key_id,
        key_id=parts.key_id,
        scopes=frozenset(row.scopes),
        limits=Limits.from_values(
            row.requests_per_second,
            row.burst,
            row.messages_per_day,
            row.stored_snapshots,
            row.model_tokens_per_day,
        ),
        bound_subject=row.bound_subject,
    )


def _check_subject_binding(bound_subject: str, scopes: Sequence[str]) -> None:
    fault = find_product_id_fault(bound_subject)
    if fault:
        raise InvalidInput(f"The subject: {fault[1]}", faults=[FieldFault("subject_id", *fault)])
    if not set(scopes) <= SUBJECT_SCOPES:
        allowed = "Must be of memory:read and memory:write for a key that is bound to one subject."
        raise InvalidInput(f"`scopes`: {allowed}", faults=[FieldFault("scopes", "not_for_one_subject", allowed)])


def _check_scopes(scopes: Sequence[str]) -> None:
    unknown = sorted(set(scopes) - set(Scope.values))
    if unknown or not scopes:
        known = ", ".join(Scope.values)
        raise InvalidInput(
            f"`scopes` must be one or more of: {known}.",
            faults=[FieldFault("scopes", "unknown", f"Must be one or more of: {known}.")],
        )
