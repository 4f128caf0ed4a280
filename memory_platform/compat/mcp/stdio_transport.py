"""The MCP server on standard input and output, for one key. Each request asks anew whether the key still holds."""

from dataclasses import dataclass
from typing import Any

from mcp.server.stdio import stdio_server

from memory_platform.api.v1.tools.tool_definition import Language
from memory_platform.compat.mcp.client_request import Profile, ToolRefused, Visit
from memory_platform.compat.mcp.sdk_server import Doorkeeper, make_server
from memory_platform.compat.mcp.stepping_event_loop import SteppingLoop
from memory_platform.kernel.product_ids import find_product_id_fault
from memory_platform.observability.logs import accept_request_id
from tenants.services.keys import authenticate_key
from tenants.services.usage.request_rates import take_request


@dataclass(frozen=True, slots=True)
class StdioDoor:
    """``token`` is the key. ``subject_id`` is whom the connection is for; a key of one subject needs none."""

    token: str
    subject_id: str
    profile: Profile
    language: Language
    conversation_id: str
    base_url: str

    def open_visit(self) -> Visit:
        """Return who asks now. Raises InvalidKey, RateLimited, ToolRefused for another subject than the key's."""
        accept_request_id(None)
        caller = authenticate_key(self.token)
        take_request(caller.tenant_id, caller.key_id, caller.limits)
        named = self.subject_id
        if named and find_product_id_fault(named):
            raise ToolRefused("--subject: No person can have this id.")
        if named and caller.bound_subject not in ("", named):
            raise ToolRefused("--subject: The key is bound to another person. Leave it out.")
        return Visit(
            caller,
            caller.bound_subject or named,
            self.profile,
            self.language,
            self.conversation_id,
            self.base_url,
        )

    def serve(self) -> None:
        """Answer until the client closes the input."""
        keeper = Doorkeeper(self.profile, self.language, lambda _: self.open_visit())
        SteppingLoop().run_steps(serve_streams(keeper))


async def serve_streams(keeper: Doorkeeper) -> None:
    server: Any = make_server(keeper)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
