"""Descriptions that the OpenAPI document cannot read from the code: parts of paths, headers, statuses, problems."""

from typing import Any

# Every part of a path by its name.
PATH_PARTS = {
    "subject_id": "Your own id of the user: 1 to 200 characters, any script, no `/`. Percent-encode it.",
    "conversation_id": "Your own id of the conversation, unique within the subject.",
    "receipt_id": "Id of a context's receipt, as `POST .../context` returned it.",
    "snapshot_id": "Id of a snapshot, as a list, a write or a recall returned it.",
    "note_id": "Id of a note, as a list, a write or a recall returned it.",
    "tag_id": "Id of a tag.",
    "category": "Category of the preference, such as `food` or `travel`.",
    "key_id": "Id of an API key, as the list returned it.",
    "key": "Key of the preference within its category, such as `diet` or `seat`.",
    "task_id": "Id of a task, as `POST .../tasks` returned it.",
    "ask_id": "Id of a question to the subject, as `POST .../asks/next` returned it.",
    "candidate_id": "Id of something that was read in a message, as the list returned it.",
    "review_id": "Id of a review, as the list returned it.",
    "consolidation_id": "Id of a consolidation, as the list returned it.",
    "forget_order_id": "Id of an order to forget, as the list or `fast_lane` returned it.",
    "erasure_id": "Id of an erasure: `certificate.id` of a deletion, or the end of its `Location` header.",
    "document_id": "Your own id of the document: 1 to 200 characters, any script, no `/`. Percent-encode it.",
    "collection_id": "Your own id of the collection.",
    "experiment_id": "Id of an experiment.",
    "job_id": "Id of a job, as the request that started it returned it.",
    "webhook_id": "Id of a webhook, as the list returned it.",
    "delivery_id": "Id of a delivery, as the list of the webhook returned it.",
    "version": "Number of a policy version, from 1.",
    "tool": "Name of a tool, as `GET /v1/tools` lists it.",
}


def _header(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"schema": {"type": kind}, "description": description, **more}


HEADERS = {
    "X-Request-Id": _header("string", "Names this request in the logs: yours when you sent one.", required=True),
    "X-RateLimit-Limit": _header("integer", "Requests that the key may send at once."),
    "X-RateLimit-Remaining": _header("integer", "Requests that are left now."),
    "X-RateLimit-Reset": _header("integer", "UTC second since 1970 at which all requests are available again."),
    "Retry-After": _header("integer", "Seconds to wait before trying again."),
    "ETag": _header("string", "Version of the object. Send it as `If-Match` to change only this version."),
    "Location": _header("string", "Path of what the request made."),
    "Idempotent-Replayed": _header("string", "`true` when this is the first answer to this `Idempotency-Key` again."),
}

MEANINGS = {
    400: "The request is malformed; `errors` names the fields.",
    401: "There is no API key, or it is not valid.",
    403: "The key lacks the scope, or is bound to one subject.",
    404: "Nothing with this id is visible to the key: one that is bound to a subject sees no other.",
    408: "The body came too slowly; the connection is closed.",
    409: "The present state does not allow it.",
    412: "`If-Match` names an older version.",
    413: "The body is too large.",
    415: "The body is compressed, or of another media type than the documented ones.",
    422: "The request is well-formed and refused.",
    429: "A limit is reached. `limit` says which and when it resets, `Retry-After` when to try again.",
    503: "A part of the platform does not answer. `Retry-After` says when to try again.",
}


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "An error (RFC 9457). Some codes add members of their own.",
    "required": ["type", "title", "status", "detail", "code", "errors", "request_id"],
    "properties": {
        "type": _text("A URN that ends in `code`."),
        "title": _text("The HTTP status in words."),
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": _text("What is wrong and what to do, for a developer. The words may change."),
        "code": _text("What is wrong, for a program. Codes are never renamed; new ones may come."),
        "errors": {
            "type": "array",
            "description": "Each field that is wrong; empty when no field is.",
            "items": {
                "type": "object",
                "required": ["field", "code", "message"],
                "properties": {
                    "field": _text("Dotted path of the field, such as `messages.0.role`."),
                    "code": _text("What is wrong with it, for a program. New codes may come."),
                    "message": _text("What is wrong with it and what is allowed, for a developer."),
                },
            },
        },
        "request_id": _text("The same as the header `X-Request-Id`."),
        "needed": {"type": "integer", "description": "With `budget_too_small`: the least total that would do."},
        "limit": {
            "type": "object",
            "description": "With `rate_limited` and `quota_exceeded`: the limit that is reached.",
            "properties": {
                "name": _text("Its name, as in `GET /v1/tenant`."),
                "allowed": {"type": "integer", "description": "How many it allows."},
                "remaining": {"type": "integer", "description": "How many are left."},
                "resets_at": {
                    "type": ["string", "null"],
                    "format": "date-time",
                    "description": "When it has room again; null when something must be deleted first.",
                },
            },
        },
    },
}
