"""What a tenant can do beside its subjects."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from memory_platform_client.answers.administration import (
    ApiKey,
    CreatedApiKey,
    Erasure,
    Imported,
    Job,
    Live,
    Ready,
    Root,
    Tenant,
    Upstream,
    Usage,
)
from memory_platform_client.answers.context import Outcome, Receipt, ReceiptSummary
from memory_platform_client.answers.inputs import VerdictInput
from memory_platform_client.answers.profiles import Subject as SubjectAnswer
from memory_platform_client.answers.tasks import Tools as ToolDefinitions
from memory_platform_client.answers.vocabularies import KeyScope, ToolFormat, ToolLanguage
from memory_platform_client.call_declarations import Scope, Way, call, flow, listing, read_reply
from memory_platform_client.decoding import Page
from memory_platform_client.encoding import When, encode_query
from memory_platform_client.errors import JobFailed
from memory_platform_client.operations.documents import Collections, Documents
from memory_platform_client.operations.policies import Experiments, Policies
from memory_platform_client.operations.subject import Subject
from memory_platform_client.operations.webhooks import Webhooks
from memory_platform_client.retries import Flow, send_patiently
from memory_platform_client.waiting import wait_until

IMPORT = "/v1/import"
RECEIPTS = "/v1/receipts"
RECEIPT = f"{RECEIPTS}/{{receipt_id}}"
JOB = "/v1/jobs/{job_id}"
KEYS = "/v1/keys"
UPSTREAM = "/v1/tenant/upstreams/openai"


class Receipts(Scope[Way]):
    """Why contexts are as they are, and what came of them."""

    @listing(RECEIPTS)
    def list(
        self,
        *,
        subject_id: str | None = None,
        memory_id: str | None = None,
        from_: When | None = None,
        to: When | None = None,
        limit: int | None = None,
    ) -> Page[ReceiptSummary]:
        """List the receipts of contexts, oldest first."""

    @call("GET", RECEIPT)
    def get(self, receipt_id: str) -> Receipt:
        """Get a receipt: all candidates, and why each is in the context or not."""

    @call("POST", f"{RECEIPT}/outcome")
    def outcome(
        self,
        receipt_id: str,
        *,
        reply: str | None = None,
        next_user_message: str | None = None,
        verdicts: Sequence[VerdictInput] | None = None,
    ) -> Outcome:
        """Send back the reply, the user's next message, or judgements of memories; also in parts."""


class Jobs(Scope[Way]):
    """Work that goes on after the answer."""

    @call("GET", JOB)
    def get(self, job_id: str) -> Job:
        """Get a job."""

    @call("POST", f"{JOB}/retry")
    def retry(self, job_id: str) -> Job:
        """Retry a dead job."""

    @flow()
    def wait(self, job_id: str, *, timeout_s: float = 60.0) -> Flow[Job]:
        """Wait until a job has succeeded. Raises JobFailed and TimedOut."""
        job = yield from wait_until(
            lambda: self._perform(Jobs.get, job_id),
            lambda found: found.status not in ("queued", "running"),
            timeout_s,
            "finished",
        )
        if job.status != "succeeded":
            raise JobFailed(job)
        return job


class Keys(Scope[Way]):
    """API keys, also for one subject each."""

    @listing(KEYS)
    def list(self, *, limit: int | None = None) -> Page[ApiKey]:
        """List the tenant's keys, oldest first, also those that have ended."""

    @call("POST", KEYS, reads=True)  # its answer holds a secret, which the platform keeps for no second one
    def create(
        self,
        name: str,
        *,
        scopes: Sequence[KeyScope] | None = None,
        subject_id: str | None = None,
        expires_at: When | None = None,
    ) -> CreatedApiKey:
        """Create a key, also for one subject. Its ``token`` is shown this once."""

    @call("DELETE", f"{KEYS}/{{key_id}}")
    def revoke(self, key_id: str) -> None:
        """Revoke a key at once."""


