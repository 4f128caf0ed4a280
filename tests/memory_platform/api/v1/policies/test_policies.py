"""``/v1/policies``: versions made, told, compared, activated, rolled back. Rows: T4, T7, D1."""

from typing import Any

import pytest

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.held import remember

SHORT = {"recall": {"top_k": 3}, "context": {"memory_by_intent": {"推荐": 900}}, "retention": {"statement": 30}}


def post(caller: Caller, changes: Any = None, status: int = 201, **more: Any) -> dict[str, Any]:
    """Make a version; return the answer."""
    body = {"changes": changes, "reason": "短一点", **more}
    response = caller("POST", "/v1/policies", body)
    assert response.status_code == status, response.content
    return body_of(response)


def activate(caller: Caller, version: int, **headers: str) -> dict[str, Any]:
    response = caller("POST", f"/v1/policies/{version}/activate", {"reason": "tried it"}, **headers)
    assert response.status_code == 200, response.content
    return body_of(response)


def tenant_version(caller: Caller) -> str:
    return str(body_of(caller("GET", "/v1/tenant"))["policy_version"])


def test_a_version_is_made_told_and_listed(acme: Caller) -> None:
    made = post(acme, SHORT)
    assert (made["version"], made["based_on"], made["settings"]) == (2, 1, SHORT)
    assert made["effective"]["recall"] == {"top_k": 3, "documents": False}
    assert made["effective"]["context"]["total"] == 6000
    assert {(one["section"], one["field"], str(one["after"])) for one in made["changes"]} == {
        ("retention", "statement", "30"),
        ("context", "memory_by_intent", "{'推荐': 900}"),
        ("recall", "top_k", "3"),
    }
    listed = body_of(acme("GET", "/v1/policies"))["data"]
    assert [(one["version"], one["active"], one["reason"]) for one in listed] == [(2, False, "短一点"), (1, True, "")]
    assert body_of(acme("GET", "/v1/policies/2"))["effective"] == made["effective"]


def test_a_dry_run_tells_and_makes_nothing(acme: Caller) -> None:
    told = post(acme, SHORT, 200, dry_run=True)
    assert (told["version"], len(told["changes"])) == (None, 3)
    assert len(body_of(acme("GET", "/v1/policies"))["data"]) == 1


def test_a_version_is_tried_on_stored_receipts_before_it_steers(acme: Caller, globex: Caller, world: World) -> None:
    remember(world.acme, *(f"{kind} tea was served on day {n}, 喝茶" for n, kind in enumerate(("green", "black") * 8)))
    named = {"query": "green tea", "intent": "complaint", "budget": {"window": 0, "profile": 0, "knowledge": 0}}
    assert acme("POST", "/v1/subjects/ada/context", named).status_code == 200
    small = {"context": {"total": 600, "memory": 200}, "retention": {"statement": 30}, "recall": {"top_k": 3}}
    post(acme, {"context": {"memory_by_intent": {"complaint": 200}}})
    post(acme, small)
    told = body_of(acme("GET", "/v1/policies/replay?from=1&to=2"))
    assert (told["from"], told["to"], told["receipts"], told["compared"]) == (1, 2, 1, 1)
    assert (told["changed"]["count"], told["entering"], told["untold"]) == (1, 0, [])
    assert told["leaving"] == len(told["examples"][0]["leaving"]) > 0
    assert len(told["always_untold"]) == 2
    other = body_of(acme("GET", "/v1/policies/replay?from=1&to=3&examples=0"))
    assert set(other["untold"]) == {"context.total", "retention.statement", "recall.top_k"}
    assert other["examples"] == []
    assert fields_of(problem_of(acme("GET", "/v1/policies/replay?from=1&to=2&receipts=9999"), 400)) == {"receipts"}
    problem_of(globex("GET", "/v1/policies/replay?from=1&to=2"), 404)


def test_a_tenant_says_which_tier_an_intent_calls_for(acme: Caller) -> None:
    asked = {"query": "Suggest a film for tonight", "intent": "recommendation"}
    assert body_of(acme("POST", "/v1/subjects/ada/context", asked))["model_route"]["tier"] == "middle"
    wrong = {"context": {"tier": "huge", "tier_by_intent": {"recommendation": 3}}}
    problem = problem_of(acme("POST", "/v1/policies", {"changes": wrong, "reason": "x"}), 400)
    assert fields_of(problem) == {"changes.context.tier", "changes.context.tier_by_intent"}
    post(acme, {"context": {"tier": "light", "tier_by_intent": {"recommendation": "strong"}}})
    activate(acme, 2)
    assert body_of(acme("POST", "/v1/subjects/ada/context", asked))["model_route"]["tier"] == "strong"
    other = asked | {"intent": "complaint"}
    assert body_of(acme("POST", "/v1/subjects/ada/context", other))["model_route"]["tier"] == "light"


