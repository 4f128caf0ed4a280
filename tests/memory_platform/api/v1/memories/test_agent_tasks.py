"""Tasks and episodes over HTTP. Rows: W1, W2, S2, S3, E8, D1, T1."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from memory_platform.kernel.clock import utc_now
from snapshots.jobs import ASKED
from snapshots.lifecycle.retention.purge import purge_tenant
from snapshots.models import Episode, Snapshot, Task
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.wall import rows_of

ADA = "/v1/subjects/ada"
TASKS = f"{ADA}/tasks"
TRAIN = {"goal": "订一张去上海的高铁票", "plan": [{"id": "s1", "text": "查车次"}, {"id": "s2", "text": "下单"}]}


def begin(caller: Caller, **given: Any) -> dict[str, Any]:
    response = caller("POST", TASKS, given or TRAIN)
    assert response.status_code == 201, response.content
    return body_of(response)


def patch(caller: Caller, task: dict[str, Any], **change: Any) -> dict[str, Any]:
    response = caller("PATCH", f"{TASKS}/{task['id']}", change)
    assert response.status_code == 200, response.content
    return body_of(response)


def finish(caller: Caller, task: dict[str, Any], status: int = 200, **ending: Any) -> dict[str, Any]:
    response = caller("POST", f"{TASKS}/{task['id']}/finish", ending)
    assert response.status_code == status, response.content
    return body_of(response)


def recall_memories(caller: Caller, query: str, **more: Any) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = body_of(caller("POST", f"{ADA}/recall", {"query": query, **more}))["memories"]
    return memories


def test_a_task_is_begun_changed_and_read(acme: Caller) -> None:
    made = begin(acme, goal="Book a hotel", plan=["Find", "Book"], scratchpad={"city": "Lisbon"})
    assert [(step["text"], step["status"]) for step in made["steps"]] == [("Find", "pending"), ("Book", "pending")]
    first = made["steps"][0]["id"]
    changed = patch(acme, made, steps=[{"id": first, "status": "completed", "result": "3 hotels"}], iteration=2)
    assert (changed["steps"][0]["result"], changed["iteration"], changed["scratchpad"]) == (
        "3 hotels",
        2,
        {"city": "Lisbon"},
    )
    shown = acme("GET", f"{TASKS}/{made['id']}")
    assert body_of(shown) == changed
    assert (changed["status"], changed["episode_id"], changed["version"]) == ("active", None, 2)
    assert body_of(acme("POST", "/v1/subjects/new/tasks", {"goal": "x"}))["steps"] == []


def test_lists_are_paged_and_told_apart_by_status(acme: Caller) -> None:
    made = [begin(acme, goal=f"task {number}") for number in range(3)]
    finish(acme, made[1], outcome="success")
    page = body_of(acme("GET", f"{TASKS}?limit=2"))
    rest = body_of(acme("GET", f"{TASKS}?limit=2&cursor={page['next_cursor']}"))
    listed = [*page["data"], *rest["data"]]
    assert [one["id"] for one in listed] == [one["id"] for one in made]
    assert [one["episode_id"] is None for one in listed] == [True, False, True]
    active, finished = (body_of(acme("GET", f"{TASKS}?status={status}"))["data"] for status in ("active", "finished"))
    assert ([one["goal"] for one in active], [one["goal"] for one in finished]) == (["task 0", "task 2"], ["task 1"])


def test_a_version_is_insisted_on(acme: Caller) -> None:
    made = begin(acme)
    path = f"{TASKS}/{made['id']}"
    seen = acme("GET", path)["ETag"]
    assert acme("PATCH", path, {"iteration": 1}, If_Match=seen).status_code == 200
    problem_of(acme("PATCH", path, {"iteration": 2}, If_Match=seen), 412)
    problem_of(acme("POST", f"{path}/finish", {"outcome": "success"}, If_Match=seen), 412)
    fresh = acme("GET", path)["ETag"]
    assert acme("POST", f"{path}/finish", {"outcome": "success"}, If_Match=fresh).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "goal"),
        ({"goal": ""}, "goal"),
        ({"goal": "g", "plan": [""]}, "plan.0.text"),
        ({"goal": "g", "plan": [{"id": "s"}]}, "plan.0.text"),
        ({"goal": "g", "plan": [{"text": "a", "status": "done"}]}, "plan.0.status"),
        ({"goal": "g", "plan": ["a"] * 201}, "plan"),
        ({"goal": "g", "plan": [7]}, "plan.0"),
    ],
)
def test_bad_tasks_are_named(acme: Caller, body: dict[str, Any], field: str) -> None:
    assert field in fields_of(problem_of(acme("POST", TASKS, body), 400))


def test_bad_changes_are_named(acme: Caller) -> None:
    path = f"{TASKS}/{begin(acme)['id']}"
    unknown = problem_of(acme("PATCH", path, {"steps": [{"id": "s9", "status": "failed"}]}), 422)
    assert (unknown["code"], fields_of(unknown)) == ("step_unknown", {"steps.0.id"})
    problem_of(acme("PATCH", path, {"iteration": -1}), 400)
    assert fields_of(problem_of(acme("POST", f"{path}/finish", {"outcome": "done"}), 400)) == {"outcome"}
    nobody = "019aa9a4-7d2e-7c1b-9f60-3b1f6a3c2d10"
    problem_of(acme("PATCH", f"{TASKS}/{nobody}", {"iteration": 1}), 404)
    problem_of(acme("POST", f"{TASKS}/{nobody}/finish", {"outcome": "success"}), 404)


def test_a_finished_task_is_an_episode_that_recall_finds(acme: Caller) -> None:
    train, hotel = begin(acme), begin(acme, goal="Book a quiet hotel in Lisbon")
    patch(acme, train, steps=[{"id": "s2", "status": "failed", "error": "余票不足", "tool": "下单"}])
    lost = finish(acme, train, outcome="failure", lessons="节假日要提前两周订票")
    won = finish(acme, hotel, outcome="success", key_decisions=["courtyard side"], feedback="She slept well.")

    assert (lost["task"], lost["tools"], lost["lessons"]) == (TRAIN["goal"], ["下单"], ["节假日要提前两周订票"])
    assert (lost["importance"], won["importance"]) == (0.9, 0.925)
    assert lost["text"].startswith("任务:订一张去上海的高铁票\n结果:失败")
    memory = recall_memories(acme, "上次订高铁票怎么样", kinds=["episode"])[0]
    assert (memory["id"], memory["kind"], memory["text"]) == (lost["snapshot_id"], "episode", lost["text"])
    assert recall_memories(acme, "quiet hotel Lisbon")[0]["id"] == won["snapshot_id"]
    wanted = {"metadata.outcome": {"eq": "failure"}}
    assert [one["id"] for one in recall_memories(acme, "订票 hotel", filter=wanted)] == [lost["snapshot_id"]]
    snapshot = body_of(acme("GET", f"{ADA}/snapshots/{won['snapshot_id']}"))
    assert (snapshot["kind"], snapshot["importance"]) == ("episode", 0.925)
    task = body_of(acme("GET", f"{TASKS}/{hotel['id']}"))
    assert (task["status"], task["episode_id"]) == ("finished", won["id"])


def test_an_episode_is_kept_for_180_days(acme: Caller, world: World) -> None:
    done = finish(acme, begin(acme), outcome="success")
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        snapshot = Snapshot.objects.get(id=done["snapshot_id"])
        assert snapshot.expires_at is not None
        assert abs(snapshot.expires_at - utc_now() - timedelta(days=180)) < timedelta(minutes=1)
        Task.objects.update(updated_at=utc_now() - timedelta(days=181))
    purge_tenant(tenant_id)
    with tenant_tx(tenant_id):
        assert (Task.objects.count(), Episode.objects.count()) == (1, 1)
        Snapshot.objects.update(expires_at=utc_now())
    purge_tenant(tenant_id)
    with tenant_tx(tenant_id):
        assert (Task.objects.count(), Episode.objects.count(), Snapshot.objects.count()) == (0, 0, 0)


def test_a_task_ends_once(acme: Caller, world: World) -> None:
    made = begin(acme)
    first, second = (finish(acme, made, outcome="partial") for _ in "12")
    assert first == second
    assert finish(acme, made, 409, outcome="success")["code"] == "task_finished"
    problem = problem_of(acme("PATCH", f"{TASKS}/{made['id']}", {"iteration": 1}), 409)
    assert problem["code"] == "task_finished"
    with tenant_tx(world.acme.tenant.id):
        assert (Episode.objects.count(), Snapshot.objects.count()) == (1, 1)


def test_changes_and_endings_at_once_all_count(acme: Caller, world: World) -> None:
    made = begin(acme, goal="count", plan=[{"id": str(number), "text": "x"} for number in range(6)])

    def act(number: int) -> int:
        try:
            change = {"steps": [{"id": str(number), "status": "completed"}]}
            return acme("PATCH", f"{TASKS}/{made['id']}", change).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as crew:
        assert set(crew.map(act, range(6))) == {200}
    shown = body_of(acme("GET", f"{TASKS}/{made['id']}"))
    assert ({step["status"] for step in shown["steps"]}, shown["version"]) == ({"completed"}, 7)

    def end(_: int) -> str:
        try:
            return str(finish(acme, made, outcome="success")["id"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as crew:
        assert len(set(crew.map(end, range(4)))) == 1


def test_secrets_do_not_reach_the_episode(acme: Caller) -> None:
    made = begin(acme, goal="Pay with 4111 1111 1111 1111")
    done = finish(acme, made, outcome="success", approach="password: hunter22", lessons=["4111 1111 1111 1111"])
    assert "4111 1111" not in done["text"] + "".join(done["lessons"])
    assert "hunter22" not in done["text"] + (done["approach"] or "")


def test_a_forgotten_episode_takes_its_task_along_and_does_not_come_back(acme: Caller, world: World) -> None:
    begin(acme, goal="keep me")
    done = finish(acme, begin(acme), outcome="success")
    lines = acme("GET", f"{ADA}/export").content
    certificate = body_of(acme("POST", f"{ADA}/snapshots/{done['snapshot_id']}/forget", {}))["certificate"]
    erased = certificate["erased"]
    assert (erased["snapshot"], erased["episode"], erased["task"]) == (1, 1, 1)
    assert [one["goal"] for one in body_of(acme("GET", TASKS))["data"]] == ["keep me"]
    response = acme("POST", "/v1/import", lines, Content_Type="application/x-ndjson")
    assert response.status_code == 202
    work(world)
    assert [one["goal"] for one in body_of(acme("GET", TASKS))["data"]] == ["keep me"]


def work(world: World) -> None:
    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)


def test_tasks_leave_with_their_subject_and_come_back_with_an_export(acme: Caller, world: World) -> None:
    begin(acme, goal="open", scratchpad=["半成品"])
    done = finish(acme, begin(acme), outcome="failure", feedback="太慢")
    lines = acme("GET", f"{ADA}/export").content
    erased = body_of(acme("DELETE", ADA))["certificate"]["erased"]
    assert (erased["task"], erased["episode"]) == (2, 1)
    assert acme("POST", "/v1/import", lines, Content_Type="application/x-ndjson").status_code == 202
    work(world)
    goals = {one["goal"]: one for one in body_of(acme("GET", TASKS))["data"]}
    assert goals["open"]["scratchpad"] == ["半成品"]
    again = finish(acme, goals[TRAIN["goal"]], outcome="failure")
    assert (again["feedback"], again["text"]) == ("太慢", done["text"])


def test_a_repeated_key_begins_one_task(acme: Caller) -> None:
    first, second = (acme("POST", TASKS, TRAIN, Idempotency_Key="k") for _ in "12")
    assert body_of(first) == body_of(second)
    assert len(body_of(acme("GET", TASKS))["data"]) == 1


def test_another_tenant_gets_what_it_gets_for_nobody(acme: Caller, globex: Caller, world: World) -> None:
    made = begin(acme)
    globex("POST", "/v1/subjects/gil/tasks", {"goal": "mine"})
    before = rows_of(world.acme.tenant.id)
    for subject in ("ada", "gil"):
        path = f"/v1/subjects/{subject}/tasks/{made['id']}"
        problem_of(globex("GET", path), 404)
        problem_of(globex("PATCH", path, {"iteration": 9}), 404)
        problem_of(globex("POST", f"{path}/finish", {"outcome": "failure"}), 404)
    problem_of(globex("GET", TASKS), 404)
    assert rows_of(world.acme.tenant.id) == before
