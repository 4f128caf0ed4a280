"""Every failure leaves as a problem with the right status. Rows: D1. Matrix: 9, 25, 46."""

import pytest

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of

pytestmark = pytest.mark.urls("tests.memory_platform.api.probes")

FAILURES = [
    ("unique", 409, "conflict"),
    ("nul", 400, "invalid_input"),
    ("too-large", 400, "invalid_input"),
    ("slow", 503, "unavailable"),
    ("lost", 503, "unavailable"),
    ("not-found", 404, "not_found"),
    ("bug", 500, "internal_error"),
    ("integrity", 500, "internal_error"),
    ("own", 500, "internal_error"),
]


@pytest.mark.parametrize(("kind", "status", "code"), FAILURES)
def test_a_failure_is_a_problem_without_content_and_writes_nothing(
    acme: Caller, world: World, kind: str, status: int, code: str
) -> None:
    response = acme("GET", f"/v1/broken/{kind}")
    problem = problem_of(response, status)
    assert problem["code"] == code
    assert b"Ada" not in response.content
    assert response.has_header("Retry-After") == (status == 503)
    with tenant_tx(world.acme.tenant.id):
        assert not Subject.objects.filter(external_id="half-written").exists()


def test_a_method_that_a_path_does_not_have_is_405_with_those_it_has(acme: Caller) -> None:
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "BREW"]:
        response = acme(method, "/v1/subjects")
        problem_of(response, 405)
        assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_options_says_what_a_path_answers(acme: Caller) -> None:
    response = acme("OPTIONS", "/v1/subjects")
    assert (response.status_code, response["Allow"]) == (204, "GET, POST, HEAD, OPTIONS")


def test_head_answers_like_get_without_a_body(acme: Caller) -> None:
    response = acme("HEAD", "/v1/tenant")
    assert (response.status_code, response.content) == (200, b"")


def test_an_unknown_path_is_a_problem_too(nobody: Caller) -> None:
    for path in ["/v1/nothing", "/v1/subjects/a/b/c/d", "/health/nothing", "/metrics/x"]:
        assert problem_of(nobody("GET", path), 404)["code"] == "not_found"


def test_the_address_of_the_api_alone_leads_to_its_documentation(nobody: Caller) -> None:
    for path in ["/v1", "/v1/"]:
        assert body_of(nobody("GET", path)) == {"docs": "/v1/docs", "schema": "/v1/schema"}


def test_metrics_are_only_read(nobody: Caller) -> None:
    assert nobody("GET", "/metrics").status_code == 200
    refused = nobody("POST", "/metrics", b"{}")
    assert problem_of(refused, 405)["code"] == "method_not_allowed"


def test_a_strange_host_is_a_problem_too(nobody: Caller) -> None:
    problem_of(nobody("GET", "/v1/tenant", Host="evil.example"), 400)


def test_a_missing_scope_is_403_and_named_before_anything_else_is_read(nobody: Caller, world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        token = create_key(name="reader", scopes=["memory:read"], by=COMMAND_LINE).token
    header = {"Authorization": f"Bearer {token}"}
    problem = problem_of(nobody("POST", "/v1/subjects", b"{", **header), 403)
    assert problem["code"] == "scope_missing"
    assert "memory:write" in problem["detail"]
    problem_of(nobody("GET", "/v1/admin", **header), 403)
    assert nobody("GET", "/v1/subjects", **header).status_code == 200


def test_a_request_id_is_taken_over_when_it_is_plain_and_made_when_not(acme: Caller) -> None:
    assert acme("GET", "/v1/tenant", X_Request_Id="trace-1")["X-Request-Id"] == "trace-1"
    for strange in ["x" * 129, "a b", "<script>", ""]:
        made = acme("GET", "/v1/tenant", X_Request_Id=strange)["X-Request-Id"]
        assert made != strange
        assert len(made) == 36
