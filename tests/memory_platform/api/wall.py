"""What the wall's test needs: a seeded tenant, a valid call for every route and method, and how answers compare."""

import re
from dataclasses import astuple
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from django.db import connections
from django.http import HttpResponse

from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Subject
from snapshots.lifecycle.memory_reviews import request_review
from snapshots.models import Consolidation, MemoryLane, MemoryReview, ReviewReason, Snapshot, WebhookDelivery, Work
from tenants.isolation import tenant_tx
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.routes import Route
from tests.memory_platform.api.valid_calls import UPSTREAM, VALID_CALLS, Ids

CANARY = "kestrel4711"
"""Stands in every text of acme's rows, and in nothing that a call sends."""
Rows = dict[str, list[str]]
"""Every row of a tenant, by table."""
_MADE_ID = re.compile(
    r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mk_live_\w+|whsec_[\w+/=]+|(?<="key_id":")\w{12}(?=")'
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
_OWN_REQUESTS = re.compile(r'"requests":\d+')
"""Of the caller's own tenant: the second of two equal calls finds one more."""
_PART = re.compile(r"<\w+:(\w+)>")


def send(caller: Caller, method: str, route: Route, ids: Ids, **query: str) -> HttpResponse:
    """Make the valid call of a route with these ids in its path, query and body."""
    valid = VALID_CALLS[method, route.pattern]
    path = "/" + _PART.sub(lambda part: getattr(ids, part[1]), route.pattern)
    asked = urlencode(valid.query(ids) | query)
    return caller(method, f"{path}?{asked}" if asked else path, valid.body(ids))


def seed(caller: Caller, subject_id: str = "ada") -> Ids:
    """Make two rows of each noun through the API, each with the canary; return the first ones' ids."""
    at = f"/v1/subjects/{subject_id}"
    make_call(caller, "PUT", at, {"metadata": {"of": CANARY}})
    for number in "12":
        make_call(
            caller, "PATCH", f"{at}/profile", {"name": f"Ada {CANARY} {number}", "attributes": {f"a{number}": CANARY}}
        )
        make_call(caller, "PUT", f"{at}/preferences/drinks/tea", {"value": f"{CANARY} {number}", "statement": CANARY})
        make_call(caller, "PUT", f"{at}/preferences/drinks/tea{number}", {"value": CANARY})
        for name in ("c1", f"d{number}"):
            said = {"message_id": f"m{number}", "role": "user", "content": f"I drink {CANARY} tea at 家."}
            make_call(caller, "POST", f"{at}/conversations/{name}/messages", {"messages": [said]})
    tag, _ = (
        make_call(caller, "POST", f"{at}/tags", {"label": label, "address": CANARY}) for label in ("家", "office")
    )
    held = [
        make_call(caller, "POST", f"{at}/snapshots", {"text": f"{CANARY} {n} tea at home", "topics": ["drinks"]})
        for n in "12"
    ]
    make_call(caller, "PATCH", f"{at}/snapshots/{held[0]['id']}", {"text": f"{CANARY} 3 tea at home"})
    about = {"kind": "contact", "id": tag["id"], "label": CANARY}
    note, _ = (
        make_call(caller, "POST", f"{at}/notes", {"text": f"{CANARY} {n} green tea at 家", "about": about})
        for n in "12"
    )
    make_call(caller, "PATCH", f"{at}/notes/{note['id']}", {"grade": "habit", "text": f"{CANARY} 3 green tea at 家"})
    make_call(caller, "PATCH", f"{at}/notes/{note['id']}", {"grade": "about_other"})
    asked = {"query": f"{CANARY} tea at home", "conversation_id": "c1"}
    receipt, _ = (make_call(caller, "POST", f"{at}/context", asked) for _ in "12")
    make_call(caller, "PUT", f"/v1/subjects/{subject_id}-gone", {"metadata": {"of": CANARY}})
    erasure = make_call(caller, "DELETE", f"/v1/subjects/{subject_id}-gone", None)["certificate"]["id"]
    job = give_up_job(caller, make_call(caller, "POST", f"{at}/conversations/c1/end", {})["job_id"])
    waiting = in_doubt(caller, subject_id)
    ask, _ = (make_call(caller, "POST", f"{at}/asks/next", {"conversation_id": f"c{n}"})["ask"] for n in "12")
    task, _ = (make_call(caller, "POST", f"{at}/tasks", {"goal": f"{CANARY} {n}", "plan": [CANARY]}) for n in "12")
    cared_for = in_question(caller, [UUID(one["id"]) for one in held])
    boat = [
        {"message_id": "boat", "role": "user", "content": f"I sold my {CANARY} boat."},
        {"message_id": "no-boat", "role": "user", "content": "Forget what I just said."},
    ]
    order = make_call(caller, "POST", f"{at}/conversations/d3/messages", {"messages": boat})["fast_lane"][0]
    held_ids = (tag["id"], held[0]["id"], receipt["receipt_id"], erasure, job, waiting, *cared_for)
    named = (ask["id"], task["id"], note["id"], order["forget_order_id"], *make_webhooks(caller))
    ids = (*held_ids, *make_policies_and_experiments(caller), *named)
    key_id = make_keys(caller, f"{subject_id}-{CANARY}")
    return Ids(subject_id, "c1", "m1", "drinks", "tea", *ids, key_id=key_id, **make_documents(caller, subject_id))


def make_documents(caller: Caller, subject_id: str) -> dict[str, str]:
    """Make two collections and two documents, one of them in the first one; return that one and the empty one."""
    for number in "12":
        make_call(caller, "PUT", f"/v1/collections/{subject_id}-papers{number}", {"access_label": CANARY})
    sent = {
        "content": f"# {CANARY}\n\nTea at home. 家里的茶",
        "content_type": "text/markdown",
        "metadata": {"of": CANARY},
    }
    for number in "12":
        more = {"collection": f"{subject_id}-papers1"} if number == "1" else {}
        make_call(caller, "PUT", f"/v1/documents/{subject_id}-tea{number}", sent | more)
    return {"document_id": f"{subject_id}-tea1", "collection_id": f"{subject_id}-papers2"}


def make_keys(caller: Caller, subject_id: str) -> str:
    make_call(caller, "PUT", f"/{UPSTREAM}", {"base_url": f"https://{CANARY}.example/v1"})
    return str(make_call(caller, "POST", "/v1/keys", {"name": f"{CANARY} phone", "subject_id": subject_id})["key_id"])


def make_webhooks(caller: Caller) -> tuple[str, str]:
    """Make two webhooks, and a delivery that was given up; return the ids of the first one and of this."""
    first, _ = (
        make_call(caller, "POST", "/v1/webhooks", {"url": f"https://{CANARY}.example/{n}", "events": ["job.dead"]})
        for n in "12"
    )
    sent = make_call(caller, "POST", f"/v1/webhooks/{first['id']}/test", {})
    assert caller.house is not None
    with tenant_tx(caller.house.tenant.id):
        WebhookDelivery.objects.filter(id=sent["id"]).update(state="dead")
    return first["id"], sent["id"]


def make_policies_and_experiments(caller: Caller) -> tuple[str, str]:
    """Make two versions of the policy and two experiments, of which one runs; return the first ones' ids."""
    versions = [
        make_call(caller, "POST", "/v1/policies", {"changes": {"recall": {"top_k": 8 + n}}, "reason": CANARY})[
            "version"
        ]
        for n in (1, 2)
    ]
    arms = [{"name": name, "policy_version": versions[0], "percent": 50} for name in ("a", "b")]
    first, _ = (
        make_call(caller, "POST", "/v1/experiments", {"name": f"{CANARY} {n}", "arms": arms, "reason": CANARY})
        for n in "12"
    )
    make_call(caller, "POST", f"/v1/experiments/{first['id']}/start", {"reason": CANARY})
    return str(versions[1]), first["id"]


def give_up_job(caller: Caller, job_id: str) -> str:
    """Give up a job, so that it can be retried."""
    assert caller.house is not None
    with tenant_tx(caller.house.tenant.id):
        Work.objects.filter(id=job_id).update(state="dead")
    return job_id


def in_doubt(caller: Caller, subject_id: str) -> str:
    """Have extraction doubt two preferences, and a person wait for; return the first candidate's id."""
    assert caller.house is not None
    with tenant_tx(caller.house.tenant.id):
        rows = [
            Candidate(
                subject=Subject.objects.get(external_id=subject_id),
                kind="preference",
                target=f"drinks/{CANARY}{number}",
                value=CANARY,
                provenance="observation",
                verdict="pending",
                reason="unsure",
            )
            for number in "12"
        ]
        Candidate.objects.bulk_create(rows)
    return str(rows[0].id)


def in_question(caller: Caller, snapshots: list[UUID]) -> tuple[str, str]:
    """Have somebody asked about two memories, and both be what others were joined into; return the first rows' ids."""
    assert caller.house is not None
    with tenant_tx(caller.house.tenant.id):
        rows = list(Snapshot.objects.filter(id__in=snapshots).order_by("position"))
        for row in rows:
            request_review(row, MemoryLane.SNAPSHOTS, ReviewReason.UNSURE)
        own = {"subject_id": rows[0].subject_id, "lane": MemoryLane.SNAPSHOTS}
        joined = [
            Consolidation.objects.create(**own, memory_ref=row.id, members=[new_id()], similarity=0.9) for row in rows
        ]
        review = MemoryReview.objects.get(memory_ref=rows[0].id)
    return str(review.id), str(joined[0].id)


def make_call(caller: Caller, method: str, path: str, body: Any) -> dict[str, Any]:
    """Make a call that has to succeed; return its answer."""
    response = caller(method, path, body)
    assert response.status_code < 300, response.content
    return body_of(response)


def comparable(response: HttpResponse, ids: Ids) -> tuple[int, list[str], str]:
    """Return status, header names and body without what may differ: echoed ids, made ids, times."""
    text = response.content.decode()
    if text:
        shown = orjson.loads(text)
        text = orjson.dumps({**shown, "request_id": "", "timings_ms": {}}, option=orjson.OPT_SORT_KEYS).decode()
    for number, value in enumerate(astuple(ids)):
        text = text.replace(f'"{value}"', f'"<id {number}>"')
    text = _OWN_REQUESTS.sub('"requests":0', text)
    text = _TIME.sub("<time>", _MADE_ID.sub("<made id>", text))
    return response.status_code, sorted(name for name, _ in response.items()), text


def rows_of(tenant_id: UUID) -> Rows:
    """Return every row of every table that a tenant owns, read as the owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config('app.tenant_id', %s, false)", [str(tenant_id)])
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' "
            "WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
        )
        tables = [name for (name,) in cursor.fetchall()]
        found = {}
        for table in tables:
            cursor.execute(f'SELECT to_jsonb(t)::text FROM "{table}" t WHERE tenant_id = %s', [tenant_id])  # noqa: S608  # names from the catalogue
            found[table] = sorted(row for (row,) in cursor.fetchall())
        cursor.execute("SELECT set_config('app.tenant_id', '', false)")
    return found
