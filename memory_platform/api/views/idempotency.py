"""``Idempotency-Key``: a POST that is sent twice writes once and gets the same answer."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import orjson
from django.db import DatabaseError, transaction
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import caller_of
from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.handler import find_constraint_name, sqlstate_of
from memory_platform.api.views.json_rendering import dump_json
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.observability.metrics import REPLIES_REPLAYED
from profiles.services.idempotency import KeptReply, RequestIdentity, claim_reply, keep_reply
from profiles.services.subject_lock import SubjectJoined
from tenants.isolation import tenant_tx

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
DEADLOCK, KEY_MISSING = "40P01", "23503"
_KEY = re.compile(r"[\x20-\x7e]+")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a write. ``subject_id`` is the row of its subject: erasing the subject erases a kept reply, too."""

    data: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    subject_id: UUID | None = None


def write_once(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    """Run ``work`` in one tenant transaction. Under an Idempotency-Key keep its reply, or replay an earlier one.

    An error rolls everything back, the claim of the key included, so that a retry does the work again. Raises
    InvalidInput for a malformed key, KeyReused and TwinRunning (both 409).
    """
    return write_with_retries(lambda: _write_once(request, work))


def write_with_retries(write: Callable[[], Result]) -> Result:
    """Run ``write``, which opens a transaction of its own. A deadlock with a worker, and a join of the subject at this
    moment, are retried here."""
    for _ in range(API_CONFIG.tries - 1):
        try:
            return write()
        except (DatabaseError, SubjectJoined) as error:
            if not _can_succeed_on_retry(error):
                raise
    return write()


def _can_succeed_on_retry(error: Exception) -> bool:
    """Return whether the same write can succeed at once."""
    if isinstance(error, SubjectJoined) or sqlstate_of(error) == DEADLOCK:
        return True
    # The subject's row is gone: joined into another one, which its id names now, or erased.
    return sqlstate_of(error) == KEY_MISSING and find_constraint_name(error).endswith("_subject_id_tfk")


def _write_once(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    identity = read_request_identity(request)
    with tenant_tx(caller_of(request).tenant_id):
        if identity is None:
            return _respond(work())
        earlier = claim_kept_reply(identity)
        if earlier is not None:
            return replay_reply(earlier)
        return keep_and_respond(identity, work())


def write_prepared(
    request: Request, at_once: Callable[[], Reply], prepare: Callable[[], Callable[[], Reply]]
) -> HttpResponse:
    """Run work that takes long to compute and little time to write. Raises as :func:`write_once` does.

    Without a key run ``at_once``, which opens its own transactions. With a key run ``prepare`` without a transaction,
    then the function that it returns in the transaction that keeps the reply.
    """
    identity = read_request_identity(request)
    if identity is None:
        return _respond(at_once())
    tenant_id = caller_of(request).tenant_id
    with tenant_tx(tenant_id):
        earlier = claim_kept_reply(identity)
        transaction.set_rollback(True)  # the claim is made again with the reply
    if earlier is not None:
        return replay_reply(earlier)
    write = prepare()
    with tenant_tx(tenant_id):
        earlier = claim_kept_reply(identity)
        return keep_and_respond(identity, write()) if earlier is None else replay_reply(earlier)


def write_in_scopes(request: Request, work: Callable[[], Reply]) -> HttpResponse:
    """Run ``work``, which opens its own transactions, and keep its reply afterwards. For work that may run twice, since
    a crash can come between the work and its reply. Raises as :func:`write_once` does."""

    def prepare() -> Callable[[], Reply]:
        reply = work()
        return lambda: reply

    return write_prepared(request, work, prepare)


def read_request_identity(request: Request) -> RequestIdentity | None:
    """Return the identity of a request with a key, or None without one. Raises InvalidInput."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key) or len(key) > API_CONFIG.idempotency_key_chars:
        message = f"Must have 1 to {API_CONFIG.idempotency_key_chars} printable ASCII characters."
        raise InvalidInput(faults=[FieldFault(HEADER, "malformed", message)])
    endpoint = hashlib.sha256(f"{request.method} {request._request.path_info}".encode()).hexdigest()
    body = orjson.dumps(request.data, option=orjson.OPT_SORT_KEYS)
    return RequestIdentity(endpoint, key, hashlib.sha256(body).digest())


def claim_kept_reply(identity: RequestIdentity) -> KeptReply | None:
    return claim_reply(identity, wait_ms=API_CONFIG.twin_wait_ms, kept_for=timedelta(hours=API_CONFIG.reply_hours))


def keep_and_respond(identity: RequestIdentity, reply: Reply) -> HttpResponse:
    """Keep ``reply`` under the claimed key in the same transaction, and return it as an answer."""
    kept = KeptReply(reply.status, b"" if reply.data is None else dump_json(reply.data), reply.headers)
    keep_reply(identity, kept, subject_id=reply.subject_id)
    return _to_response(kept)


def replay_reply(reply: KeptReply) -> HttpResponse:
    REPLIES_REPLAYED.inc()
    response = _to_response(reply)
    response[REPLAYED] = "true"
    return response


def _respond(reply: Reply) -> HttpResponse:
    return Response(reply.data, status=reply.status, headers=dict(reply.headers))


def _to_response(reply: KeptReply) -> HttpResponse:
    headers = dict(reply.headers)
    return HttpResponse(reply.body, status=reply.status, content_type="application/json", headers=headers)


def refuse_kept_reply(request: Request) -> None:
    """Raise InvalidInput for a request that wants an answer with a secret to be kept."""
    if HEADER in request.headers:
        message = "Must be left out: an answer with a secret is not kept."
        raise InvalidInput(faults=[FieldFault(HEADER, "not_kept", message)])
