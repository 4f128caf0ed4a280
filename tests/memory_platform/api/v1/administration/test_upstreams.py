"""The tenant's model endpoint over the API: for administrators, without its key. Rows: D10, T1, T2."""

from pytest_django.fixtures import Settings

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

PATH = "/v1/tenant/upstreams/openai"
GIVEN = {"base_url": "https://api.openai.com/v1", "api_key": "sk-0123456789abcdef-LAST"}


def test_it_is_set_shown_without_its_key_and_removed(acme: Caller, globex: Caller, world: World) -> None:
    assert problem_of(acme("GET", PATH), 404)["code"] == "upstream_missing"
    put = acme("PUT", PATH, GIVEN)
    assert put.status_code == 200
    shown = body_of(acme("GET", PATH))
    assert shown == body_of(put)
    assert (shown["base_url"], shown["key_end"]) == (GIVEN["base_url"], "LAST")
    assert GIVEN["api_key"] not in put.content.decode()
    for call in ("GET", "DELETE"):
        assert problem_of(globex(call, PATH), 404)["code"] == "upstream_missing"
    assert body_of(acme("PUT", PATH, {"base_url": "https://models.example", "api_key": None}))["key_end"] is None
    assert acme("DELETE", PATH).status_code == 204
    assert problem_of(acme("DELETE", PATH), 404)["code"] == "upstream_missing"
    with tenant_tx(world.acme.tenant.id):
        acts = list(
            AuditRecord.objects.filter(object_kind="upstream").order_by("at").values_list("action", "actor_kind")
        )
    assert acts == [("upstream.set", "api_key"), ("upstream.set", "api_key"), ("upstream.removed", "api_key")]


def test_faults_name_their_field_and_never_the_key(acme: Caller) -> None:
    for given, field in (
        ({"api_key": "sk-1"}, "base_url"),
        ({**GIVEN, "base_url": "http://api.openai.com"}, "base_url"),
        ({**GIVEN, "base_url": "https://10.0.0.1/v1"}, "base_url"),
        ({**GIVEN, "base_url": 5}, "base_url"),
        ({**GIVEN, "api_key": "sk hunter2"}, "api_key"),
        ({**GIVEN, "api_key": ["hunter2"]}, "api_key"),
    ):
        answer = acme("PUT", PATH, given)
        assert field in fields_of(problem_of(answer, 400)), given
        assert "hunter2" not in answer.content.decode()


def test_without_a_secret_of_the_operator_it_is_refused(acme: Caller, settings: Settings) -> None:
    settings.UPSTREAM_KEYS = []
    assert problem_of(acme("PUT", PATH, GIVEN), 422)["code"] == "upstream_keys_missing"
