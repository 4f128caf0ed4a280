"""Forgetting one preference, profile fact or tag: every value that it had, not only the current one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.errors import NotFound
from profiles.models import (
    Candidate,
    CandidateKind,
    Erasure,
    ErasureScope,
    Preference,
    ProfileFact,
    Subject,
    Tag,
)
from profiles.services.erasure_certificates import add_counts, open_erasure
from profiles.services.subject_lock import lock_subject
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tombstones import record_tombstones
from snapshots.erasure.check_and_sign import sign_after_commit
from snapshots.erasure.derived_rows import delete_rows_about
from snapshots.erasure.forgotten_word_copies import ForgottenWords, blank_candidates, drop_replies, strip_receipts
from snapshots.erasure.learned.tag_losses import delete_details, delete_tag_acts, list_column_texts, list_past_texts
from snapshots.models import SOURCES
from tenants.services.audit import Actor


@dataclass(frozen=True, slots=True)
class ErasedBelief:
    """All rows of one belief, where candidates would put it, and the utterances that it quotes."""

    rows: Sequence[Any]
    kind: CandidateKind
    target: str
    statements: Sequence[str] = ()


def forget_preference(subject: Subject, category: str, key: str, *, by: Actor, reason: str = "") -> Erasure:
    """Forget a preference with its history, in the open transaction; its utterances are refused from now on."""
    lock_subject(subject)
    rows = Preference.objects.filter(subject_id=subject.id, category=category, key=key)
    return _forget_belief(subject, rows.first(), by=by, reason=reason)


def forget_fact(subject: Subject, field: str, *, is_attribute: bool, by: Actor, reason: str = "") -> Erasure:
    lock_subject(subject)
    rows = ProfileFact.objects.filter(subject_id=subject.id, field=field, is_attribute=is_attribute)
    return _forget_belief(subject, rows.first(), by=by, reason=reason)


def forget_tag(subject: Subject, tag: Tag, *, by: Actor, reason: str = "") -> Erasure:
    lock_subject(subject)
    return _forget_belief(subject, tag, by=by, reason=reason)


def _forget_belief(subject: Subject, row: Preference | ProfileFact | Tag | None, *, by: Actor, reason: str) -> Erasure:
    """Delete the rows of one belief, rows about it, and its values in candidates and prompts. Raises NotFound if the
    subject never had this belief."""
    if row is None:
        raise NotFound("The subject has no such preference, profile field or tag, nor had one.")
    belief = load_erased_belief(row)
    model, ids = type(belief.rows[0]), [row.id for row in belief.rows]
    oldest = min(ids)  # of all rows the one that most backups hold: a certificate names no other
    erasure = open_erasure(ErasureScope.MEMORY, subject.external_id, name=oldest, target=oldest, by=by, reason=reason)
    counts = remove_belief(subject, belief)
    record_tombstones(subject.id, texts=belief.statements, beliefs=ids)
    add_counts(erasure, counts)
    sign_after_commit(erasure, partial(_count_left, model, ids))
    return erasure


def remove_belief(subject: Subject, belief: ErasedBelief) -> Counter[str]:
    """Erase all rows of one belief from every table, in the open transaction; return the rows by table and column."""
    model, ids, own = type(belief.rows[0]), [row.id for row in belief.rows], {"subject_id": subject.id}
    words = ForgottenWords.from_texts(subject.id, belief.statements)
    counts = delete_rows_about(subject.id, ids)
    if isinstance(belief.rows[0], Tag):
        said = [text for row in belief.rows for text in (*list_column_texts(vars(row)), *list_past_texts(row))]
        counts["tag_detail"] = delete_details(subject.id, ids)
        texts = ForgottenWords.from_texts(subject.id, said)
        counts["memory_act"] += delete_tag_acts(subject.id, texts, tags=ids)
    links = SOURCES[model]
    counts[links._meta.db_table] = links._default_manager.filter(memory_id__in=ids, **own).delete()[0]
    counts["candidate"] = blank_candidates(Candidate.objects.filter(kind=belief.kind, target=belief.target, **own))
    counts.update(strip_receipts(words, ids))
    counts["idempotent_reply"] = drop_replies(words) if words.texts else 0
    if model is not Tag:
        counts[model._meta.db_table] = model._default_manager.filter(version_of_id__in=ids, **own).delete()[0]
    counts[model._meta.db_table] += model._default_manager.filter(id__in=ids, **own).delete()[0]
    if model is ProfileFact:
        Subject.objects.filter(id=subject.id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(subject)
    return counts


def load_erased_belief(row: Preference | ProfileFact | Tag) -> ErasedBelief:
    own = {"subject_id": row.subject_id}
    match row:
        case Preference():
            rows = list(Preference.objects.filter(category=row.category, key=row.key, **own))
            statements = [one.statement for one in rows if one.statement]
            return ErasedBelief(rows, CandidateKind.PREFERENCE, f"{row.category}/{row.key}", statements)
        case ProfileFact():
            facts = list(ProfileFact.objects.filter(field=row.field, is_attribute=row.is_attribute, **own))
            return ErasedBelief(
                facts, CandidateKind.PROFILE, f"attributes.{row.field}" if row.is_attribute else row.field
            )
        case Tag():
            return ErasedBelief([row], CandidateKind.TAG, row.label)


def _count_left(model: type[Any], ids: Sequence[UUID]) -> dict[str, Any]:
    left = model._default_manager.filter(id__in=ids).count()
    return {"rows_left": {model._meta.db_table: left} if left else {}}
