"""``manage.py mcp_stdio``: the MCP server on standard input and output, for a client that starts it itself."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memory_platform.api.v1.tools.tool_definition import LANGUAGES
from memory_platform.compat.mcp.client_request import PROFILES
from memory_platform.env.environment import environment
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand
from tenants.errors import InvalidKey

NO_KEY = "MCP_API_KEY is not set. Put an API key into this environment variable; a key in the arguments could be seen."


class Command(PlatformCommand):
    help = "Serve MCP on standard input and output, with the API key in the environment variable MCP_API_KEY."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--subject", default="", help="your id of the person; a key bound to one needs none")
        parser.add_argument("--profile", choices=PROFILES, default="memory", help="which tools to serve")
        parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the descriptions")
        parser.add_argument("--conversation", default="", help="the conversation that tools are called in")

    def handle(self, *args: object, **options: Any) -> None:
        if not settings.MCP_API_KEY:
            raise CommandError(NO_KEY)
        from memory_platform.compat.mcp.stdio_transport import StdioDoor  # noqa: PLC0415 -- the SDK, for this command alone

        door = StdioDoor(
            settings.MCP_API_KEY,
            options["subject"],
            options["profile"],
            options["language"],
            options["conversation"],
            environment().stack_url,
        )
        try:
            door.open_visit()
        except InvalidKey as refused:
            raise CommandError(f"MCP_API_KEY: {refused.detail}") from None
        except MemoryPlatformError as refused:
            raise CommandError(refused.detail) from None
        door.serve()
