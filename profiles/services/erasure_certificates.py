"""Certificates of erasure: the erased data, time, actor and later check, signed against forgery.

A certificate holds keyed hashes of ids and of forgotten words, and counts; no word and no id of the subject.
"""

import hmac
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db.models.functions import Now

from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.keyed_hashes import derived_key, key_name, keyed_digest
from profiles.models import Erasure, ErasureScope, ErasureState, ForgottenKind
from profiles.services.tombstones import Marks
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor, record_audit

PURPOSE = "certificates"
VERSION = "v2"
# Signatures from before certificates contained tombstones; they stay valid.
FIRST_VERSION = "v1"
# Data that no certificate can cover; docs/data/deletion.md says what each is, and how long it lasts.
BEYOND_REACH = (
    "backups",
    "write_ahead_log",
    "planner_statistics",
    "free_pages",
    "model_providers",
    "tenant_exports",
    "vector_cache",
)

SIGNED = (
    "id",
    "tenant_id",
    "scope",
    "subject_hash",
    "object_hash",
    "marks",
    "actor",
    "erased",
    "verified",
    "beyond_reach",
    "requested_at",
    "erased_at",
)


def hash_subject(external_id: str) -> str:
    """Return the keyed hash (hex) of a subject in certificates of the open tenant."""
    return _hash("subject", external_id)


def hash_object(scope: ErasureScope, external_id: str, name: object) -> str:
    """Return the keyed hash (hex) of one memory (by its id) or conversation of a subject in certificates."""
    return _hash(scope.value, external_id, name)


def open_erasure(
    scope: ErasureScope, external_id: str, *, target: UUID, by: Actor, name: object = "", reason: str = ""
) -> Erasure:
    """Record that an erasure is accepted, with its audit record, in the open transaction."""
    named = "" if scope is ErasureScope.SUBJECT else hash_object(scope, external_id, name)
    erasure = Erasure.objects.create(
        scope=scope,
        subject_hash=hash_subject(external_id),
        object_hash=named,
        target=target,
        actor_kind=by.kind,
        actor_ref=by.id,
        reason=reason,
        beyond_reach=list(BEYOND_REACH),
    )
    record_audit(by, f"{scope.value}.erased", object_kind="erasure", object_id=str(erasure.id), reason=reason[:500])
    return erasure


def open_same_erasure(erasure: Erasure, external_id: str) -> None:
    """Record the erasure of a subject under another of its ids, too; the act has its audit record already."""
    Erasure.objects.create(
        scope=erasure.scope,
        subject_hash=hash_subject(external_id),
        target=erasure.target,
        actor_kind=erasure.actor_kind,
        actor_ref=erasure.actor_ref,
        reason=erasure.reason,
        beyond_reach=erasure.beyond_reach,
    )


def add_counts(erasure: Erasure, counts: Mapping[str, int]) -> None:
    for table, rows in counts.items():
        if rows:
            erasure.erased[table] = erasure.erased.get(table, 0) + rows
    Erasure.objects.filter(id=erasure.id).update(state=ErasureState.RUNNING, erased=erasure.erased)


def write_tombstones_to_certificate(erasure: Erasure, marks: Marks) -> None:
    """Add the tombstones that were left to the certificate: after a restore they find the forgotten data again."""
    erasure.marks = {
        kind.value: sorted(digest.hex() for digest, one in marks.items() if one == kind)
        for kind in ForgottenKind
        if kind in marks.values()
    }
    Erasure.objects.filter(id=erasure.id).update(marks=erasure.marks)


def list_tombstones(certificate: Mapping[str, Any]) -> Marks:
    """Return the tombstones of a genuine certificate."""
    told: Mapping[str, list[str]] = certificate.get("marks") or {}
    return {bytes.fromhex(digest): ForgottenKind(kind) for kind, digests in told.items() for digest in digests}


def close_erasure(erasure: Erasure, verified: Mapping[str, Any]) -> Erasure:
    """Sign the result in the open scope; the certificate is final."""
    rows = Erasure.objects.filter(id=erasure.id).exclude(state=ErasureState.DONE)
    rows.update(state=ErasureState.DONE, verified=dict(verified), target=None, erased_at=Now())
    done = Erasure.objects.get(id=erasure.id)
    if not done.signature:
        done.signature = compute_signature(build_certificate(done))
        done.save(update_fields=["signature"])
    return done


def erasure_by_id(erasure_id: UUID) -> Erasure:
    found = Erasure.objects.filter(id=erasure_id).first()
    if found is None:
        raise NotFound("No erasure with this id.")
    return found


def build_certificate(erasure: Erasure) -> dict[str, Any]:
    """Return the certificate as it is shown and signed; unsigned while the erasure is not done."""
    return {
        "id": str(erasure.id),
        "tenant_id": str(erasure.tenant_id),
        "scope": str(erasure.scope),
        "subject_hash": erasure.subject_hash,
        "object_hash": erasure.object_hash or None,
        "marks": erasure.marks,
        "actor": f"{erasure.actor_kind}:{erasure.actor_ref}",
        "erased": erasure.erased,
        "verified": erasure.verified,
        "beyond_reach": erasure.beyond_reach,
        "requested_at": _format_moment(erasure.requested_at),
        "erased_at": _format_moment(erasure.erased_at),
        "signature": erasure.signature or None,
    }


def compute_signature(certificate: Mapping[str, Any], *, version: str = VERSION) -> str:
    """Return ``v2.<name of the key>.<HMAC-SHA256 in hex>`` over the signed members in canonical JSON."""
    key = _derive_key()
    signed = [name for name in SIGNED if name != "marks" or version != FIRST_VERSION]
    said = orjson.dumps({name: certificate.get(name) for name in signed}, option=orjson.OPT_SORT_KEYS)
    return f"{version}.{key_name(key)}.{hmac.digest(key, said, 'sha256').hex()}"


def is_genuine(certificate: Mapping[str, Any]) -> bool:
    """Return whether this platform signed exactly this certificate with the key that it has today."""
    given = certificate.get("signature")
    if not isinstance(given, str):
        return False
    is_first = given.startswith(f"{FIRST_VERSION}.")
    if is_first and certificate.get("marks"):
        return False  # a signature of the first version does not cover them
    signature = compute_signature(certificate, version=FIRST_VERSION if is_first else VERSION)
    return hmac.compare_digest(given.encode(), signature.encode())


def _format_moment(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _hash(*parts: object) -> str:
    return keyed_digest(_derive_key(), current_tenant_id(), *parts).hex()


def _derive_key() -> bytes:
    return derived_key(settings.KEY_PEPPER, PURPOSE)
