"""One request of an MCP client: who asks, about whom, and which tools it knows."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from memory_platform.api.v1.tools.tool_definition import Language
from memory_platform.compat.mcp.api_calls import call_api
from memory_platform.kernel.errors import MemoryPlatformError
from tenants.services.keys import Caller

Profile = Literal["memory", "mem0"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
SUBJECT_HEADER = "X-Memory-Subject"
NO_SUBJECT = (
    f"This connection names no person. Add ?subject=ID to the address, or send the header {SUBJECT_HEADER}, or use a "
    "key that is bound to one person."
)


class ToolRefused(MemoryPlatformError):
    """A tool cannot do what was asked; the detail says why and what to do. The model reads it."""

    code = "tool_refused"


@dataclass(frozen=True, slots=True)
class Visit:
    """``subject_id`` is whom the connection is for: of the key, else of the address; empty when neither names anybody.
    ``base_url`` is where this server answers, without a slash at the end."""

    caller: Caller
    subject_id: str = ""
    profile: Profile = "memory"
    language: Language = "en"
    conversation_id: str = ""
    base_url: str = ""

    def require_subject(self, named: str | None = None, argument: str = "user_id") -> str:
        """Return the subject of a call. An argument may name it only where the connection names nobody."""
        if not self.subject_id:
            if not named:
                raise ToolRefused(NO_SUBJECT)
            return named
        if named and named != self.subject_id:
            raise ToolRefused(
                f"arguments.{argument}: This connection is for one person, and the argument names another. "
                "Leave it out."
            )
        return self.subject_id

    def call_below_own_subject(
        self, method: str, *segments: str, body: Any = None, query: dict[str, Any] | None = None
    ) -> Any:
        """Call the API below the connection's subject. Raises ToolRefused without one, ApiRefusal."""
        return self.call_below_subject(self.require_subject(), method, *segments, body=body, query=query)

    def call_beside_subjects(self, method: str, *segments: str, query: dict[str, Any] | None = None) -> Any:
        """Call the API beside the subjects. Raises ApiRefusal."""
        return call_api(self.caller, method, segments, query=query)

    def call_below_subject(
        self, subject_id: str, method: str, *segments: str, body: Any = None, query: dict[str, Any] | None = None
    ) -> Any:
        return call_api(self.caller, method, ("subjects", subject_id, *segments), body, query)
