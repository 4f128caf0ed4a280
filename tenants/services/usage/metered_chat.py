"""Chat models for a tenant: its routes, within its daily tokens, each call recorded.

Other packages get a model here and nowhere else. Every error is a ChatUnavailable: callers continue by rules.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from django.db import connection

from memory_platform.kernel.ids import new_id
from memory_platform.postgres.prepared_statements import Statement
from memory_platform.providers.contracts import (
    ChatModel,
    ChatPrompt,
    ChatUnavailable,
    ModelAnswer,
    Preparable,
    Shape,
    Usage,
)
from memory_platform.providers.open_transaction_guard import forbid_open_transaction
from memory_platform.providers.registry import chat_endpoints, chat_model
from tenants.config import MODEL_USE_CONFIG, ModelUseConfig
from tenants.isolation import tenant_tx
from tenants.isolation.scope import tenant_reads
from tenants.models import CACHE, ModelPurpose

Answer = TypeVar("Answer")

HOURS_DIGITS = 3

_ROUTE = """
SELECT route.endpoint, route.daily_tokens,
       (SELECT model_tokens_per_day FROM usage_limit WHERE tenant_id = $1 AND api_key_id IS NULL)
FROM (SELECT) one LEFT JOIN model_route route ON route.tenant_id = $1 AND route.purpose = $2
"""

_SPENT = f"""
SELECT coalesce(sum(input_tokens + output_tokens) FILTER (WHERE purpose = $2), 0)::bigint,
       coalesce(sum(input_tokens + output_tokens), 0)::bigint
FROM model_usage
WHERE purpose <> '{CACHE}' AND day = (statement_timestamp() AT TIME ZONE 'UTC')::date AND tenant_id = $1
"""  # noqa: S608  # made of a constant; values are parameters

_WRITE_DOWN = """
INSERT INTO model_usage AS kept (tenant_id, id, day, purpose, model, calls, failures, input_tokens, output_tokens,
                                 token_hours)
VALUES (%(tenant)s, %(id)s, (statement_timestamp() AT TIME ZONE 'UTC')::date, %(purpose)s, %(model)s, 1, %(failures)s,
        %(read)s, %(written)s, greatest(0, %(token_hours)s))
ON CONFLICT (tenant_id, day, purpose, model) DO UPDATE SET
    calls = kept.calls + 1, failures = kept.failures + excluded.failures,
    input_tokens = kept.input_tokens + excluded.input_tokens,
    output_tokens = kept.output_tokens + excluded.output_tokens,
    token_hours = greatest(0, kept.token_hours + %(token_hours)s)
"""

# Failures before anything was sent.
_NEVER_SENT = frozenset({"circuit_open", "not_installed", "misconfigured"})


class BudgetSpent(ChatUnavailable):
    """The tenant's tokens of the day, for this purpose or for all, are used up; no model is asked before the next."""

    code = "model_budget_spent"

    def __init__(self) -> None:
        super().__init__("The day's tokens for models are used up.", failure="budget_spent")


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens of a UTC day: for one purpose, and for all of the tenant's together; None means no common bound."""

    of_purpose: int
    of_all: int | None = None

    def is_spent(self, for_purpose: int, for_all: int) -> bool:
        return for_purpose >= self.of_purpose or (self.of_all is not None and for_all >= self.of_all)


@dataclass(frozen=True, slots=True)
class ModelCallUsage:
    """The usage of one call. ``token_hours``: tokens that it caches at the vendor, times hours; below 0 if it ends
    earlier than booked."""

    purpose: str
    model: str
    read: int = 0
    written: int = 0
    token_hours: float = 0.0
    failures: int = 0


def record_model_usage(tenant_id: UUID, used: ModelCallUsage) -> None:
    """Add one call to the ledger's day (UTC). Opens its own scope."""
    values = {"tenant": tenant_id, "id": new_id(), **asdict(used)}
    with tenant_tx(tenant_id), connection.cursor() as cursor:
        cursor.execute(_WRITE_DOWN, values | {"token_hours": round(Decimal(used.token_hours), HOURS_DIGITS)})


class TenantChat:
    """A :class:`ChatModel` for one purpose of one tenant that observes a budget and records its usage. The budget is
    checked before a call, so concurrent calls may exceed it by their own cost."""

    def __init__(self, tenant_id: UUID, purpose: ModelPurpose, model: ChatModel, budget: TokenBudget) -> None:
        self.name = model.name
        self._tenant_id = tenant_id
        self._purpose = purpose
        self._model = model
        self._budget = budget

    @property
    def ready(self) -> bool:
        return not isinstance(self._model, Preparable) or self._model.ready

    def prepare(self) -> None:
        """Prepare the model, which this process shares among tenants. Raises ChatUnavailable."""
        if isinstance(self._model, Preparable):
            self._model.prepare()

    def ask_structured(self, prompt: ChatPrompt, shape: type[Shape]) -> ModelAnswer[Shape]:
        return self._ask_within_budget(lambda: self._model.ask_structured(prompt, shape))

    def text(self, prompt: ChatPrompt) -> ModelAnswer[str]:
        return self._ask_within_budget(lambda: self._model.text(prompt))

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        return self.ask_structured(ChatPrompt(instructions, content), shape).value

    def _ask_within_budget(self, ask: Callable[[], ModelAnswer[Answer]]) -> ModelAnswer[Answer]:
        forbid_open_transaction()
        if self._budget.is_spent(*read_spent_tokens(self._tenant_id, self._purpose)):
            raise BudgetSpent
        try:
            answered = ask()
        except ChatUnavailable as failed:
            if failed.failure not in _NEVER_SENT:
                self._record_usage(failed.usage, failures=1)
            raise
        self._record_usage(answered.usage, failures=0)
        return answered

    def _record_usage(self, usage: Usage, *, failures: int) -> None:
        used = ModelCallUsage(
            self._purpose.value, self.name, usage.input_tokens, usage.output_tokens, failures=failures
        )
        record_model_usage(self._tenant_id, used)


def find_metered_chat(tenant_id: UUID, purpose: str, *, config: ModelUseConfig = MODEL_USE_CONFIG) -> TenantChat | None:
    """Return the chat model for ``purpose`` of the tenant; None if no model is configured and rules work alone.

    If a tenant's route names an endpoint that the operator removed, the result is None: the texts go to no other
    endpoint. Opens a scope of its own if any endpoint is configured, so no transaction may be open. Raises ValueError
    for an unknown purpose.
    """
    wanted = ModelPurpose(purpose)
    if not chat_endpoints():
        return None
    [rows] = tenant_reads(tenant_id, [Statement(_ROUTE, [tenant_id, wanted.value])])
    endpoint, daily_tokens, of_tenant = rows[0]
    model = chat_model(wanted.value, endpoint)
    if model is None:
        return None
    budget = TokenBudget(config.daily_tokens if daily_tokens is None else daily_tokens, of_tenant)
    return TenantChat(tenant_id, wanted, model, budget)


def read_spent_tokens(tenant_id: UUID, purpose: ModelPurpose) -> tuple[int, int]:
    """Return the tokens spent today for this purpose, and for all purposes together. One query."""
    [[(of_purpose, of_all)]] = tenant_reads(tenant_id, [Statement(_SPENT, [tenant_id, purpose.value])])
    return int(of_purpose), int(of_all)
