"""Joins memories of a subject that say nearly the same. Each step may run twice, or be killed, without harm.

Stages: read the candidates, group them by words, compare the pairs, write the joined memory, store it in a transaction
that checks again. No model is called while a transaction is open.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from uuid import UUID

import numpy as np

from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import ChatModel, Embedder, EmbeddingUnavailable
from memory_platform.providers.registry import find_embedder_for
from profiles.models import Subject
from snapshots.config import JOB_CONFIG
from snapshots.consolidation.config import CONSOLIDATION
from snapshots.consolidation.consolidation_store import build_draft, join_group, list_members, list_undone_pairs
from snapshots.consolidation.joined_text import JoinedTextWriter
from snapshots.consolidation.similar_groups import (
    Float32,
    SimilarGroup,
    SimilarMemory,
    find_join_candidates,
    group_similar,
)
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.job_preview import CarePreview, TimedWalk
from tenants.isolation import tenant_tx
from tenants.services.job_runs import TenantTurn


def consolidate_tenant(turn: TenantTurn, embedders: Embedders, *, model: ChatModel | None = None) -> int:
    """Join similar memories, subject by subject from the turn's position; marks the number of joined memories. Runs
    outside any ``tenant_tx``. Returns 0: all rows are marked."""
    for subject_id in list_subjects_after(turn.tenant_id, turn.after):
        if not turn.may_go_on():
            break
        turn.mark_reached(subject_id, consolidate_subject(turn.tenant_id, subject_id, embedders, model))
    return 0


def consolidate_subject(tenant_id: UUID, subject_id: UUID, embedders: Embedders, model: ChatModel | None = None) -> int:
    """Join one subject's memories; return how many memories became part of another. A ``model`` may write the joined
    text; rules do it if its words are not supported by the memories."""
    joined, writer = 0, JoinedTextWriter(model, CONSOLIDATION)
    for group in find_groups(tenant_id, subject_id, embedders):
        written = writer.write_text(group)
        with tenant_tx(tenant_id):
            draft = build_draft(subject_id, group, written)
        if draft is None or len(draft.text) > CONSOLIDATION.longest:
            continue
        (prepared,) = prepare_snapshots([draft], embedders)
        with tenant_tx(tenant_id):
            joined += len(group.members) if join_group(group, prepared) else 0
    return joined


def find_groups(tenant_id: UUID, subject_id: UUID, embedders: Embedders) -> list[SimilarGroup]:
    with tenant_tx(tenant_id):
        members = list_members(subject_id)
        lists = find_join_candidates(members) if len(members) >= CONSOLIDATION.least_members else []
        apart = list_undone_pairs(subject_id) if lists else []
    return [
        group
        for some in lists
        for embedder, known in _group_by_embedder(some, embedders)
        for group in group_similar(known, embed_members(embedder, known), apart, bound=CONSOLIDATION.similarity)
    ]


def preview_consolidation(
    tenant_id: UUID, embedders: Embedders, lasting: timedelta = JOB_CONFIG.preview
) -> CarePreview:
    """Return a preview of the next consolidation, of as many people as ``lasting`` is enough for. Opens its own
    scopes."""
    walk = TimedWalk(list_subjects_after(tenant_id, None), lasting)
    found = [group for subject_id in walk for group in find_groups(tenant_id, subject_id, embedders)]
    counts = {"groups": len(found), "memories": sum(len(group.members) for group in found)}
    said = [f"{', '.join(str(one.id) for one in group.members)}: cosine {group.similarity:.3f}" for group in found]
    return CarePreview(counts, said, walk.was_cut)


def list_subjects_after(tenant_id: UUID, after: UUID | None) -> Sequence[UUID]:
    with tenant_tx(tenant_id):
        rows = Subject.objects.filter(id__gt=after) if after else Subject.objects.all()
        return list(rows.filter(erasing=False).order_by("id").values_list("id", flat=True))


def embed_members(embedder: Embedder, members: Sequence[SimilarMemory]) -> Float32:
    try:
        rows = np.asarray(embedder.embed([member.text for member in members]), np.float32)
    except EmbeddingUnavailable:
        return np.zeros((len(members), 1), np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, rows / np.where(usable, lengths, 1), np.float32(0))


def _group_by_embedder(
    members: Sequence[SimilarMemory], embedders: Embedders
) -> Iterator[tuple[Embedder, list[SimilarMemory]]]:
    known = [find_embedder_for(detect_language(member.text), embedders) for member in members]
    for embedder in embedders:
        some = [member for member, knows in zip(members, known, strict=True) if knows is embedder]
        if some:
            yield embedder, some
