"""A valid call for every route and method, about rows of one tenant."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from memory_platform.kernel.ids import new_id

PLAIN = "窗外下雨 tea"


@dataclass(frozen=True, slots=True)
class Ids:
    """One row of each noun, by the names that stand in paths."""

    subject_id: str
    conversation_id: str
    message_id: str
    category: str
    key: str
    tag_id: str
    snapshot_id: str
    receipt_id: str
    erasure_id: str
    job_id: str
    candidate_id: str
    review_id: str
    consolidation_id: str
    version: str
    experiment_id: str
    ask_id: str
    task_id: str
    note_id: str
    forget_order_id: str
    webhook_id: str
    delivery_id: str
    tool: str = "forget"
    key_id: str = "no-key-id"
    document_id: str = "no-document"
    collection_id: str = "no-collection"

    @classmethod
    def of_nobody(cls, subject_id: str = "ida") -> Self:
        """Return ids that no row has."""
        return cls(
            subject_id,
            "no-conversation",
            "no-message",
            "no-category",
            "no-key",
            *(*(str(new_id()) for _ in "12345678"), "4711", *(str(new_id()) for _ in "1234567")),
        )


@dataclass(frozen=True, slots=True)
class ValidCall:
    """What makes a call of one route valid: a body and a query, with ids in them wherever the API takes ids."""

    body: Callable[[Ids], Any] = lambda ids: None
    query: Callable[[Ids], dict[str, str]] = lambda ids: {}


PLAIN_CALL = ValidCall()
SUBJECT = "v1/subjects/<product_id:subject_id>"
PREFERENCE = f"{SUBJECT}/preferences/<product_id:category>/<product_id:key>"
TAG = f"{SUBJECT}/tags/<own_id:tag_id>"
CONVERSATION = f"{SUBJECT}/conversations/<product_id:conversation_id>"
SNAPSHOT = f"{SUBJECT}/snapshots/<own_id:snapshot_id>"
NOTE = f"{SUBJECT}/notes/<own_id:note_id>"
DOCUMENT = "v1/documents/<product_id:document_id>"
COLLECTION = "v1/collections/<product_id:collection_id>"
UPSTREAM = "v1/tenant/upstreams/openai"
VERSION = "v1/policies/<version:version>"
EXPERIMENT = "v1/experiments/<own_id:experiment_id>"
WEBHOOK = "v1/webhooks/<own_id:webhook_id>"
VALID_CALLS: dict[tuple[str, str], ValidCall] = {
    ("PUT", SUBJECT): ValidCall(lambda ids: {"profile": {"occupation": PLAIN}, "metadata": {"of": ids.subject_id}}),
    ("PATCH", f"{SUBJECT}/profile"): ValidCall(lambda ids: {"occupation": PLAIN, "remove": ["name"]}),
    ("GET", f"{SUBJECT}/preferences"): ValidCall(query=lambda ids: {"category": ids.category, "limit": "200"}),
    ("PUT", PREFERENCE): ValidCall(
        lambda ids: {
            "value": PLAIN,
            "sources": [{"conversation_id": ids.conversation_id, "message_id": ids.message_id}, ids.message_id],
        }
    ),
    ("POST", f"{SUBJECT}/tags"): ValidCall(lambda ids: {"label": "家", "address": PLAIN}),
    ("GET", f"{SUBJECT}/tags/lookup"): ValidCall(query=lambda ids: {"q": "导航回家"}),
    ("PATCH", TAG): ValidCall(lambda ids: {"address": PLAIN}),
    ("POST", f"{TAG}/use"): ValidCall(lambda ids: {}),
    ("PATCH", CONVERSATION): ValidCall(lambda ids: {"remember": False}),
    ("POST", f"{CONVERSATION}/end"): ValidCall(lambda ids: {}),
    ("POST", f"{CONVERSATION}/messages"): ValidCall(
        lambda ids: {"messages": [{"message_id": ids.message_id, "role": "user", "content": PLAIN}]}
    ),
    ("GET", f"{SUBJECT}/snapshots"): ValidCall(query=lambda ids: {"q": "tea", "topic": "drinks", "kind": "manual"}),
    ("POST", f"{SUBJECT}/snapshots"): ValidCall(lambda ids: {"text": PLAIN, "metadata": {"of": ids.snapshot_id}}),
    ("POST", f"{SUBJECT}/snapshots/bulk"): ValidCall(
        lambda ids: {"items": [{"text": f"{PLAIN} {number}", "metadata": {"of": ids.snapshot_id}} for number in "12"]}
    ),
    ("POST", f"{SNAPSHOT}/forget"): ValidCall(lambda ids: {}),
    ("PATCH", SNAPSHOT): ValidCall(lambda ids: {"text": PLAIN}),
    ("GET", f"{SUBJECT}/notes"): ValidCall(
        query=lambda ids: {"about": ids.tag_id, "grade": "about_other", "include_history": "true"}
    ),
    ("POST", f"{SUBJECT}/notes"): ValidCall(
        lambda ids: {"text": PLAIN, "about": {"kind": "contact", "id": ids.tag_id}}
    ),
    ("PATCH", NOTE): ValidCall(lambda ids: {"text": PLAIN, "about": {"kind": "contact", "id": ids.tag_id}}),
    ("POST", f"{NOTE}/forget"): ValidCall(lambda ids: {}),
    ("POST", f"{SUBJECT}/recall"): ValidCall(
        lambda ids: {
            "query": "navigate home for tea",
            "conversation_id": ids.conversation_id,
            "filter": {"or": [{"conversation_id": {"eq": ids.conversation_id}}, {"topics": {"contains": "drinks"}}]},
            "explain": True,
        }
    ),
    ("POST", f"{SUBJECT}/context"): ValidCall(
        lambda ids: {"query": "navigate home for tea", "conversation_id": ids.conversation_id}
    ),
    ("POST", "v1/jobs/<own_id:job_id>/retry"): ValidCall(lambda ids: {}),
    ("POST", "v1/keys"): ValidCall(lambda ids: {"name": PLAIN, "subject_id": ids.subject_id}),
    ("POST", "v1/webhooks"): ValidCall(lambda ids: {"url": f"https://hooks.example/{ids.webhook_id}", "name": PLAIN}),
    ("PATCH", WEBHOOK): ValidCall(lambda ids: {"name": PLAIN, "enabled": False}),
    ("POST", f"{WEBHOOK}/rotate"): ValidCall(lambda ids: {}),
    ("POST", f"{WEBHOOK}/test"): ValidCall(lambda ids: {}),
    ("POST", f"{WEBHOOK}/deliveries/<own_id:delivery_id>/replay"): ValidCall(lambda ids: {}),
    ("GET", f"{SUBJECT}/candidates"): ValidCall(query=lambda ids: {"verdict": "pending", "kind": "preference"}),
    ("POST", f"{SUBJECT}/candidates/<own_id:candidate_id>/review"): ValidCall(
        lambda ids: {"decision": "reject", "reason": PLAIN}
    ),
    ("POST", f"{SUBJECT}/profile/forget"): ValidCall(lambda ids: {"field": "name"}),
    ("POST", f"{PREFERENCE}/forget"): ValidCall(lambda ids: {}),
    ("POST", f"{TAG}/forget"): ValidCall(lambda ids: {}),
    ("POST", f"{CONVERSATION}/restore"): ValidCall(lambda ids: {}),
    ("GET", f"{SUBJECT}/reviews"): ValidCall(query=lambda ids: {"state": "open"}),
    ("POST", f"{SUBJECT}/reviews/<own_id:review_id>/decide"): ValidCall(
        lambda ids: {"decision": "retire", "reason": PLAIN}
    ),
    ("POST", f"{SUBJECT}/consolidations/<own_id:consolidation_id>/undo"): ValidCall(lambda ids: {"reason": PLAIN}),
    ("POST", f"{SUBJECT}/forget-orders/<own_id:forget_order_id>/undo"): ValidCall(lambda ids: {"reason": PLAIN}),
    ("POST", "v1/import"): ValidCall(
        lambda ids: {
            "lines": [
                {"type": "header", "format": 1, "origin": ids.snapshot_id},
                {"type": "subject", "subject_id": ids.subject_id, "metadata": {}},
                {"type": "conversation", "id": ids.receipt_id, "external_id": ids.conversation_id},
                {"type": "end", "counts": {"conversation": 1}},
            ]
        }
    ),
    ("POST", f"{SUBJECT}/tools/<product_id:tool>"): ValidCall(
        lambda ids: {
            "arguments": {"kind": "memory", "memory_id": ids.snapshot_id},
            "conversation_id": ids.conversation_id,
        }
    ),
    ("POST", f"{SUBJECT}/tools/recall"): ValidCall(
        lambda ids: {"arguments": {"query": "tea at home"}, "conversation_id": ids.conversation_id}
    ),
    ("PUT", UPSTREAM): ValidCall(lambda ids: {"base_url": f"https://models.example/{ids.receipt_id}", "api_key": "x"}),
    ("POST", "v1/policies"): ValidCall(
        lambda ids: {"changes": {"recall": {"top_k": 9}}, "based_on": int(ids.version), "reason": PLAIN}
    ),
    ("POST", "v1/policies/fields/try"): ValidCall(lambda ids: {"text": PLAIN}),
    ("GET", "v1/policies/diff"): ValidCall(query=lambda ids: {"from": "1", "to": ids.version}),
    ("GET", "v1/policies/replay"): ValidCall(query=lambda ids: {"from": "1", "to": ids.version}),
    ("POST", f"{VERSION}/activate"): ValidCall(lambda ids: {"reason": PLAIN}),
    ("POST", "v1/experiments"): ValidCall(
        lambda ids: {
            "name": PLAIN,
            "arms": [{"name": one, "policy_version": int(ids.version), "percent": 50} for one in ("a", "乙")],
            "reason": PLAIN,
        }
    ),
    ("PATCH", EXPERIMENT): ValidCall(lambda ids: {"percents": {"b": 40}, "reason": PLAIN}),
    ("POST", f"{EXPERIMENT}/start"): ValidCall(lambda ids: {"reason": PLAIN}),
    ("POST", f"{EXPERIMENT}/end"): ValidCall(lambda ids: {"reason": PLAIN}),
    ("POST", "v1/documents/search"): ValidCall(
        lambda ids: {
            "query": "tea at home",
            "collections": [ids.collection_id],
            "filter": {"document_id": {"in": [ids.document_id]}},
            "explain": True,
            "min_relevance": 0,
        }
    ),
    ("POST", "v1/documents/ground"): ValidCall(
        lambda ids: {
            "text": "Tea is drunk at home. 在家喝茶。",
            "collections": [ids.collection_id],
            "document_ids": [ids.document_id],
        }
    ),
    ("POST", f"{SUBJECT}/tasks"): ValidCall(lambda ids: {"goal": PLAIN, "plan": [PLAIN]}),
    ("PATCH", f"{SUBJECT}/tasks/<own_id:task_id>"): ValidCall(lambda ids: {"goal": PLAIN}),
    ("POST", f"{SUBJECT}/tasks/<own_id:task_id>/finish"): ValidCall(lambda ids: {"outcome": "success"}),
    ("POST", f"{SUBJECT}/asks/next"): ValidCall(lambda ids: {"conversation_id": ids.conversation_id}),
    ("POST", f"{SUBJECT}/asks/<own_id:ask_id>/answer"): ValidCall(lambda ids: {"accepted": False}),
    ("GET", "v1/documents"): ValidCall(query=lambda ids: {"collection": ids.collection_id, "status": "processing"}),
    ("PUT", DOCUMENT): ValidCall(lambda ids: {"content": PLAIN, "content_type": "text/plain", "title": PLAIN}),
    ("PATCH", DOCUMENT): ValidCall(lambda ids: {"metadata": {"of": ids.document_id}}),
    ("POST", f"{DOCUMENT}/reindex"): ValidCall(lambda ids: {}),
    ("GET", f"{DOCUMENT}/text"): ValidCall(query=lambda ids: {"start": "1", "length": "9"}),
    ("PUT", COLLECTION): ValidCall(lambda ids: {"access_label": PLAIN}),
    ("GET", "v1/receipts"): ValidCall(query=lambda ids: {"subject_id": ids.subject_id, "memory_id": ids.snapshot_id}),
    ("POST", "v1/receipts/<own_id:receipt_id>/outcome"): ValidCall(
        lambda ids: {"reply": PLAIN, "next_user_message": "No, not tea, coffee. 不是茶,是咖啡"}
    ),
} | dict.fromkeys(
    [
        *((method, one) for one in (UPSTREAM, NOTE, SNAPSHOT, TAG, WEBHOOK) for method in ("GET", "DELETE")),
        *(
            (method, one)
            for one in (UPSTREAM, NOTE, SNAPSHOT, TAG, DOCUMENT, COLLECTION)
            for method in ("GET", "DELETE")
        ),
        ("GET", "v1/tenant"),
        ("GET", "v1/policies"),
        ("GET", "v1/policies/settings"),
        ("GET", VERSION),
        ("GET", "v1/experiments"),
        ("GET", EXPERIMENT),
        ("GET", f"{EXPERIMENT}/indicators"),
        ("GET", "v1/usage"),
        ("GET", "v1/tools"),
        ("GET", "v1/subjects"),
        ("GET", SUBJECT),
        ("GET", f"{SUBJECT}/tasks"),
        ("GET", f"{SUBJECT}/tasks/<own_id:task_id>"),
        ("GET", f"{SUBJECT}/profile"),
        ("GET", f"{SUBJECT}/profile/history"),
        ("GET", f"{SUBJECT}/profile/completeness"),
        ("GET", PREFERENCE),
        ("DELETE", PREFERENCE),
        ("GET", f"{PREFERENCE}/history"),
        ("GET", f"{SUBJECT}/tags"),
        ("GET", f"{TAG}/history"),
        ("GET", f"{SUBJECT}/conversations"),
        ("GET", CONVERSATION),
        ("DELETE", CONVERSATION),
        ("GET", f"{SUBJECT}/pending"),
        ("GET", f"{SUBJECT}/consolidations"),
        ("GET", f"{SUBJECT}/forget-orders"),
        ("GET", f"{CONVERSATION}/messages"),
        ("GET", f"{CONVERSATION}/window"),
        ("GET", f"{SNAPSHOT}/history"),
        ("GET", f"{NOTE}/history"),
        ("GET", "v1/receipts/<own_id:receipt_id>"),
        ("DELETE", SUBJECT),
        ("GET", f"{SUBJECT}/export"),
        ("GET", "v1/erasures/<own_id:erasure_id>"),
        ("GET", "v1/jobs/<own_id:job_id>"),
        ("GET", "v1/collections"),
        ("GET", "v1/keys"),
        ("GET", "v1/webhooks"),
        ("GET", f"{WEBHOOK}/deliveries"),
        ("DELETE", "v1/keys/<product_id:key_id>"),
    ],
    PLAIN_CALL,
)
"""A route that is not here fails the test: a new one says what a valid call of it looks like."""
