"""One valid call of every address that mem0's clients know, with ids in it wherever the address takes some.

Those that write come last: until then a tenant has nothing that another one does not have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

CANARY = "kestrel4711"
SAID = [{"role": "user", "content": "窗外下雨 tea"}]


@dataclass(frozen=True, slots=True)
class Mem0Ids:
    """What a call may name."""

    user: str
    agent: str
    app: str
    run: str
    memory: str
    event: str
    export: str
    org: str
    project: str


Body = Callable[[Mem0Ids], Any]


def nothing(ids: Mem0Ids) -> None:
    """Send no body."""


def filters(ids: Mem0Ids) -> dict[str, Any]:
    names = ("user", "agent", "app", "run")
    either: list[dict[str, Any]] = [{f"{name}_id": getattr(ids, name)} for name in names]
    return {"filters": {"OR": [*either, {"memory_ids": [ids.memory]}]}}


def search(ids: Mem0Ids) -> dict[str, Any]:
    return {"query": "tea", "threshold": 0, **filters(ids)}


def keep(ids: Mem0Ids) -> dict[str, Any]:
    return {"messages": SAID, "user_id": ids.user, "agent_id": ids.agent, "run_id": ids.run, "infer": False}


def change(ids: Mem0Ids) -> dict[str, Any]:
    return {"text": "tea"}


def change_many(ids: Mem0Ids) -> dict[str, Any]:
    return {"memories": [{"memory_id": ids.memory, "text": "tea"}]}


def delete_many(ids: Mem0Ids) -> dict[str, Any]:
    return {"memories": [{"memory_id": ids.memory}]}


@dataclass(frozen=True, slots=True)
class Mem0Call:
    """A method, a path with the names of ids in braces, and a body. ``{filters}`` is an object as Python writes it."""

    method: str
    address: str
    body: Body = nothing

    def path(self, ids: Mem0Ids) -> str:
        names: Mapping[str, str] = {name: quote(getattr(ids, name), safe="") for name in Mem0Ids.__slots__}
        return self.address.format(**names, filters=quote(repr({"memory_ids": [ids.memory]})))


PROJECT = "/api/v1/orgs/organizations/{org}/projects/{project}/"
KINDS = ("user", "agent", "app", "run")
READS = [
    *(Mem0Call("GET", f"/{path}") for path in ("v1/ping/", "v1/entities/", "entities", "v1/users/", "v1/stats/")),
    *(Mem0Call("GET", f"/{path}") for path in ("v1/events/", "v1/memories/events/", "v2/profiles/settings/")),
    *(
        Mem0Call("POST", f"/{path}/", filters)
        for path in ("v3/memories", "v2/memories", "v1/summary", "v1/exports/get")
    ),
    *(Mem0Call("POST", f"/{path}", search) for path in ("v3/memories/search/", "v2/memories/search/", "search")),
    Mem0Call("POST", "/v1/memories/search/", search),
    Mem0Call("POST", "/v1/exports/get/", lambda ids: {"memory_export_id": ids.export}),
    *(Mem0Call("GET", f"/{path}?user_id={{user}}") for path in ("v1/memories/", "memories")),
    *(Mem0Call("GET", f"/{path}") for path in ("v1/memories/{memory}/", "memories/{memory}")),
    *(Mem0Call("GET", f"/{path}") for path in ("v1/memories/{memory}/history/", "memories/{memory}/history")),
    *(Mem0Call("GET", f"/v1/memories/{kind}/{{{kind}}}/") for kind in KINDS),
    Mem0Call("GET", "/v1/event/{event}/"),
    Mem0Call("GET", "/v2/entities/user/{user}/profile/"),
    Mem0Call("GET", "/v1/ping/?org_id={org}&project_id={project}"),
    Mem0Call("GET", PROJECT),
    Mem0Call("GET", f"{PROJECT}members/"),
    Mem0Call("GET", "/api/v1/webhooks/projects/{project}/"),
    Mem0Call("POST", "/api/v1/webhooks/projects/{project}/", lambda ids: {"url": "https://hooks.example/"}),
    Mem0Call("PUT", "/api/v1/webhooks/{memory}/", lambda ids: {"name": "other"}),
    Mem0Call("DELETE", "/api/v1/webhooks/{memory}/"),
    Mem0Call("PATCH", PROJECT, lambda ids: {"multilingual": True}),
    Mem0Call("POST", "/v2/profiles/jobs/", lambda ids: {"operation": "trigger", "entity_id": ids.user}),
]
CHANGES = [
    *(Mem0Call("PUT", f"/{path}", change) for path in ("v1/memories/{memory}/", "memories/{memory}")),
    Mem0Call("PUT", "/v1/batch/", change_many),
    Mem0Call("POST", "/v1/feedback/", lambda ids: {"memory_id": ids.memory, "feedback": "POSITIVE"}),
    *(Mem0Call("DELETE", f"/{path}") for path in ("v1/memories/{memory}/", "memories/{memory}")),
    Mem0Call("DELETE", "/v1/batch/", delete_many),
    Mem0Call("DELETE", "/v1/memories/?filters={filters}"),
    *(Mem0Call("DELETE", f"/v1/memories/?{kind}_id={{{kind}}}") for kind in KINDS),
    *(Mem0Call("DELETE", f"/memories?{kind}_id={{{kind}}}") for kind in KINDS),
    *(Mem0Call("DELETE", f"/v2/entities/{kind}/{{{kind}}}/") for kind in KINDS),
    *(Mem0Call("DELETE", f"/{path}/user/{{user}}/") for path in ("v1/entities", "entities")),
]
ADDS = [Mem0Call("POST", f"/{path}", keep) for path in ("v3/memories/add/", "v1/memories/", "memories")]
CALLS = [*READS, *CHANGES, *ADDS]
