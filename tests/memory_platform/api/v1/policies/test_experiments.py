"""``/v1/experiments``: made, started, shared out anew, ended. Rows: T5, T7, D1."""

from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.feedback.tallies.indicator_roll_up import roll_up_indicators
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.v1.policies.test_policies import SHORT, post
from tests.snapshots.held import remember

ARMS = [{"name": "as it is", "policy_version": 1, "percent": 30}, {"name": "短", "policy_version": 2, "percent": 30}]
WHY = {"reason": "which is better"}


@pytest.fixture
def trial(acme: Caller) -> str:
    """The id of acme's draft of an experiment."""
    post(acme, SHORT)
    response = acme("POST", "/v1/experiments", {"name": "trial", "arms": ARMS, **WHY})
    assert response.status_code == 201, response.content
    return str(body_of(response)["id"])


def act(caller: Caller, trial: str, verb: str, status: int = 200) -> dict[str, Any]:
    response = caller("POST", f"/v1/experiments/{trial}/{verb}", WHY)
    assert response.status_code == status, response.content
    return body_of(response)


def test_an_experiment_is_made_started_shared_out_and_ended(acme: Caller, trial: str) -> None:
    path = f"/v1/experiments/{trial}"
    made = body_of(acme("GET", path))
    assert (made["status"], made["arms"], made["started_at"]) == ("draft", ARMS, None)
    assert act(acme, trial, "start")["status"] == "running"
    assert body_of(acme("GET", f"{path}/indicators")) == {"experiment": "trial", "arms": []}

    tag = acme("GET", path)["ETag"]
    changed = acme("PATCH", path, {"percents": {"短": 60}, **WHY}, If_Match=tag)
    assert [arm["percent"] for arm in body_of(changed)["arms"]] == [30, 60]
    assert changed["ETag"] != tag
    problem_of(acme("PATCH", path, {"percents": {"短": 70}, **WHY}, If_Match=tag), 412)

    assert act(acme, trial, "end")["status"] == "ended"
    assert act(acme, trial, "start", 409)["code"] == "experiment_conflict"
    assert [one["name"] for one in body_of(acme("GET", "/v1/experiments"))["data"]] == ["trial"]


def test_one_runs_at_a_time_and_a_name_is_used_once(acme: Caller, trial: str) -> None:
    response = acme("POST", "/v1/experiments", {"name": "trial", "arms": ARMS, **WHY})
    assert problem_of(response, 409)["code"] == "experiment_conflict"
    other = body_of(acme("POST", "/v1/experiments", {"name": "other", "arms": ARMS, **WHY}))["id"]
    act(acme, trial, "start")
    act(acme, other, "start", 409)
    act(acme, other, "end", 409)


@pytest.mark.parametrize(
    ("arms", "status", "fields"),
    [
        (ARMS[:1], 400, {"arms"}),
        ([{**ARMS[0], "percent": 0}, ARMS[1]], 400, {"arms.0.percent"}),
        ([{**ARMS[0], "percent": 71}, ARMS[1]], 422, {"arms"}),
        ([ARMS[0], {**ARMS[1], "name": "as it is"}], 422, {"arms.0.name", "arms.1.name"}),
        ([ARMS[0], {**ARMS[1], "policy_version": 9}], 422, {"arms.1.policy_version"}),
    ],
)
def test_arms_that_cannot_be_are_named(acme: Caller, trial: str, arms: Any, status: int, fields: set[str]) -> None:
    response = acme("POST", "/v1/experiments", {"name": "other", "arms": arms, **WHY})
    assert fields_of(problem_of(response, status)) == fields


@pytest.mark.parametrize(
    ("percents", "status"), [({}, 400), ({"短": -1}, 400), ({"短": True}, 400), ({"短": 71}, 422), ({"other": 1}, 422)]
)
def test_percentages_that_cannot_be_are_refused(acme: Caller, trial: str, percents: Any, status: int) -> None:
    problem_of(acme("PATCH", f"/v1/experiments/{trial}", {"percents": percents, **WHY}), status)


def test_another_tenant_does_not_know_it(globex: Caller, trial: str) -> None:
    for method, path in (("GET", ""), ("POST", "/start"), ("POST", "/end")):
        response = globex(method, f"/v1/experiments/{trial}{path}", WHY if method == "POST" else None)
        assert problem_of(response, 404)["code"] == "experiment_unknown"


def test_contexts_of_each_arm_are_made_told_apart_and_judged(acme: Caller, world: World) -> None:
    for n in range(12):
        remember(world.acme, f"Ada likes tea, said for the time number {n} in many more words than are needed")
    tight = post(acme, {"context": {"memory": 100, "memory_by_intent": {}}})["version"]
    arms = [
        {"name": "as it is", "policy_version": 1, "percent": 50},
        {**ARMS[1], "policy_version": tight, "percent": 50},
    ]
    trial = body_of(acme("POST", "/v1/experiments", {"name": "trial", "arms": arms, **WHY}))["id"]
    act(acme, trial, "start")

    with tenant_tx(world.acme.tenant.id):
        Subject.objects.bulk_create(Subject(external_id=f"s{n}") for n in range(12))
    made: dict[str, set[str]] = {}
    for n in range(12):
        given = body_of(acme("POST", f"/v1/subjects/s{n}/context", {"query": "tea?"}))
        receipt = body_of(acme("GET", f"/v1/receipts/{given['receipt_id']}"))
        assert receipt["experiment"] == given["experiment"]
        assert receipt["policy_version"] == given["policy_version"]
        made.setdefault(given["experiment"]["arm"], set()).add(given["policy_version"])
    assert made == {"as it is": {"1"}, "短": {str(tight)}}

    roll_up_indicators(world.acme.tenant.id, utc_now().date())
    told = body_of(acme("GET", f"/v1/experiments/{trial}/indicators"))
    assert [arm["arm"] for arm in told["arms"]] == ["as it is", "短"]
    assert sum(arm["contexts"] for arm in told["arms"]) == 12
    assert told["arms"][0]["degraded"]["low"] == 0.0


BESIDE = ("window", "profile", "query", "system", "summary", "task", "knowledge")
"""Sections whose room would go to memory."""


def test_an_active_policy_steers_what_a_context_holds(acme: Caller, world: World) -> None:
    for n in range(12):
        remember(world.acme, f"Ada likes tea, said for the time number {n} in many more words than are needed")

    def memories() -> int:
        sections = body_of(acme("POST", "/v1/subjects/ada/context", {"query": "tea?", "intent": "general"}))["sections"]
        return int(next(one["items"] for one in sections if one["name"] == "memory"))

    plenty = memories()
    made = post(acme, {"context": {"memory": 150, **dict.fromkeys(BESIDE, 0)}})["version"]
    acme("POST", f"/v1/policies/{made}/activate", WHY)
    assert 0 < memories() < plenty
