"""Set, find and remove the model endpoint of the open tenant: one verb for the API and the console."""

import re

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound
from tenants.models import Upstream, UpstreamKind
from tenants.services.audit import Actor, record_audit
from tenants.services.upstreams.allowed_urls import find_base_url_fault
from tenants.services.upstreams.secret_encryption import reseal_key, seal_key

KEY_CHARS = 1_000
# A shorter key shows nothing of itself: four characters would be much of it.
SHOWN_FROM, SHOWN_CHARS = 16, 4
_KEY = re.compile(r"[\x21-\x7e]*")


class UpstreamMissing(NotFound):
    """The tenant has set no model endpoint of this kind. HTTP 404."""

    code = "upstream_missing"

    def __init__(self) -> None:
        super().__init__(
            "This tenant has no upstream, the model endpoint to which calls go on. Set one with "
            "PUT /v1/tenant/upstreams/openai, or in the console."
        )


def set_upstream(
    base_url: str, api_key: str, *, by: Actor, kind: UpstreamKind = UpstreamKind.OPENAI, reason: str = ""
) -> Upstream:
    """Set the endpoint of the open tenant, in place of an earlier one. ``api_key`` "" for an endpoint without keys.

    Raises InvalidInput, SealMissing.
    """
    faults = [fault for fault in (find_base_url_fault(base_url), find_key_fault(api_key)) if fault]
    if faults:
        raise InvalidInput(faults=faults)
    values = {
        "base_url": base_url.rstrip("/"),
        "sealed_key": seal_key(api_key),
        "key_end": api_key[-SHOWN_CHARS:] if len(api_key) >= SHOWN_FROM else "",
        "updated_at": utc_now(),
    }
    row, _ = Upstream.objects.update_or_create(kind=kind, defaults=values)
    record_audit(by, "upstream.set", object_kind="upstream", object_id=str(row.id), reason=reason)
    return row


def find_upstream(kind: UpstreamKind = UpstreamKind.OPENAI) -> Upstream:
    """Return the endpoint of the open tenant. Raises UpstreamMissing."""
    row = Upstream.objects.filter(kind=kind).first()
    if row is None:
        raise UpstreamMissing
    return row


def remove_upstream(kind: UpstreamKind = UpstreamKind.OPENAI, *, by: Actor, reason: str = "") -> None:
    """Remove the endpoint of the open tenant, and with it its key. Raises UpstreamMissing."""
    row = find_upstream(kind)
    Upstream.objects.filter(id=row.id).delete()
    record_audit(by, "upstream.removed", object_kind="upstream", object_id=str(row.id), reason=reason)


def reseal_upstreams() -> int:
    """Encrypt the keys of the open tenant's endpoints by the first secret; return their number. Raises
    KeyUnreadable."""
    rows = list(Upstream.objects.select_for_update())
    for row in rows:
        Upstream.objects.filter(id=row.id).update(sealed_key=reseal_key(bytes(row.sealed_key)))
    return len(rows)


def find_key_fault(api_key: str) -> FieldFault | None:
    if not _KEY.fullmatch(api_key) or len(api_key) > KEY_CHARS:
        message = f"Must have at most {KEY_CHARS:,} printable ASCII characters without blanks."
        return FieldFault("api_key", "malformed", message)
    return None
