"""What came in by mem0's door is in the same memory as everything else, and is gone with it. Rows: D3, D1, X1, E8."""

from tenants.models import Role
from tests.conftest import House
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.compat.mem0.conftest import Mem0Site
from tests.memory_platform.console.conftest import log_in

LEARNED, KEPT = "I am allergic to kestrel4711 nuts", "kestrel4711 is what Ada calls her boat"
SEEN_BY_STAFF = "/console/snapshots/snapshot/"


def add_both(site: Mem0Site, house: House) -> tuple[str, str]:
    """Add a memory that is learned and one that is kept word by word; return their ids."""
    ids = []
    for text, options in ((f"{LEARNED}.", {}), (KEPT, {"infer": False, "metadata": {"kind": "boat"}})):
        body = {"messages": text, "user_id": "ada", "run_id": "c1", **options}
        told = site.settle(site.call("POST", "/v3/memories/add/", house, json=body).json(), house)
        ids.append(str(told["results"][0]["id"]))
    return ids[0], ids[1]


def test_it_shows_in_the_api_in_receipts_in_the_console_and_in_exports_and_goes_with_the_person(site: Mem0Site) -> None:
    house = site.world.acme
    learned, kept = add_both(site, house)

    notes = site.native("GET", "/v1/subjects/ada/notes", house).json()["data"]
    assert [(one["id"], one["text"]) for one in notes] == [(learned, LEARNED)]
    posted = site.native("GET", "/v1/subjects/ada/snapshots?kind=manual", house).json()["data"]
    assert [(one["id"], one["text"], one["metadata"]) for one in posted] == [
        (kept, KEPT, {"kind": "boat", "mem0:run_id": "c1"})
    ]
    turns = site.native("GET", "/v1/subjects/ada/conversations/c1/messages", house).json()["data"]
    assert [one["content"] for one in turns] == [f"{LEARNED}."]

    asked = {"query": "What may I eat?", "system_prompt": "Help."}
    receipt = site.native("POST", "/v1/subjects/ada/context", house, json=asked).json()["receipt_id"]
    shown = site.native("GET", f"/v1/receipts/{receipt}", house).json()["candidates"]
    assert learned in {one["memory_id"] for one in shown}

    page = log_in("sam", tenant=house.tenant, role=Role.SUPPORT).get(SEEN_BY_STAFF).content.decode()
    assert LEARNED in page
    assert KEPT in page

    export = site.native("GET", "/v1/subjects/ada/export", house).text
    assert learned in export
    assert kept in export
    assert "mem0:run_id" in export

    told = site.call("DELETE", "/v2/entities/user/ada/", house).json()
    proof = site.native("GET", f"/v1/erasures/{told['erasure_ids'][0]}", house).json()
    assert (proof["genuine"], proof["certificate"]["verified"]["rows_left"]) == (True, {})
    rows = rows_of(house.tenant.id)
    assert [table for table in rows if "kestrel4711" in "".join(rows[table])] == []


def test_deleting_one_memory_forgets_it_and_its_words(site: Mem0Site) -> None:
    house = site.world.acme
    learned, kept = add_both(site, house)
    told = site.call("DELETE", f"/v1/memories/{learned}/", house).json()
    certificate = site.native("GET", f"/v1/erasures/{told['erasure_id']}", house).json()["certificate"]
    assert certificate["scope"] == "memory"
    again = site.call("POST", "/v3/memories/add/", house, json={"messages": f"{LEARNED}.", "user_id": "ada"}).json()
    refused = site.settle(again, house)
    assert (refused["results"], [one["reason"] for one in refused["not_learned"]]) == ([], ["forgotten"])
    by_hand = {"messages": f"{LEARNED}.", "user_id": "ada", "infer": False}
    refused = site.call("POST", "/v3/memories/add/", house, json=by_hand).json()
    assert (refused["results"], refused["not_learned"][0]["reason"]) == ([], "forgotten")
    assert site.call("DELETE", f"/v1/memories/{kept}/", house).status_code == 200
