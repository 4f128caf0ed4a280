"""What ``/v1/docs`` begins with, and its headings in the order in which a product meets them."""

DESCRIPTION = """\
Profiles, preferences, tags and snapshots of a product's users, recalled into a small context.

A product needs five calls, each with `Authorization: Bearer KEY` and `Content-Type: application/json`:

1. `POST /v1/subjects/{subject_id}/conversations/{conversation_id}/messages` with what was said. Subject and \
conversation are made on first sight, under ids of your own; 202 means stored, a worker makes it memory within \
a second or two.
2. `POST /v1/subjects/{subject_id}/context` before each turn: messages to send to the model as they are, and a \
`receipt_id`.
3. `POST /v1/receipts/{receipt_id}/outcome` with the reply and the next turn, or nothing: posted turns are read as well.
4. `POST /v1/subjects/{subject_id}/recall` where you want memories without a prompt around them.
5. `DELETE /v1/subjects/{subject_id}` when a user leaves: everything goes, and a certificate says so.

Times are RFC 3339 with an offset. Lists are paged by `cursor` and `limit`. An `Idempotency-Key` makes a POST safe to \
repeat. Errors are RFC 9457 problems: `code` is stable, `errors` names the fields. A key may send 100 requests a \
second and 300 at once unless `GET /v1/tenant` says otherwise: `X-RateLimit-Remaining` says how many are left, 429 \
with `Retry-After` that none is."""

TAGS = [
    {"name": name, "description": description}
    for name, description in (
        ("subjects", "Your users, under your own ids; export and deletion."),
        ("conversations", "What was said: messages, the window, the end, and the work that is pending."),
        ("recall", "What the memory holds about a question."),
        ("context", "Ready-to-send messages within a token budget."),
        ("receipts", "What was put into one context, why, and what came of it."),
        ("snapshots", "Single memories: list, post, edit, retire, forget."),
        (
            "notes",
            "Lasting facts, habits, limits and plans in the user's own words.",
        ),
        ("profile", "Who the subject is."),
        ("preferences", "What the subject likes, avoids or has set, now and at any past moment."),
        ("tags", "Labelled places and contacts: home, 妈妈."),
        ("tools", "Memory as tools of your model: definitions for each vendor, and calls."),
        ("asks", "What to ask a subject next, and what came of it."),
        ("tasks", "Working memory of an agent's task, and the episode that it becomes."),
        ("candidates", "What extraction proposed, and what became of it."),
        ("reviews", "Memories that somebody should look at, and what was decided."),
        ("consolidations", "Memories that were joined into one, and can be taken apart."),
        ("forget-orders", "What users told us to forget, and bringing it back within a day."),
        ("erasures", "Certificates of what was deleted."),
        ("jobs", "Work that nobody waits for: imports, large deletions, ends of conversations."),
        ("policies", "Versions of the tenant's policy: what it sets over the platform's own numbers."),
        ("experiments", "Several policy versions side by side, and how well each serves."),
        ("tenant", "The company that the key belongs to, and its limits."),
        ("documentation", "This document."),
        ("health", "For load balancers and Prometheus; no key."),
    )
]
