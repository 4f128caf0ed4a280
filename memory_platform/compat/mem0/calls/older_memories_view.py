"""The one address of the older dialects for adding, listing and deleting: ``/v1/memories/`` and ``/memories``."""

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.compat.mem0.calls.adding import AddView
from memory_platform.compat.mem0.calls.deleting import DeleteAllView
from memory_platform.compat.mem0.calls.memories import MemoryLister, query_of


class OlderMemoriesView(AddView, DeleteAllView, MemoryLister):
    def get(self, request: Request) -> Response:
        return self.answer_list(request, query_of(request))
