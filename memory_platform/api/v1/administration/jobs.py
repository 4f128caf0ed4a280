"""``/v1/jobs``: imports, large erasures, documents and ends of conversations, which run in the background."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from django.utils.translation import override
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.serializers import NothingInput, Output
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import NotFound
from profiles.selectors import find_subject
from snapshots.intake.conversation_rows import load_end_result
from snapshots.knowledge.documents.fault_texts import describe_fault
from snapshots.models import Job, JobKind, JobStatus, Work, WorkKind, WorkState
from snapshots.queue.dead_work import replay_work
from snapshots.queue.requested_jobs import JobNotDead, JobUnknown, load_job, retry_job
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
    """How far a job is."""

    done = serializers.IntegerField(help_text="Steps that are done.")
    total = serializers.IntegerField(help_text="All steps; 0 while the number is not known.")


class JobErrorOutput(Output):
    """Why the last attempt failed."""

    code = serializers.CharField(source="error_code", help_text="Name of the error. New ones may come.")
    detail = serializers.CharField(
        allow_null=True, help_text="What happened and what to do, for the job of a document; null for others."
    )

    @staticmethod
    def render_detail(job: Job | Work) -> str | None:
        if not isinstance(job, Job) or job.kind != JobKind.DOCUMENT:
            return None
        with override("en"):
            return str(describe_fault(job.error_code))


class JobOutput(Output):
    """A job."""

    id = serializers.UUIDField(help_text="Id of the job.")
    kind = serializers.ChoiceField(choices=KINDS, help_text="What it does.")
    status = serializers.ChoiceField(
        choices=JobStatus.values,
        help_text="`failed` is tried again without your help; `dead` waits for `POST .../retry`.",
    )
    progress = ProgressOutput(source="*", help_text="How far it is.")
    attempts = serializers.IntegerField(help_text="Attempts so far.")
    error = JobErrorOutput(allow_null=True, help_text="Why the last attempt failed; null when it did not.")
    result = serializers.DictField(
        help_text="Ids and counts of a finished job. For `conversation_end`: `snapshots`, how many memories it made, "
        "and `reason`, why there are none: `no_tool_call` (only a conversation with tool calls is summed up; messages "
        "of the user are remembered one by one in any case), `nothing_to_keep`, `not_remembered` (`remember` is false) "
        "or `later_end` (the conversation went on; its next end covers all of it). For `document`: `outcome` "
        "(`indexed`; `replaced_meanwhile` or `deleted_meanwhile` if there was nothing left to index), and of its "
        "`chunks` how many were `embedded`; others stayed as they were, and `removed` are gone."
    )

    @staticmethod
    def render_error(job: Job | Work) -> dict[str, Any] | None:
        return JobErrorOutput.render(job) if job.error_code else None


class JobBaseView(TenantView):
    """A view of one job. A key of one subject reaches the ends of this subject's conversations only."""

    noun = "jobs"
    serves_bound_keys = True
    absent = "No job with this id."

    def belongs_to_subject(self, subject_id: str) -> bool:
        with tenant_tx(self.tenant_id):
            work, subject = _end_of_conversation(self.kwargs["job_id"]), find_subject(subject_id)
        return work is not None and subject is not None and work.subject_id == subject.id


class JobView(JobBaseView):
    required_scope = MEMORY_READ

    @operation("get_job", answer=JobOutput)
    def get(self, request: Request, job_id: UUID) -> Response:
        """Get a job."""
        with tenant_tx(self.tenant_id):
            return Response(render_job(job_id))


class JobRetryView(JobBaseView):
    required_scope = MEMORY_WRITE

    @operation(
        "retry_job", request=NothingInput, answer=JobOutput, status=202, errors=[JobUnknown, NotFound, JobNotDead]
    )
    def post(self, request: Request, job_id: UUID) -> HttpResponse:
        """Retry a dead job. In any other state it is 409."""
        NothingInput.parse(request)
        return write_once(request, partial(retry, job_id, self.actor))


def retry(job_id: UUID, by: Actor) -> Reply:
    work = _end_of_conversation(job_id)
    if work is None:
        return Reply(JobOutput.render(retry_job(load_job(job_id))), status=202)
    if not replay_work(work, by=by):
        raise JobNotDead("Only a job that is dead can be retried.")
    work.refresh_from_db()
    return Reply(render_conversation_end_job(work), status=202, subject_id=work.subject_id)


def render_job(job_id: UUID) -> dict[str, Any]:
    try:
        return JobOutput.render(load_job(job_id))
    except JobUnknown:
        work = _end_of_conversation(job_id)
        if work is None:
            raise NotFound("No job with this id.") from None
        return render_conversation_end_job(work)


def render_conversation_end_job(work: Work) -> dict[str, Any]:
    """Return the answer for the work at a conversation's end, which is a job to the caller."""
    done = work.state == WorkState.DONE
    made = load_end_result(work) if done else None
    return JobOutput.render(
        work,
        kind=CONVERSATION_END,
        status=STATUS_OF_WORK[WorkState(work.state)],
        progress={"done": int(done), "total": 1},
        result={"snapshots": made.snapshots, "reason": made.reason} if made else {},
    )


def _end_of_conversation(job_id: UUID) -> Work | None:
    return Work.objects.filter(id=job_id, kind=WorkKind.CONVERSATION, subject__erasing=False).first()


urlpatterns = [
    path("jobs/<own_id:job_id>", JobView.as_view(), name="job"),
    path("jobs/<own_id:job_id>/retry", JobRetryView.as_view(), name="job-retry"),
]
