"""PrecisionMemBench against recall as products call it: a subject for each user, the scope as metadata and filter."""

from collections.abc import Sequence
from uuid import UUID

from lab.benchmarks.precision.cases import Case, CaseResult, SeedMemory, judge_case, read_cases, read_seed
from memory_platform.kernel.clock import utc_now
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.values import NewSnapshot
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.errors import TenantUnknown
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import create_tenant

SLUG = "precision-bench"


def precision_tenant() -> UUID:
    try:
        return tenant_by_slug(SLUG).id
    except TenantUnknown:
        return create_tenant(slug=SLUG, name="PrecisionMemBench", by=COMMAND_LINE).id


def store_seed(tenant_id: UUID) -> None:
    """Store the benchmark's memories that are missing. Opens its own scopes."""
    seed = read_seed()
    for user in sorted({one.user for one in seed}):
        posted = [_snapshot_of(one) for one in seed if one.user == user]
        offers = prepare_offers(posted, active_embedders(), mask=mask_sensitive)
        with tenant_tx(tenant_id):
            create_snapshots(ensure_subject(user), offers)


def ask_cases(tenant_id: UUID, *, strict: bool) -> list[CaseResult]:
    """Ask every question and judge answers. No scope may be open."""
    seed = {one.id: one for one in read_seed()}
    return [judge_case(case, _find_ids(tenant_id, case, strict=strict), seed) for case in read_cases()]


def _snapshot_of(belief: SeedMemory) -> NewSnapshot:
    told = {"beliefId": belief.id, "scope": belief.scopes[0]}
    return NewSnapshot(text=belief.text, aliases=belief.aliases, metadata=told)


def _find_ids(tenant_id: UUID, case: Case, *, strict: bool) -> Sequence[str]:
    if not case.query.strip() or not case.most:  # its runner asks nobody then
        return ()
    query = RecallQuery(
        case.query,
        asked_at=utc_now(),
        top_k=case.most,
        filter=parse_filter({"metadata.scope": {"eq": case.scopes[0]}}),
        strict=strict,
    )
    return [str(one.metadata["beliefId"]) for one in recall(tenant_id, case.user, query).memories]
