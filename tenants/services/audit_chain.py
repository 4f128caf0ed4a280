"""The hash chain of a tenant's audit trail: the hashed form of a record, and how its ends are signed.

Each record's hash is SHA-256 over the hash before it, as 64 hex digits, and the record as canonical JSON (sorted keys,
UTC, no blanks). Seals in the database and exported files are pieces of this one chain.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings

from memory_platform.kernel.keyed_hashes import derived_key, key_name, keyed_digest
from tenants.models import AuditRecord

PURPOSE = "audit-trail"
SIGNATURE_VERSION = "v1"
# Before the first record of a trail.
FIRST_HEAD = "0" * 64
# Bytes of each record's hash that a seal keeps, to name the record that differs.
MARK_BYTES = 8


class AuditFault(Exception):
    """An audit trail is not as it was sealed. Its text says where, what differs, what that means, and what to do."""

    def __init__(self, where: str, differs: str, means: str, advice: str) -> None:
        super().__init__(f"{where}: {differs} {means} {advice}")
        self.where = where


def encode_canonical_json(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def format_moment(moment: datetime) -> str:
    """Return the moment in UTC with microseconds, always 27 characters."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def describe_record(record: AuditRecord) -> dict[str, Any]:
    """Return all columns of a record, as they are hashed and exported."""
    return {
        "id": str(record.id),
        "tenant_id": str(record.tenant_id),
        "at": format_moment(record.at),
        "actor_kind": record.actor_kind,
        "actor_id": record.actor_id,
        "action": record.action,
        "object_kind": record.object_kind,
        "object_id": record.object_id,
        "subject_ref": str(record.subject_ref) if record.subject_ref else None,
        "reason": record.reason,
        "refused": record.refused,
        "request_id": record.request_id,
    }


def compute_next_hash(previous: str, record: Mapping[str, Any]) -> str:
    """Return the hash (64 hex digits) of a record that follows the hash ``previous``."""
    return hashlib.sha256(previous.encode() + encode_canonical_json(record)).hexdigest()


def cut_record_hash(record_hash: str) -> bytes:
    return bytes.fromhex(record_hash)[:MARK_BYTES]


def sign_statement(tenant_id: UUID, statement: Mapping[str, Any]) -> str:
    """Return ``v1.<name of the key>.<HMAC-SHA256 in hex>`` over a statement in canonical JSON. Every tenant has its own
    key, derived from the platform's, so that a signature of one proves nothing for another."""
    key = _derive_key(tenant_id)
    return f"{SIGNATURE_VERSION}.{key_name(key)}.{hmac.digest(key, encode_canonical_json(statement), 'sha256').hex()}"


def is_signed(tenant_id: UUID, statement: Mapping[str, Any], signature: str) -> bool:
    return hmac.compare_digest(sign_statement(tenant_id, statement).encode(), signature.encode())


def _derive_key(tenant_id: UUID) -> bytes:
    return keyed_digest(derived_key(settings.KEY_PEPPER, PURPOSE), tenant_id)