def test_activation_and_roll_back_are_on_record(acme: Caller, world: World) -> None:
    post(acme, SHORT)
    assert tenant_version(acme) == "1"
    assert activate(acme, 2)["active"] is True
    assert tenant_version(acme) == "2"
    activate(acme, 1)
    assert tenant_version(acme) == "1"
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(object_kind="policy_version").order_by("at", "id")
        assert list(records.values_list("action", "object_id", "reason")) == [
            ("policy.created", "2", "短一点"),
            ("policy.activated", "2", "tried it"),
            ("policy.activated", "1", "tried it"),
        ]


def test_a_stale_tag_activates_nothing(acme: Caller) -> None:
    post(acme, SHORT)
    tag = acme("GET", "/v1/policies/2")["ETag"]
    activate(acme, 2, If_Match=tag)
    response = acme("POST", "/v1/policies/2/activate", {"reason": "again"}, If_Match=tag)
    assert problem_of(response, 412)["code"] == "version_mismatch"


def test_two_versions_are_compared(acme: Caller) -> None:
    post(acme, SHORT)
    post(acme, {"recall": {"top_k": 5}}, remove=["retention"], based_on=2)
    diff = body_of(acme("GET", "/v1/policies/diff?from=2&to=3"))
    assert (diff["from"], diff["to"]) == (2, 3)
    assert diff["changes"] == [
        {"section": "retention", "field": "statement", "before": 30, "after": 180},
        {"section": "recall", "field": "top_k", "before": 3, "after": 5},
    ]
    problem_of(acme("GET", "/v1/policies/diff?from=2&to=9"), 404)
    problem_of(acme("GET", "/v1/policies/replay?from=2&to=9"), 404)


def test_everything_wrong_is_named_at_once(acme: Caller) -> None:
    wrong = {"recall": {"top_k": 0, "depth": 3}, "tea": {"cups": 1}, "ranking": {"use_recency": "yes"}}
    response = acme("POST", "/v1/policies", {"changes": wrong, "reason": "x"})
    assert fields_of(problem_of(response, 400)) == {
        "changes.recall.top_k",
        "changes.recall.depth",
        "changes.tea",
        "changes.ranking.use_recency",
    }
    response = acme("POST", "/v1/policies", {"remove": ["recall", "recall.tea"], "reason": "x"})
    assert fields_of(problem_of(response, 400)) == {"remove.1"}
    assert fields_of(problem_of(acme("POST", "/v1/policies", {"changes": SHORT}), 400)) == {"reason"}


@pytest.mark.parametrize("changes", [{}, {"recall": {}}, {"recall": {"top_k": 8}}])
def test_what_would_change_nothing_is_refused(acme: Caller, changes: Any) -> None:
    response = acme("POST", "/v1/policies", {"changes": changes, "reason": "x"})
    assert problem_of(response, 422)["code"] == "policy_unchanged"


@pytest.mark.parametrize("version", ["0", "9", "-1", "x", "１", "9" * 30])
def test_a_version_that_is_not_there_is_unknown(acme: Caller, version: str) -> None:
    assert problem_of(acme("GET", f"/v1/policies/{version}"), 404)["code"] == "policy_unknown"
    response = acme("POST", f"/v1/policies/{version}/activate", {"reason": "x"})
    assert problem_of(response, 404)["code"] == "policy_unknown"


def test_the_same_post_twice_makes_one_version(acme: Caller) -> None:
    body = {"changes": SHORT, "reason": "x"}
    answers = [acme("POST", "/v1/policies", body, Idempotency_Key="k1") for _ in "12"]
    assert [body_of(answer)["version"] for answer in answers] == [2, 2]
    assert answers[1]["Idempotent-Replayed"] == "true"


def test_what_may_be_set_is_told_with_bounds_and_provenance(acme: Caller) -> None:
    told = {(one["section"], one["field"]): one for one in body_of(acme("GET", "/v1/policies/settings"))["settings"]}
    assert told["recall", "top_k"] == {
        "section": "recall",
        "field": "top_k",
        "default": 8,
        "bounds": {"type": "integer", "least": 1, "most": 100, "unit": "memories"},
        "provenance": "promised",
        "source": "docs/features.md",
    }
    assert told["ranking", "recency_curve"]["bounds"]["options"] == ["steps", "hyperbolic", "episode"]
