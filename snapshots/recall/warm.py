"""The way of most answers: rank in the image that this process holds, then one round trip for everything else.

The round trip brings the version of the subject's memory with the texts: an image of another version answers nothing,
and the caller takes the long way. Texts come from Postgres under row-level security in any case: no image can show one
tenant's words to another.
"""

from uuid import UUID

from profiles.held import Beliefs, beliefs_of, beliefs_statement, only_id, subject_statement, tags_of, tags_statement
from snapshots.embedding.spaces import Embedders, spaces_key
from snapshots.recall.answer import Recalled
from snapshots.recall.cache import ImageKey
from snapshots.recall.lanes import lanes_of
from snapshots.recall.loading import state_of, state_statement
from snapshots.recall.pipeline import rank_memories
from snapshots.recall.policy import DEFAULT_RECALL
from snapshots.recall.search import IMAGES, SUBJECTS, Question, Stopwatch
from snapshots.recall.texts import texts_of, texts_statement
from snapshots.recall.values import SNAPSHOTS, RecallQuery
from tenants.isolation import tenant_reads


def recall_warm(tenant_id: UUID, external_id: str, query: RecallQuery, question: Question) -> Recalled | None:
    """Return what the subject's memory answers; None where this process holds no image of it as it is now."""
    if query.known_at is not None or SNAPSHOTS not in query.lanes:
        return None
    key = _key(tenant_id, external_id, question.embedders)
    held = IMAGES.held(key) if key else None
    if key is None or held is None:
        return None
    watch = Stopwatch()
    with watch.stage("rank"):
        hits = rank_memories(query, question.probe, held.image, DEFAULT_RECALL)
    with watch.stage("read"):
        subject, state, beliefs, tags, texts = tenant_reads(
            tenant_id,
            [
                subject_statement(tenant_id, external_id),
                state_statement(tenant_id, key.subject_id),
                beliefs_statement(tenant_id, key.subject_id, _beliefs(query)),
                tags_statement(tenant_id, key.subject_id),
                texts_statement(tenant_id, key.subject_id, hits),
            ],
        )
    if only_id(subject) != key.subject_id or state_of(state) != held.state:
        return None
    with watch.stage("lanes"):
        lanes = lanes_of(query, beliefs_of(beliefs), tags_of(tags))
    spent = {"embed": question.embed_ms, **watch.ms}
    return Recalled(texts_of(texts, hits), lanes, question.degraded, spent)


def _key(tenant_id: UUID, external_id: str, embedders: Embedders) -> ImageKey | None:
    subject_id = SUBJECTS.get((tenant_id, external_id))
    return ImageKey(tenant_id, subject_id, spaces_key(embedders)) if subject_id else None


def _beliefs(query: RecallQuery) -> Beliefs:
    return Beliefs(query.as_of, facts="profile" in query.lanes, preferences="preferences" in query.lanes)
