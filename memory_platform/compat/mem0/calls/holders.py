"""Those who hold memories: users, agents, apps and runs. mem0 calls them entities."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.compat.mem0.access import name_project
from memory_platform.compat.mem0.calls.deleting import delete_holder
from memory_platform.compat.mem0.calls.memories import MemoryLister, query_of
from memory_platform.compat.mem0.filters.grammar import ANYTHING
from memory_platform.compat.mem0.holder_queries import find_holder_subjects, list_holders
from memory_platform.compat.mem0.memory_scope import ID_OF_TYPE, TYPES, read_scope
from memory_platform.compat.mem0.views import Mem0View, read_raw_body
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound
from profiles.services.subjects import ensure_subject
from tenants.isolation import tenant_tx


class HoldersView(Mem0View):
    """Lists all holders on one page: ``delete_users`` of the clients reads no further one."""

    kind: ClassVar[str] = ""

    def get(self, request: Request) -> Response:
        with tenant_tx(self.tenant_id):
            holders = [one.render(name_project(self.caller)) for one in list_holders()]
        shown = [one for one in holders if self.kind in ("", one["type"])]
        totals = {f"total_{kind}s": sum(one["type"] == kind for one in holders) for kind in TYPES}
        return Response({"count": len(shown), "next": None, "previous": None, "results": shown, **totals})

    def post(self, request: Request) -> Response:
        """Make a user known. Agents, apps and runs are known from the first memory on."""
        if self.kind != "user":
            raise InvalidInput(f"A {self.kind or 'holder'} is known from its first memory on: add one.")
        scope = read_scope({"user_id": read_raw_body(request).get("user_id") or read_raw_body(request).get("name")})
        with tenant_tx(self.tenant_id):
            subject = ensure_subject(scope.subject_id)
        return Response(
            {"id": str(subject.id), "name": scope.subject_id, "type": "user", "created_at": subject.created_at}
        )


class HolderView(Mem0View):
    def delete(self, request: Request, kind: str, name: str) -> Response:
        """Erase all memory of one holder, with certificates. An unknown user is 404.

        An agent, app or run is known by its memories alone, which may have gone with a user just before: one without
        memories is deleted already.
        """
        check_kind(kind)
        if name == ANYTHING:
            raise InvalidInput("Name one: `*` deletes all of a type with delete_all only.")
        if kind == "user":
            with tenant_tx(self.tenant_id):
                if not find_holder_subjects(kind, name).exists():
                    raise NotFound("No user with this id.")
        return Response(delete_holder(self.tenant_id, kind, name, by=self.actor).render("Entity deleted successfully!"))


class HolderMemoriesView(MemoryLister):
    """Lists the memories of one holder."""

    def get(self, request: Request, kind: str, name: str) -> Response:
        check_kind(kind)
        return self.answer_list(request, {**query_of(request), ID_OF_TYPE[kind]: name})


def check_kind(kind: str) -> None:
    if kind not in TYPES:
        raise InvalidInput(faults=[FieldFault("entity_type", "not_a_choice", f"Must be one of {', '.join(TYPES)}.")])