class OpenAiUpstream(Scope[Way]):
    """The model endpoint to which calls through the OpenAI proxy go on."""

    @call("GET", UPSTREAM)
    def get(self) -> Upstream:
        """Get the endpoint, without its key."""

    @call("PUT", UPSTREAM)
    def set(self, base_url: str, *, api_key: str | None = None) -> Upstream:
        """Set the endpoint. Send its key as well each time."""

    @call("DELETE", UPSTREAM)
    def delete(self) -> None:
        """Remove the endpoint and its key."""


class Health(Scope[Way]):
    """Whether the platform can serve."""

    @call("GET", "/health/live")
    def live(self) -> Live:
        """Check that the process runs."""

    @call("GET", "/health/ready")
    def ready(self) -> Ready:
        """Check whether the process can serve. Raises Unavailable if not."""


class Platform(Scope[Way]):
    """Everything that one API key can do."""

    def subject(self, subject_id: str) -> Subject[Way]:
        """Return a subject by your own id of it. Nothing is sent."""
        return Subject(self._link, {**self._place, "subject_id": subject_id})

    @listing("/v1/subjects")
    def subjects(self, *, limit: int | None = None) -> Page[SubjectAnswer]:
        """List all subjects, oldest first."""

    @call("GET", "/v1/tenant")
    def tenant(self) -> Tenant:
        """Get the tenant of the key, the key's scopes and its limits."""

    @call("GET", "/v1/usage")
    def usage(
        self,
        *,
        from_: date | str | None = None,
        to: date | str | None = None,
        group_by: Literal["day"] | None = None,
    ) -> Usage:
        """Get requests, tokens and costs by day."""

    @call("GET", "/v1/tools")
    def tools(self, *, format: ToolFormat | None = None, language: ToolLanguage | None = None) -> ToolDefinitions:
        """List the definitions of all tools in one vendor's form, and a guidance text for the system prompt."""

    @call("GET", "/v1/erasures/{erasure_id}")
    def erasure(self, erasure_id: str) -> Erasure:
        """Get an erasure and its certificate."""

    @flow(("POST", IMPORT))
    def import_file(
        self, path: str | Path, *, subject_id: str | None = None, allow_forgotten: bool | None = None
    ) -> Flow[Imported]:
        """Import an export from a file, also under another ``subject_id``; ``jobs.wait`` waits until it is done."""
        options = {"subject_id": subject_id, "allow_forgotten": allow_forgotten}
        query = encode_query({name: value for name, value in options.items() if value is not None})
        headers = {"Content-Type": "application/octet-stream"}
        request = self._make_request("POST", IMPORT, headers=headers, query=query, content=Path(path))
        reply = yield from send_patiently(request, self._link.options.retries, self._link.options.timeout_s)
        imported: Imported = read_reply(reply, Imported)
        return imported

    @call("GET", "/v1")
    def root(self) -> Root:
        """Get the paths of the documentation."""

    @call("GET", "/v1/schema")
    def schema(self) -> dict[str, Any]:
        """Get the OpenAPI document."""

    @property
    def receipts(self) -> Receipts[Way]:
        """Why contexts are as they are."""
        return Receipts(self._link, self._place)

    @property
    def jobs(self) -> Jobs[Way]:
        """Work that goes on after the answer."""
        return Jobs(self._link, self._place)

    @property
    def keys(self) -> Keys[Way]:
        """API keys, also for one subject each."""
        return Keys(self._link, self._place)

    @property
    def webhooks(self) -> Webhooks[Way]:
        """Addresses that hear what happens to memory."""
        return Webhooks(self._link, self._place)

    @property
    def documents(self) -> Documents[Way]:
        """Documents of the tenant."""
        return Documents(self._link, self._place)

    @property
    def collections(self) -> Collections[Way]:
        """Collections of documents."""
        return Collections(self._link, self._place)

    @property
    def policies(self) -> Policies[Way]:
        """Versions of the policy."""
        return Policies(self._link, self._place)

    @property
    def experiments(self) -> Experiments[Way]:
        """Experiments between versions of the policy."""
        return Experiments(self._link, self._place)

    @property
    def openai_upstream(self) -> OpenAiUpstream[Way]:
        """The model endpoint of the OpenAI proxy."""
        return OpenAiUpstream(self._link, self._place)

    @property
    def health(self) -> Health[Way]:
        """Whether the platform can serve."""
        return Health(self._link, self._place)
