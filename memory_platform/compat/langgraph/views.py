"""The base of the views for LangGraph's saver and store: the API's keys, scopes, limits and errors, other bodies."""

from typing import ClassVar

from memory_platform.api.access import MEMORY_WRITE
from memory_platform.api.views.base_views import TenantView
from memory_platform.compat.langgraph.messagepack_bodies import PackedParser, PackedRenderer
from snapshots.threads.config import THREADS


class AgentStateView(TenantView):
    """A view of one tenant's agents. It is not part of the OpenAPI document.

    Every call may be repeated: it stores nothing twice.
    """

    schema = None
    body_limit: ClassVar[int] = THREADS.body_bytes
    parser_classes = (PackedParser,)
    renderer_classes = (PackedRenderer,)
    required_scope = MEMORY_WRITE
