"""``/v1/jobs``: what a product asked for and did not wait for: imports, large erasures, ends of conversations."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.serializers import NothingInput, Output
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.kernel.errors import NotFound
from snapshots.intake.conversation_end import result_of_end
from snapshots.models import Job, JobKind, JobStatus, Work, WorkKind, WorkState
from snapshots.queue.asked_jobs import JobNotDead, JobUnknown, job_by_id, retry_job
from snapshots.queue.replay import replay_work
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

CONVERSATION_END = "conversation_end"
KINDS = (*JobKind.values, CONVERSATION_END)
STATUS_OF_WORK = {
    WorkState.READY: JobStatus.QUEUED,
    WorkState.LEASED: JobStatus.RUNNING,
    WorkState.DONE: JobStatus.SUCCEEDED,
    WorkState.DEAD: JobStatus.DEAD,
}


class ProgressOutput(Output):
    """Steps done, and all of them; 0 of 0: not known yet."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


class JobErrorOutput(Output):
    """Why the last attempt failed."""

    code = serializers.CharField()


class JobOutput(Output):
    """One job. ``failed`` is tried again by itself, ``dead`` waits for a retry. ``result`` holds ids and counts.

    The ``result`` of a finished ``conversation_end`` is ``{snapshots, reason}``: how many it made, and where there are
    none why: ``no_tool_call`` (only a conversation in which a tool was called is summed up; what the user said in
    any other is remembered statement by statement), ``nothing_to_keep``, ``not_remembered`` (``remember`` is false) or
    ``later_end`` (the conversation went on, and its next end tells all of it).
    """

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=KINDS)
    status = serializers.ChoiceField(choices=JobStatus.values)
    progress = ProgressOutput()
    attempts = serializers.IntegerField()
    error = JobErrorOutput(allow_null=True)
    result = serializers.DictField()


class JobView(TenantView):
    """One job."""

    noun = "jobs"
    required_scope = MEMORY_READ

    @extend_schema(responses=JobOutput)
    def get(self, request: Request, job_id: UUID) -> Response:
        """Return where a job stands."""
        with tenant_tx(self.tenant_id):
            return Response(serialize_job_or_end(job_id))


class JobRetryView(TenantView):
    """Another chance for a job that was given up."""

    noun = "jobs"
    required_scope = MEMORY_WRITE

    @extend_schema(request=NothingInput, responses={202: JobOutput})
    def post(self, request: Request, job_id: UUID) -> HttpResponse:
        """Give a dead job all its attempts again; any other state is 409."""
        NothingInput.parse(request)
        return write_once(request, partial(retry, job_id, self.actor))


def retry(job_id: UUID, by: Actor) -> Reply:
    """Retry a job, or the work of a conversation's end, inside the open transaction."""
    work = _end_of_conversation(job_id)
    if work is None:
        return Reply(serialize_job(retry_job(job_by_id(job_id))), status=202)
    if not replay_work(work, by=by):
        raise JobNotDead("Only a job that is dead can be retried.")
    work.refresh_from_db()
    return Reply(serialize_work(work), status=202, subject_id=work.subject_id)


def serialize_job_or_end(job_id: UUID) -> dict[str, Any]:
    """Return the body of a job, or of the work at a conversation's end. Raises NotFound."""
    try:
        return serialize_job(job_by_id(job_id))
    except JobUnknown:
        work = _end_of_conversation(job_id)
        if work is None:
            raise NotFound("No job with this id.") from None
        return serialize_work(work)


def serialize_job(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "progress": {"done": job.done, "total": job.total},
        "attempts": job.attempts,
        "error": {"code": job.error_code} if job.error_code else None,
        "result": job.result,
    }


def serialize_work(work: Work) -> dict[str, Any]:
    return {
        "id": work.id,
        "kind": CONVERSATION_END,
        "status": STATUS_OF_WORK[WorkState(work.state)],
        "progress": {"done": int(work.state == WorkState.DONE), "total": 1},
        "attempts": work.attempts,
        "error": {"code": work.error_code} if work.error_code else None,
        "result": end_result(work) if work.state == WorkState.DONE else {},
    }


def end_result(work: Work) -> dict[str, Any]:
    """Return what the end of a conversation made as the API shows it."""
    made = result_of_end(work)
    return {"snapshots": made.snapshots, "reason": made.reason}


def _end_of_conversation(job_id: UUID) -> Work | None:
    return Work.objects.filter(id=job_id, kind=WorkKind.CONVERSATION, subject__erasing=False).first()


urlpatterns = [
    path("jobs/<own_id:job_id>", JobView.as_view(), name="job"),
    path("jobs/<own_id:job_id>/retry", JobRetryView.as_view(), name="job-retry"),
]
