"""``Idempotency-Key``: a POST that is sent twice writes once and answers the same."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.db import OperationalError, transaction
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.authentication import caller_of
from memory_platform.api.errors.database_errors import sqlstate_of
from memory_platform.api.policy import POLICY
from memory_platform.api.views.rendering import dump_json
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.observability.metrics import REPLIES_REPLAYED
from profiles.services.idempotency import KeptReply, RequestIdentity, claim_reply, keep_reply
from tenants.isolation import tenant_tx

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
DEADLOCK = "40P01"
_KEY = re.compile(r"[\x20-\x7e]+")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a write answers; ``subject_id`` is the row of the subject it concerns, so that erasing takes it along."""

    data: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    subject_id: UUID | None = None


def write_once(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    """Run ``work`` in one tenant transaction; under an Idempotency-Key its reply is kept, or an earlier one replayed.

    An error of ``work`` rolls everything back, the claim of the key included: a retry does the work again. What a
    deadlock with a worker rolled back is done again here. Raises InvalidInput for a malformed key, KeyReused and
    TwinRunning (both 409).
    """
    for _ in range(POLICY.tries - 1):
        try:
            return _write_once(request, work)
        except OperationalError as error:
            if sqlstate_of(error) != DEADLOCK:
                raise
    return _write_once(request, work)


def _write_once(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    identity = identity_of(request)
    with tenant_tx(caller_of(request).tenant_id):
        if identity is None:
            reply = work()
            return Response(reply.data, status=reply.status, headers=dict(reply.headers))
        earlier = claim(identity)
        if earlier is not None:
            return replay(earlier)
        return settle(identity, work())


def write_prepared(
    request: Request, at_once: Callable[[], Reply], prepare: Callable[[], Callable[[], Reply]]
) -> HttpResponse:
    """Write what takes long to make and no time to write: without a key ``at_once``, in scopes of its own.

    Under a key ``prepare`` makes it with no transaction open, and what it returns writes in one that holds the key's
    reply. An earlier reply is replayed. Raises what :func:`write_once` raises.
    """
    identity = identity_of(request)
    if identity is None:
        reply = at_once()
        return Response(reply.data, status=reply.status, headers=dict(reply.headers))
    tenant_id = caller_of(request).tenant_id
    with tenant_tx(tenant_id):
        earlier = claim(identity)
        transaction.set_rollback(True)  # the claim is made again with the reply
    if earlier is not None:
        return replay(earlier)
    write = prepare()
    with tenant_tx(tenant_id):
        earlier = claim(identity)
        return settle(identity, write()) if earlier is None else replay(earlier)


def write_in_scopes(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    """Run ``work``, which opens scopes of its own, and keep its reply after it; an earlier reply is replayed.

    For what does no harm when it is done twice: a crash between the work and its reply, or a twin, meets the work's own
    answer to a repetition. Raises what :func:`write_once` raises.
    """
    identity = identity_of(request)
    tenant_id = caller_of(request).tenant_id
    if identity is None:
        reply = work()
        return Response(reply.data, status=reply.status, headers=dict(reply.headers))
    with tenant_tx(tenant_id):
        earlier = claim(identity)
        transaction.set_rollback(True)  # the claim is made again with the reply
    if earlier is not None:
        return replay(earlier)
    reply = work()
    with tenant_tx(tenant_id):
        earlier = claim(identity)
        return settle(identity, reply) if earlier is None else replay(earlier)


def identity_of(request: Request) -> RequestIdentity | None:
    """Return what identifies this request under its key, or None when it carries no key. Raises InvalidInput."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key) or len(key) > POLICY.idempotency_key_chars:
        message = f"Has 1-{POLICY.idempotency_key_chars} printable ASCII characters."
        raise InvalidInput(faults=[FieldFault(HEADER, "malformed", message)])
    endpoint = hashlib.sha256(f"{request.method} {request._request.path_info}".encode()).hexdigest()
    body = orjson.dumps(request.data, option=orjson.OPT_SORT_KEYS)
    return RequestIdentity(endpoint, key, hashlib.sha256(body).digest())


def claim(identity: RequestIdentity) -> KeptReply | None:
    """Claim the key inside an open ``tenant_tx``, or return the earlier answer."""
    return claim_reply(identity, wait_ms=POLICY.twin_wait_ms, kept_for=timedelta(hours=POLICY.reply_hours))


def settle(identity: RequestIdentity, reply: Reply) -> HttpResponse:
    """Keep ``reply`` under the claimed key inside the same ``tenant_tx``, and return it as an answer."""
    kept = KeptReply(reply.status, b"" if reply.data is None else dump_json(reply.data), reply.headers)
    keep_reply(identity, kept, subject_id=reply.subject_id)
    return _to_response(kept)


def replay(kept: KeptReply) -> HttpResponse:
    """Return an earlier answer, byte for byte, marked as replayed."""
    REPLIES_REPLAYED.inc()
    response = _to_response(kept)
    response[REPLAYED] = "true"
    return response


def _to_response(kept: KeptReply) -> HttpResponse:
    headers = dict(kept.headers)
    return HttpResponse(kept.body, status=kept.status, content_type="application/json", headers=headers)
