"""A tenant's chat models: its own routes, its own budget, its own ledger. Rows: L1, T1."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from uuid import UUID

import pytest
from django.db import connection, transaction
from pydantic import BaseModel
from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import PURPOSES, ChatEndpoint
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable, InvalidOutput, Preparable
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.registry import forget_providers
from tenants.config import MODEL_USE_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ModelPurpose, ModelRoute, ModelUsage
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.metered_chat import BudgetSpent, TenantChat, find_metered_chat, read_spent_tokens
from tenants.services.usage.quotas import set_limits
from tests.conftest import World
from tests.model_server import ModelServer, Reply, completion, model_server

ASKED = ChatPrompt("What is liked?", "我喜欢靠窗的座位")


class LikingShape(BaseModel):
    """What the model is asked for."""

    what: str


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with model_server(lambda _: completion('{"what": "window"}')) as running:
        settings.CHAT_BASE_URL, settings.CHAT_MODEL = running.url, "large"
        settings.CHAT_ENDPOINTS = {"small": ChatEndpoint(kind="openai", model="small", base_url=running.url)}
        yield running
    forget_providers()


def route(tenant_id: UUID, purpose: str, endpoint: str, daily_tokens: int | None = None) -> None:
    with tenant_tx(tenant_id):
        ModelRoute.objects.create(purpose=purpose, endpoint=endpoint, daily_tokens=daily_tokens)


def ledger(tenant_id: UUID) -> list[tuple[str, str, int, int, int, int]]:
    with tenant_tx(tenant_id):
        rows = ModelUsage.objects.order_by("purpose", "model")
        return list(rows.values_list("purpose", "model", "calls", "failures", "input_tokens", "output_tokens"))


def chat(tenant_id: UUID, purpose: str = "extract") -> TenantChat:
    found = find_metered_chat(tenant_id, purpose)
    assert found is not None
    return found


def test_each_purpose_of_the_configuration_has_a_route_and_a_budget() -> None:
    assert set(ModelPurpose.values) == set(PURPOSES)


def test_without_an_endpoint_there_is_no_model_and_no_query(world: World) -> None:
    with connection.execute_wrapper(refuse_queries):
        assert find_metered_chat(world.acme.tenant.id, "extract") is None
    with pytest.raises(ValueError, match="dream"):
        find_metered_chat(world.acme.tenant.id, "dream")


def refuse_queries(*_: object) -> None:
    raise AssertionError("a query was made")


def test_calls_of_a_day_are_one_line_of_the_ledger(world: World, server: ModelServer) -> None:
    model = chat(world.acme.tenant.id)
    assert isinstance(model, ChatModel)
    assert isinstance(model, Preparable)
    model.prepare()
    assert model.ready
    assert model.ask_structured(ASKED, LikingShape).value == LikingShape(what="window")
    assert model.answer("What is liked?", "tea", LikingShape).what == "window"
    assert model.text(ASKED).usage.input_tokens == 7
    assert ledger(world.acme.tenant.id) == [("extract", "openai:large", 3, 0, 21, 15)]
    with tenant_tx(world.acme.tenant.id):
        assert ModelUsage.objects.get().day == datetime.now(UTC).date()


def test_a_tenant_sends_a_purpose_elsewhere_or_nowhere_and_the_others_stay(world: World, server: ModelServer) -> None:
    acme, globex = world.acme.tenant.id, world.globex.tenant.id
    route(acme, "extract", "small")
    route(acme, "judge", "")
    route(acme, "rewrite", "gone")
    chat(acme).ask_structured(ASKED, LikingShape)
    assert server.requests[-1].body["model"] == "small"
    assert find_metered_chat(acme, "judge") is None
    assert find_metered_chat(acme, "rewrite") is None
    assert chat(acme, "summarise").name == "openai:large"
    assert chat(globex).name == "openai:large"
    assert chat(globex, "judge").name == "openai:large"


def test_failed_calls_are_written_down_with_what_they_cost(world: World, server: ModelServer) -> None:
    model = chat(world.acme.tenant.id)
    server.answer = lambda _: completion("no JSON")
    with pytest.raises(InvalidOutput):
        model.ask_structured(ASKED, LikingShape)
    assert ledger(world.acme.tenant.id) == [("extract", "openai:large", 1, 1, 14, 10)]
    server.answer = lambda _: Reply({}, status=500)
    with pytest.raises(ChatUnavailable):
        model.ask_structured(ASKED, LikingShape)
    assert ledger(world.acme.tenant.id) == [("extract", "openai:large", 2, 2, 14, 10)]


def test_a_call_that_was_not_made_is_not_written_down(world: World, server: ModelServer) -> None:
    model = chat(world.acme.tenant.id)
    server.answer = lambda _: Reply({}, status=401)
    failures = []
    for _ in range(7):
        with pytest.raises(ChatUnavailable) as refused:
            model.ask_structured(ASKED, LikingShape)
        failures.append(refused.value.failure)
    assert failures == ["denied"] * 5 + ["circuit_open"] * 2
    assert ledger(world.acme.tenant.id) == [("extract", "openai:large", 5, 5, 0, 0)]


def test_a_budget_spent_in_the_middle_of_the_day_ends_the_calls_of_its_purpose(
    world: World, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    acme = world.acme.tenant.id
    for purpose in ("extract", "judge"):
        route(acme, purpose, "small", daily_tokens=20)
    model = chat(acme)
    for _ in range(2):  # 12 tokens each: the second begins within the budget
        model.ask_structured(ASKED, LikingShape)
    with pytest.raises(BudgetSpent) as spent:
        model.ask_structured(ASKED, LikingShape)
    with pytest.raises(ChatUnavailable):  # what callers fall back on
        model.text(ASKED)
    assert len(server.requests) == 2
    assert spent.value.failure == "budget_spent"
    assert read_spent_tokens(acme, ModelPurpose.EXTRACT)[0] == 24
    chat(acme, "judge").ask_structured(ASKED, LikingShape)
    assert "靠窗" not in str([record.getMessage() for record in caplog.records])


def test_yesterdays_tokens_are_forgotten(world: World, server: ModelServer) -> None:
    acme = world.acme.tenant.id
    route(acme, "extract", "default", daily_tokens=20)
    with tenant_tx(acme):
        yesterday = datetime.now(UTC).date() - timedelta(days=1)
        ModelUsage.objects.create(day=yesterday, purpose="extract", model="openai:large", input_tokens=10_000)
    assert chat(acme).ask_structured(ASKED, LikingShape).value.what == "window"


def test_a_budget_of_zero_tokens_lets_no_call_through(world: World, server: ModelServer) -> None:
    route(world.acme.tenant.id, "extract", "default", daily_tokens=0)
    with pytest.raises(BudgetSpent):
        chat(world.acme.tenant.id).ask_structured(ASKED, LikingShape)
    assert server.requests == []


def test_what_globex_spends_never_counts_for_acme(world: World, server: ModelServer) -> None:
    acme, globex = world.acme.tenant.id, world.globex.tenant.id
    for tenant_id in (acme, globex):
        route(tenant_id, "extract", "default", daily_tokens=20)
    mine, theirs = chat(acme), chat(globex)
    for _ in range(2):
        theirs.ask_structured(ASKED, LikingShape)
    with pytest.raises(BudgetSpent):
        theirs.ask_structured(ASKED, LikingShape)
    assert mine.ask_structured(ASKED, LikingShape).value.what == "window"
    assert ledger(acme) == [("extract", "openai:large", 1, 0, 7, 5)]
    assert ledger(globex) == [("extract", "openai:large", 2, 0, 14, 10)]


def test_the_default_budget_is_the_policys(world: World, server: ModelServer) -> None:
    acme = world.acme.tenant.id
    with tenant_tx(acme):
        today = datetime.now(UTC).date()
        spent = MODEL_USE_CONFIG.daily_tokens
        ModelUsage.objects.create(day=today, purpose="extract", model="openai:other", output_tokens=spent)
    with pytest.raises(BudgetSpent):
        chat(acme).ask_structured(ASKED, LikingShape)


def test_calls_at_the_same_time_are_all_counted(world: World, server: ModelServer) -> None:
    def ask() -> None:
        chat(world.acme.tenant.id).ask_structured(ASKED, LikingShape)
        connection.close()

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger(world.acme.tenant.id) == [("extract", "openai:large", 4, 0, 28, 20)]


def test_no_transaction_is_open_while_the_model_thinks(world: World, server: ModelServer) -> None:
    acme = world.acme.tenant.id
    model = chat(acme)
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model.ask_structured(ASKED, LikingShape)
    with tenant_tx(acme), pytest.raises(ModelCallInTransaction):
        model.ask_structured(ASKED, LikingShape)
    assert ledger(acme) == []
    busy: list[int] = []

    def count_transactions(_: object) -> Reply:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND state LIKE 'idle in transaction%%'"
            )
            busy.append(cursor.fetchone()[0])
        connection.close()
        return completion('{"what": "window"}')

    server.answer = count_transactions
    model.ask_structured(ASKED, LikingShape)
    assert busy == [0]


def test_a_tenants_own_limit_bounds_all_purposes_together(world: World, server: ModelServer) -> None:
    acme = world.acme.tenant.id
    with tenant_tx(acme):
        set_limits({"model_tokens_per_day": 20}, by=COMMAND_LINE)
    chat(acme).text(ASKED)
    assert read_spent_tokens(acme, ModelPurpose.EXTRACT)[0] < 20
    chat(acme, "judge").text(ASKED)
    for purpose in ("extract", "judge", "rewrite"):
        with pytest.raises(BudgetSpent):
            chat(acme, purpose).text(ASKED)
    chat(world.globex.tenant.id, "judge").text(ASKED)
