"""Delete a subject's cached prefixes at vendors with the subject: they hold the profile."""

from typing import Any
from uuid import UUID

from memory_platform.providers.contracts import PromptKeeper
from memory_platform.providers.endpoints.endpoint import CallFailed
from snapshots.prompt_cache.prefix_rows import RevokedPrefix, revoke_claims
from snapshots.prompt_cache.usage_ledger import RecordedKeeper


def remove_prefixes(tenant_id: UUID, subject_id: UUID, keeper: PromptKeeper | None) -> dict[str, Any]:
    """Delete a subject's prefixes at the vendor; return the counts for a certificate, {} if there were none.

    ``left`` could not be deleted (no answer, or an endpoint that is no longer configured): the vendor keeps it until
    ``gone_by`` at most. May be repeated. No scope may be open.
    """
    found = [one for one in revoke_claims(tenant_id, subject_id) if one.name or one.unnamed]
    if not found:
        return {}
    named = [one for one in found if one.name]
    refused = [one for one in named if not _delete_prefix(tenant_id, one, keeper)]
    left = [*refused, *(one for one in found if one.unnamed)]
    until = {"gone_by": max(one.gone_by for one in left).isoformat()} if left else {}
    return {"deleted": len(named) - len(refused), "left": len(left), **until}


def _delete_prefix(tenant_id: UUID, one: RevokedPrefix, keeper: PromptKeeper | None) -> bool:
    if keeper is None or keeper.identity != one.endpoint:
        return False
    try:
        RecordedKeeper(tenant_id, keeper).delete(one.name, one.tokens, one.paid_until)
    except CallFailed:
        return False
    return True
