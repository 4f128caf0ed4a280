"""One row of every kind that the console shows, with one text in every field that takes text."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Model

from memory_platform.kernel.ids import new_id
from profiles.models import Ask, Candidate, Erasure, Preference, ProfileFact, Subject, SubjectJoin, Tag
from snapshots.models import (
    Calibration,
    Chunk,
    Consolidation,
    Conversation,
    Document,
    DocumentBody,
    DocumentCollection,
    Episode,
    ForgetOrder,
    Job,
    KeptPrefix,
    MemoryFile,
    MemoryReview,
    Message,
    Note,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    Snapshot,
    SnapshotSource,
    SnapshotVersion,
    TagSource,
    Task,
    Webhook,
    WebhookDelivery,
    Work,
    WorkRemoved,
)
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from tenants.models import (
    ApiKey,
    AuditRecord,
    Experiment,
    Invitation,
    ModelRoute,
    ModelUsage,
    PolicyVersion,
    SupportSession,
    Upstream,
    UsageDay,
    UsageLimit,
)
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key

SAID_AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def make_one_of_each(text: str, number: int = 0) -> dict[type[Model], Any]:
    """Make one subject and all that can belong to it, inside the open tenant; return ``{model: row}``."""
    subject = Subject.objects.create(external_id=f"{text}-{number}"[:200], metadata={text: [text]}, search_text=text)
    rows: dict[type[Model], Any] = {Subject: subject}
    rows |= make_conversation(subject, text)
    rows |= make_beliefs(subject, text)
    rows |= make_snapshot_and_receipt(subject, text, rows)
    rows |= make_note(subject, text, rows)
    rows |= make_tasks_and_asks(subject, text, rows[Snapshot]) | make_file_and_webhook(subject, text, number)
    rows[MemoryReview] = MemoryReview.objects.create(
        subject=subject, lane="snapshots", memory_ref=rows[Snapshot].pk, reason="stale", effective_confidence=0.1
    )
    rows[Calibration] = Calibration.objects.create(
        subject=subject,
        lane="preferences",
        memory_ref=rows[Preference].pk,
        rule="disliked",
        before=0.6,
        after=0.4,
        injected=6,
        judged=5,
        positive=1,
        corrected=0,
    )
    rows[ForgetOrder] = ForgetOrder.objects.create(
        subject=subject, message_ref=rows[Message].pk, items=[{"kind": "note"}], erase_at=SAID_AT, kept=b"41"
    )
    rows[Consolidation] = Consolidation.objects.create(
        subject=subject, lane="snapshots", memory_ref=rows[Snapshot].pk, members=[rows[Snapshot].pk], similarity=0.9
    )
    rows[KeptPrefix] = KeptPrefix.objects.create(
        subject=subject, endpoint=text[:64], prefix_hash=str(subject.pk), name=text[:300], tokens=41
    )
    rows[WorkRemoved], _ = WorkRemoved.objects.get_or_create(day=SAID_AT.date(), defaults={"count": 41})
    rows[Erasure] = Erasure.objects.create(
        scope="subject", subject_hash=text[:64], actor_kind="api_key", actor_ref=text[:200], reason=text
    )
    rows[Job] = Job.objects.create(kind="import", result={text: {text: 1}}, error_code=text[:100])
    rows |= make_document(text)
    rows[ApiKey] = create_key(name=text[:100], scopes=["memory:read"], by=COMMAND_LINE).api_key
    rows[UsageDay], _ = UsageDay.objects.get_or_create(day=SAID_AT.date(), defaults={"sections": {text[:40]: 41}})
    rows[UsageLimit] = UsageLimit.objects.create(api_key=rows[ApiKey], burst=41)
    rows[ModelRoute], _ = ModelRoute.objects.get_or_create(purpose="judge", defaults={"endpoint": text[:64]})
    rows[Upstream], _ = Upstream.objects.get_or_create(
        defaults={"base_url": text[:500], "sealed_key": b"41", "key_end": text[:4]}
    )
    rows[ModelUsage], _ = ModelUsage.objects.get_or_create(day=SAID_AT.date(), purpose="judge", model=text[:200])
    rows[PolicyVersion] = PolicyVersion.objects.create(
        number=PolicyVersion.objects.count() + 1, document={text: {text: text}}, reason=text, author=text[:64]
    )
    arm = {"name": text, "policy_version": 1, "percent": 50, "buckets": []}
    rows[Experiment], _ = Experiment.objects.get_or_create(name=text[:64], defaults={"arms": [arm, arm]})
    rows[Invitation] = Invitation.objects.create(
        role="viewer", invitee=text[:200], actor_kind="staff", actor_id=text[:64], expires_at=SAID_AT
    )
    rows[SupportSession] = SupportSession.objects.create(
        actor_kind="staff", actor_id=text[:64], reason=text[:500], ends_at=SAID_AT
    )
    rows[SubjectJoin] = SubjectJoin.objects.create(
        subject=rows[Subject],
        former_id=new_id(),
        former_external_id=text[:200],
        former={"external_id": text[:200]},
        counts={"message": 1},
        verified={"tables": 1, "rows_left": 0},
        actor_kind="staff",
        actor_ref=text[:64],
        reason=text[:500],
    )
    rows[AuditRecord] = AuditRecord.objects.create(actor_kind="job", actor_id=text[:64], action="t", reason=text[:500])
    return rows


def make_file_and_webhook(subject: Subject, text: str, number: int) -> dict[type[Model], Any]:
    webhook = Webhook.objects.create(
        url="https://example.com/", name=text[:100], events=["memory.created"], sealed_secret=b"1"
    )
    return {
        MemoryFile: MemoryFile.objects.create(subject=subject, path=f"/memories/{number}.md", text=text),
        Webhook: webhook,
        WebhookDelivery: WebhookDelivery.objects.create(
            webhook=webhook, subject=subject, event_id=new_id(), event="memory.created", object_kind="note"
        ),
    }


def make_document(text: str) -> dict[type[Model], Any]:
    """Make a collection with a document that failed."""
    collection, _ = DocumentCollection.objects.get_or_create(
        external_id=text[:200], defaults={"access_label": text[:100]}
    )
    document, is_new = Document.objects.get_or_create(
        external_id=text[:200],
        defaults={
            "collection": collection,
            "title": text,
            "content_type": text[:100],
            "source_url": text,
            "metadata": {text: text},
            "status": "failed",
            "error_code": text[:100],
            "byte_count": 41,
            "content_hash": b"41",
            "chunk_count": 1,
        },
    )
    if is_new:
        DocumentBody.objects.create(document=document, upload=text.encode(), text=text)
        more = {"text": text, "place": text, "heading_path": [text], "token_count": 41, "content_hash": b"41"}
        Chunk.objects.create(document=document, position=0, start=0, end=len(text), **more)
    return {Document: document, DocumentCollection: collection}


def make_tasks_and_asks(subject: Subject, text: str, snapshot: Snapshot) -> dict[type[Model], Any]:
    """Make a task with an episode, and an ask."""
    step = {"id": text, "text": text, "status": "failed", "result": text, "error": text, "tool": text}
    task = Task.objects.create(subject=subject, goal=text, steps=[step], scratchpad={text: [text]})
    episode = Episode.objects.create(
        subject=subject,
        task=task,
        snapshot=snapshot,
        outcome="failure",
        approach=text,
        key_decisions=[text],
        feedback=text,
        tools=[text],
        lessons=[text],
        importance=0.9,
    )
    ask = Ask.objects.create(
        subject=subject, conversation=text[:200], key=text[:40], priority="high", question=text[:200]
    )
    return {Task: task, Episode: episode, Ask: ask}


def make_conversation(subject: Subject, text: str) -> dict[type[Model], Any]:
    """Make a conversation with one message and its work."""
    conversation = Conversation.objects.create(subject=subject, external_id=text[:200], summary=text)
    message = Message.objects.create(
        subject=subject,
        conversation=conversation,
        external_id=text[:200],
        seq=1,
        role="user",
        name=text[:200],
        content=text,
        parts=[{"type": "text", "text": text}],
        tool_calls=[{"name": text}],
        tool_call_id=text[:200],
        metadata={text: text},
        content_hash=b"",
        said_at=SAID_AT,
    )
    work = Work.objects.create(
        subject=subject, conversation=conversation, message=message, kind="extract", state="dead", error_code=text[:100]
    )
    return {Conversation: conversation, Message: message, Work: work}


def make_beliefs(subject: Subject, text: str) -> dict[type[Model], Any]:
    """Make a profile fact, a preference, a tag and a candidate."""
    held: dict[str, Any] = {"subject": subject, "confidence": 0.6, "provenance": "observation"}
    believed = {**held, "value": [text, {text: text}], "valid_at": SAID_AT}
    return {
        ProfileFact: ProfileFact.objects.create(**believed, field=text[:200], is_attribute=True),
        Preference: Preference.objects.create(**believed, category=text[:100], key=text[:200], statement=text),
        Tag: Tag.objects.create(
            **held,
            label=text[:200],
            kind="place",
            address=text,
            poi_id=text[:200],
            phone=text[:64],
            relation=text[:100],
            aliases=[text[:200]],
        ),
        Candidate: Candidate.objects.create(
            **held, kind="preference", target=text[:310], value=text, verdict="rejected", reason=text[:64]
        ),
    }


def make_snapshot_and_receipt(subject: Subject, text: str, rows: dict[type[Model], Any]) -> dict[type[Model], Any]:
    """Make a snapshot, the sources of all memories, and a receipt that used them."""
    snapshot = Snapshot.objects.create(
        subject=subject,
        kind="statement",
        text=text,
        name=text[:200],
        conversation=rows[Conversation],
        position=1,
        category=text[:100],
        topics=[text[:100]],
        metadata={text: text},
        content_hash=b"",
        said_at=SAID_AT,
        valid_at=SAID_AT,
    )
    memories = ((ProfileFactSource, ProfileFact), (PreferenceSource, Preference), (TagSource, Tag))
    for source, model in memories:
        source._default_manager.create(subject=subject, memory=rows[model], message=rows[Message])
    SnapshotSource.objects.create(subject=subject, memory=snapshot, message=rows[Message])
    SnapshotVersion.objects.create(
        subject=subject,
        snapshot=snapshot,
        version=1,
        fields={"text": f"before: {text}", "topics": [text]},
        recorded_at=SAID_AT,
    )
    return {Snapshot: snapshot, Receipt: make_receipt(subject, text, snapshot, rows)}


def make_note(subject: Subject, text: str, rows: dict[type[Model], Any]) -> dict[type[Model], Any]:
    """Make a note with every detail, the message behind it, and a version that it had before."""
    snapshot = Snapshot.objects.create(
        subject=subject,
        kind="note",
        text=text,
        conversation=rows[Conversation],
        seq=1,
        position=2,
        content_hash=b"",
        said_at=SAID_AT,
        valid_at=SAID_AT,
        version=2,
    )
    SnapshotSource.objects.create(subject=subject, memory=snapshot, message=rows[Message])
    before = {"note": {"about_label": text[:100]}}
    SnapshotVersion.objects.create(subject=subject, snapshot=snapshot, version=1, fields=before, recorded_at=SAID_AT)
    note = Note.objects.create(
        subject=subject,
        snapshot=snapshot,
        statement_id=rows[Snapshot].id,
        grade="about_other",
        grade_probability=0.93,
        about_kind="contact",
        about_label=text[:100],
        relation=text[:100],
        about_tag=rows[Tag],
        vital_class="allergy",
        possibly_outdated=True,
        review_by=SAID_AT,
        context=text,
        span_start=0,
        span_end=len(text),
        reader_version=text[:32],
    )
    return {Note: note}


def make_receipt(subject: Subject, text: str, snapshot: Snapshot, rows: dict[type[Model], Any]) -> Receipt:
    """Write a receipt with a memory in the prompt, one left out, and one of a lane that has no screen."""
    why = (1, 1.2, text, None, None, None, *[0.5] * 5, None, *[1.0] * 4)
    offered = [
        ReceiptCandidate(str(snapshot.pk), "snapshots", text, 0.8, text, 12, context_position=1, explain=why),
        ReceiptCandidate(str(rows[Tag].pk), "tags", "place", 0.2, text, 9, guardrail_hit=text),
        ReceiptCandidate(str(new_id()), "documents", text, 0.1, text, 9),
    ]
    return write_receipt(
        ReceiptDraft(
            subject_id=subject.pk,
            conversation_id=rows[Conversation].pk,
            policy_version=text[:32],
            rendered=RenderedPrompt(text, [{"role": text, "content": text}], text),
            candidates=offered,
            intent=text[:40],
            phase=text[:40],
            sections=[{"name": text, "tokens": 1, "items": 1, "dropped": 0}],
            tokens={text: text},
            degraded_reason=text[:200],
        )
    )
