"""Resources that a client reads without a tool: the profile, notes, receipts; and a prompt with the context of a
message."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory_platform.api.config import API_CONFIG
from memory_platform.compat.mcp.api_calls import ApiRefusal
from memory_platform.compat.mcp.client_request import ToolRefused, Visit
from memory_platform.compat.mcp.native_tools import NOTE_MEMBERS, keep_members, load_profile, make_context
from memory_platform.compat.mcp.served_tool import write_json

JSON = "application/json"
NOT_FOUND = 404
_ID = r"([0-9a-fA-F-]{1,64})"


@dataclass(frozen=True, slots=True)
class ServedResource:
    """A resource, or with ``{id}`` in its address a template. ``load`` takes the id; it is empty for a resource."""

    address: str
    name: str
    description: str
    load: Callable[[Visit, str], Any]

    def describe(self) -> dict[str, Any]:
        key = "uriTemplate" if "{" in self.address else "uri"
        return {key: self.address, "name": self.name, "description": self.description, "mimeType": JSON}

    def find_id(self, address: str) -> str | None:
        """Return the id in an address of this resource, None for another address."""
        pattern = re.escape(self.address).replace(re.escape("{id}"), _ID)
        found = re.fullmatch(pattern, address)
        return None if found is None else "".join(found.groups())


def _load_notes(visit: Visit, _: str) -> dict[str, Any]:
    page = visit.call_below_own_subject("GET", "notes", query={"limit": API_CONFIG.page_most})
    return {"notes": [keep_members(NOTE_MEMBERS, one) for one in page["data"]]}


def _load_note(visit: Visit, note_id: str) -> dict[str, Any]:
    return keep_members((*NOTE_MEMBERS, "sources", "provenance"), visit.call_below_own_subject("GET", "notes", note_id))


RESOURCES = (
    ServedResource(
        "memory://profile",
        "profile",
        "Who the user is: profile, preferences, places and people.",
        lambda visit, _: load_profile(visit),
    ),
    ServedResource("memory://notes", "notes", "What the user said that lasts, in the user's own words.", _load_notes),
)
TEMPLATES = (ServedResource("memory://notes/{id}", "note", "One note, with the messages that say it.", _load_note),)
PROMPT: dict[str, Any] = {
    "name": "context",
    "title": "Context",
    "description": "What matters about the user for a message, ready to stand before it.",
    "arguments": [{"name": "query", "description": "The user's message.", "required": True}],
}


def read_resource(visit: Visit, address: str) -> str | None:
    """Return the JSON at an address, None when nothing is there. Raises ToolRefused, ApiRefusal."""
    for one in (*RESOURCES, *TEMPLATES):
        found = one.find_id(address)
        if found is not None:
            try:
                return write_json(one.load(visit, found))
            except ApiRefusal as refusal:
                if refusal.status != NOT_FOUND:
                    raise
    return None


def write_prompt(visit: Visit, name: str, arguments: dict[str, str]) -> str | None:
    """Return the text of a prompt, None for an unknown one. Raises ToolRefused, ApiRefusal."""
    if name != PROMPT["name"]:
        return None
    if not arguments.get("query"):
        raise ToolRefused("arguments.query: This field is required.")
    return make_context(visit, {"query": arguments["query"]}).text
