"""The introduction of ``/v1/docs`` and its headings."""

DESCRIPTION = """\
Memory for AI agents: post what users say, and get a small context for your model back.

A product needs five calls, each with `Authorization: Bearer KEY` and `Content-Type: application/json`:

1. `POST /v1/subjects/{subject_id}/conversations/{conversation_id}/messages` with what was said. Subject and \
conversation are created when they are new, under ids of your own. 202 means stored; a worker makes memories of \
it within a second or two.
2. `POST /v1/subjects/{subject_id}/context` before each turn: it returns messages for the model, to send as they are, \
and a `receipt_id`.
3. `POST /v1/receipts/{receipt_id}/outcome` with the reply and the next message. It is optional: posted messages \
are read as well.
4. `POST /v1/subjects/{subject_id}/recall` for memories without a prompt around them.
5. `DELETE /v1/subjects/{subject_id}` when a user leaves: everything is deleted, and a signed certificate lists it.

Times are RFC 3339 with an offset. Lists have pages: `cursor` and `limit`. An `Idempotency-Key` makes a POST safe to \
repeat. Errors are RFC 9457 problems: `code` is stable, `errors` names the fields. A key may send 100 requests a \
second and 300 at once unless `GET /v1/tenant` says otherwise. `X-RateLimit-Remaining` is how many are left; when none \
is, the answer is 429 with `Retry-After`."""

# Headings by group, in the order in which a product meets them: the five calls of the introduction come first.
_GROUPS = {
    "Core": {
        "messages": "Post messages as they are said; read them and the recent part of a conversation.",
        "context": "Get messages to send to your model, within a token budget.",
        "recall": "Find the memories that help with a question.",
        "outcome": "Send back the reply and the next message for a context.",
        "export": "Take everything about a user out, and bring it back.",
        "deletion": "Delete everything about a user, with a signed certificate.",
    },
    "User data": {
        "subjects": "Your users, under your own ids.",
        "conversations": "Conversations of a user: their state, end and deletion.",
        "profile": "Who the user is: name, occupation, interests and free attributes.",
        "preferences": "What the user likes, avoids or has set, now and in the past.",
        "tags": "Labelled places and contacts, such as home or 妈妈.",
        "notes": "Lasting facts, habits, limits and plans in the user's own words.",
        "snapshots": "Single memories: list, post, edit, retire, forget.",
        "forget-orders": "Orders to forget that users gave in a conversation, and their undoing.",
    },
    "Knowledge": {
        "documents": "Documents of the tenant, which searches find beside its memory.",
        "collections": "Collections of documents, and the labels that open them to a search.",
    },
    "Agents": {
        "tools": "Memory as tools of your model: definitions for each vendor, and calls.",
        "asks": "What to ask a user next, and the answers.",
        "tasks": "Working memory of an agent's task, and the episode that it becomes.",
    },
    "Administration": {
        "receipts": "What was put into a context, and why.",
        "candidates": "What was read in messages, and what became of it.",
        "reviews": "Memories that somebody should check, and the decisions.",
        "consolidations": "Memories that were joined into one, and their undoing.",
        "jobs": "Imports, large deletions, documents and ends of conversations, which run in the background.",
        "policies": "Versions of the tenant's settings.",
        "experiments": "Policy versions that run side by side, and how well each does.",
        "tenant": "The tenant of the key, its limits and its use.",
        "keys": "API keys, also for one user each.",
        "webhooks": "Addresses of yours that hear what happens to memory, and what they were told.",
        "documentation": "This document.",
        "health": "For load balancers and Prometheus. No key is needed.",
    },
}
TAGS = [{"name": name, "description": text} for group in _GROUPS.values() for name, text in group.items()]
TAG_GROUPS = [{"name": name, "tags": list(group)} for name, group in _GROUPS.items()]
