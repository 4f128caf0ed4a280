"""One subject: a person whom your product talks to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_platform_client.answers.administration import Erasing
from memory_platform_client.answers.context import Context
from memory_platform_client.answers.conversations import Accepted, Pending
from memory_platform_client.answers.inputs import BudgetInput, MessageInput, ProfileFields, TimeRangeInput
from memory_platform_client.answers.profiles import Subject as SubjectAnswer
from memory_platform_client.answers.recall import Recall
from memory_platform_client.answers.shared import Erased
from memory_platform_client.answers.vocabularies import (
    ContextInclude,
    Intent,
    MemoryKind,
    Phase,
    PromptFormat,
    PromptOrder,
    PromptStyle,
    RecallLane,
    Understanding,
    Vendor,
)
from memory_platform_client.call_declarations import Scope, Way, call, flow
from memory_platform_client.encoding import When
from memory_platform_client.export_files import ExportFile, save_export
from memory_platform_client.operations.agent_tasks_and_tools import Tasks, Tools
from memory_platform_client.operations.conversations import CONVERSATION, Conversations
from memory_platform_client.operations.memories import (
    Candidates,
    Consolidations,
    ForgetOrders,
    Notes,
    Reviews,
    Snapshots,
)
from memory_platform_client.operations.profiles import Asks, Preferences, Profile, Tags
from memory_platform_client.retries import Flow
from memory_platform_client.waiting import wait_until

SUBJECT = "/v1/subjects/{subject_id}"
EXPORT = f"{SUBJECT}/export"
Spoken = str | MessageInput
"""What the user said, or a message with its role."""


def list_messages(spoken: Spoken | Sequence[Spoken]) -> list[Any]:
    """Return messages as the document wants them; a text alone is the user's."""
    several = [spoken] if isinstance(spoken, str | Mapping) else spoken
    return [{"role": "user", "content": one} if isinstance(one, str) else one for one in several]


class Subject(Scope[Way]):
    """One subject; nothing is sent before a method is called, and a write creates the subject."""

    @call("POST", f"{CONVERSATION}/messages", shapes={"messages": list_messages})
    def add(self, messages: Spoken | Sequence[Spoken], *, conversation: str) -> Accepted:
        """Store what was said. The platform learns from it, usually within a second; ``wait`` waits for that."""

    @call("POST", f"{SUBJECT}/context", reads=True)
    def context(
        self,
        query: str,
        *,
        conversation: str | None = None,
        system_prompt: str | None = None,
        budget: BudgetInput | None = None,
        intent: Intent | None = None,
        phase: Phase | None = None,
        understand: Understanding | None = None,
        order: PromptOrder | None = None,
        format: PromptFormat | None = None,
        style: PromptStyle | None = None,
        guide: bool | None = None,
        at: When | None = None,
        filter: Mapping[str, Any] | None = None,
        min_relevance: float | None = None,
        strict: bool | None = None,
        include: Sequence[ContextInclude] | None = None,
        collections: Sequence[str] | None = None,
        access_labels: Sequence[str] | None = None,
        citations: bool | None = None,
        vendor: Vendor | None = None,
        cached_content: bool | None = None,
        cached_content_lost: str | None = None,
    ) -> Context:
        """Make a context for the user's message: ``messages`` for a chat API, or all of it as ``text``."""

    @call("POST", f"{SUBJECT}/recall", reads=True)
    def recall(
        self,
        query: str,
        *,
        top_k: int | None = None,
        kinds: Sequence[MemoryKind] | None = None,
        topics: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        time_range: TimeRangeInput | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        conversation: str | None = None,
        lanes: Sequence[RecallLane] | None = None,
        collections: Sequence[str] | None = None,
        access_labels: Sequence[str] | None = None,
        rerank: bool | None = None,
        rewrite: bool | None = None,
        explain: bool | None = None,
        min_relevance: float | None = None,
        strict: bool | None = None,
    ) -> Recall:
        """Find the memories that help with a question."""

    @call("GET", SUBJECT)
    def get(self) -> SubjectAnswer:
        """Get the subject with its profile."""

    @call("PUT", SUBJECT)
    def put(
        self,
        *,
        profile: ProfileFields | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> SubjectAnswer:
        """Create the subject or change it: the profile is merged, the metadata replaced."""

    @call("DELETE", SUBJECT)
    def delete(self, *, if_match: str | None = None) -> Erased | Erasing:
        """Erase everything about the subject. The answer is a certificate, or the job that works on very much."""

    @call("GET", f"{SUBJECT}/pending")
    def pending(self) -> Pending:
        """Count the work for the subject that is due and not done."""

    @flow()
    def wait(self, *, timeout_s: float = 60.0) -> Flow[Pending]:
        """Wait until everything that was said is learned. Raises TimedOut."""
        return (
            yield from wait_until(
                lambda: self._perform(Subject.pending), lambda found: found.pending == 0, timeout_s, "learned"
            )
        )

    @flow(("GET", EXPORT))
    def export(self, path: str | Path) -> Flow[ExportFile]:
        """Save everything about the subject to a file, one JSON object a line."""
        return (yield from save_export(self._make_request("GET", EXPORT, save_to=Path(path)), self._link.options))

    @property
    def profile(self) -> Profile[Way]:
        """Name, locale, interests and what else is known."""
        return Profile(self._link, self._place)

    @property
    def preferences(self) -> Preferences[Way]:
        """What the subject prefers, by category and key."""
        return Preferences(self._link, self._place)

    @property
    def tags(self) -> Tags[Way]:
        """Labelled places, contacts and things."""
        return Tags(self._link, self._place)

    @property
    def notes(self) -> Notes[Way]:
        """Lasting things in the user's own words."""
        return Notes(self._link, self._place)

    @property
    def snapshots(self) -> Snapshots[Way]:
        """Dated memories."""
        return Snapshots(self._link, self._place)

    @property
    def conversations(self) -> Conversations[Way]:
        """Conversations and their messages."""
        return Conversations(self._link, self._place)

    @property
    def tasks(self) -> Tasks[Way]:
        """Tasks of agents."""
        return Tasks(self._link, self._place)

    @property
    def tools(self) -> Tools[Way]:
        """Tools that a model calls."""
        return Tools(self._link, self._place)

    @property
    def asks(self) -> Asks[Way]:
        """Questions about what is missing."""
        return Asks(self._link, self._place)

    @property
    def candidates(self) -> Candidates[Way]:
        """Values that understanding proposed."""
        return Candidates(self._link, self._place)

    @property
    def reviews(self) -> Reviews[Way]:
        """Memories that somebody should check."""
        return Reviews(self._link, self._place)

    @property
    def consolidations(self) -> Consolidations[Way]:
        """Memories that were joined."""
        return Consolidations(self._link, self._place)

    @property
    def forget_orders(self) -> ForgetOrders[Way]:
        """Orders to forget that the user gave by talk."""
        return ForgetOrders(self._link, self._place)
