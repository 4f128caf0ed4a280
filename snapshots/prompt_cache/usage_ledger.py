"""Record calls to a vendor's prompt cache for the tenant that they are made for.

A vendor bills the tokens it reads, and the cached tokens by the hour. The hours are booked with the call that buys
them, until the expiry; a deletion books those back that are left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.contracts import KeptPrompt, PromptKeeper
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure
from tenants.models import CACHE
from tenants.services.usage.model_use import ModelCallUsage, record_model_usage

Answer = TypeVar("Answer")

HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class RecordedKeeper:
    """A vendor's cache on behalf of a tenant. Where the vendor tells no tokens, our estimate counts."""

    tenant_id: UUID
    keeper: PromptKeeper

    def make(self, text: str, estimate: int) -> KeptPrompt:
        def use(made: KeptPrompt) -> ModelCallUsage:
            tokens = made.tokens or estimate
            return self._make_usage(read=tokens, token_hours=count_token_hours(tokens, utc_now(), made.expires_at))

        return self._record_call(lambda: self.keeper.make(text), use)

    def extend(self, name: str, estimate: int, paid_until: datetime) -> KeptPrompt:
        def use(found: KeptPrompt) -> ModelCallUsage:
            since = max(paid_until, utc_now())
            return self._make_usage(token_hours=count_token_hours(found.tokens or estimate, since, found.expires_at))

        return self._record_call(lambda: self.keeper.extend(name), use)

    def delete(self, name: str, tokens: int, paid_until: datetime) -> None:
        self._record_call(
            lambda: self.keeper.delete(name),
            lambda _: self._make_usage(token_hours=-count_token_hours(tokens, utc_now(), paid_until)),
        )

    def _record_call(self, call: Callable[[], Answer], use: Callable[[Answer], ModelCallUsage]) -> Answer:
        try:
            answer = call()
        except CallFailed as failed:
            if failed.failure is not Failure.CIRCUIT_OPEN:  # then none was made
                record_model_usage(self.tenant_id, self._make_usage(failures=1))
            raise
        record_model_usage(self.tenant_id, use(answer))
        return answer

    def _make_usage(self, *, read: int = 0, token_hours: float = 0.0, failures: int = 0) -> ModelCallUsage:
        return ModelCallUsage(CACHE, self.keeper.model, read=read, token_hours=token_hours, failures=failures)


def count_token_hours(tokens: int, since: datetime, until: datetime) -> float:
    """Return tokens times hours; 0 where ``until`` comes first."""
    return tokens * max(0.0, (until - since).total_seconds()) / HOUR_S
