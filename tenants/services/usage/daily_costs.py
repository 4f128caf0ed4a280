"""Reads the cost ledger: days of usage with their money, with memory and without.

The cost of a context is that of reading it at the price of the policy's tier; added are the tokens of the memory's own
models that day, and prompts cached at vendors. The answers of a product's model cost the same either way, and are left
out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from django.db.models import Sum

from tenants.config import LEDGER_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, ModelUsage, UsageDay
from tenants.services.usage.ledger_entries import roll_up_usage

MILLION = 1_000_000
PER_MILLION = ("input", "cached_input", "output", "storage")


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one model from a day on: money per token of each kind, and per cached token and hour."""

    tier: str
    model: str
    currency: str
    input: Decimal
    cached_input: Decimal
    output: Decimal
    storage: Decimal
    valid_from: date

    def compute_read_cost(self, tokens: int, *, cached: int = 0) -> Decimal:
        return (tokens - cached) * self.input + cached * self.cached_input

    def cost_of(self, read: int, written: int, token_hours: Decimal = Decimal(0)) -> Decimal:
        """Return the price of tokens read, written and cached at a vendor (in token hours)."""
        return read * self.input + written * self.output + token_hours * self.storage


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All prices, the youngest first."""

    prices: tuple[Price, ...]

    def of_tier(self, tier: str, day: date) -> Price | None:
        """Return the price of a model of this tier on ``day``; None if no price was valid."""
        return next((one for one in self.prices if one.tier == tier and one.valid_from <= day), None)

    def of_model(self, model: str, day: date, *, currency: str) -> Price | None:
        """Return the price of exactly this model on ``day`` in ``currency``; None if it had no price."""
        fits = (one for one in self.prices if one.model == model and one.currency == currency)
        return next((one for one in fits if one.valid_from <= day), None)


def load_price_table() -> PriceTable:
    rows: Iterable[Mapping[str, object]] = ModelPrice.objects.order_by("-valid_from", "model").values(
        "tier", "model", "currency", "input", "cached_input", "output", "storage", "valid_from"
    )
    return PriceTable(tuple(_build_price(row) for row in rows))


def _build_price(row: Mapping[str, object]) -> Price:
    per_token = {name: Decimal(str(row[name])) / MILLION for name in PER_MILLION}
    return Price(**{**row, **per_token})  # type: ignore[arg-type]  # the columns by their names


RATIO_DIGITS = 3
MONEY_DIGITS = 6


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """The tokens that one of the memory's own models read and wrote, and those cached at its vendor: tokens times
    hours."""

    model: str
    read: int
    written: int
    token_hours: Decimal


@dataclass(frozen=True, slots=True)
class PricedDay:
    """One day of usage and its money; money and currency are None if no price was valid."""

    used: UsageDay
    model_tokens: int
    cost: Decimal | None
    cost_full_history: Decimal | None
    currency: str | None

    @property
    def saved_ratio(self) -> float:
        """Share of the full history's tokens that was not sent, 0..1; 0 if nothing was saved."""
        return compute_saved_ratio(self.used.tokens_in_context, self.used.tokens_full_history)


def compute_saved_ratio(sent: int, full_history: int) -> float:
    return round(max(0.0, 1 - sent / full_history), RATIO_DIGITS) if full_history else 0.0


def usage_by_day(tenant_id: UUID, since: date, until: date) -> list[PricedDay]:
    """Return the days of usage from ``since`` to ``until``, both included, the oldest first, as of now. Opens scopes of
    its own: usage since the last roll-up is added up first."""
    roll_up_usage(tenant_id)
    with tenant_tx(tenant_id):
        return price_days(UsageDay.objects.filter(day__range=(since, until)).order_by("day"))


def price_days(days: Iterable[UsageDay]) -> list[PricedDay]:
    rows = list(days)
    table, own = load_price_table(), load_own_model_tokens([row.day for row in rows])
    return [_price_day(row, own[row.day], table, LEDGER_CONFIG.tier) for row in rows]


def load_own_model_tokens(days: Iterable[date]) -> Mapping[date, list[ModelTokens]]:
    """Return the usage of the memory's own models on these days, in the open scope."""
    found: dict[date, list[ModelTokens]] = defaultdict(list)
    sums = ModelUsage.objects.filter(day__in=list(days)).order_by().values("day", "model")
    for row in sums.annotate(read=Sum("input_tokens"), written=Sum("output_tokens"), kept=Sum("token_hours")):
        found[row["day"]].append(ModelTokens(row["model"], row["read"], row["written"], row["kept"]))
    return found


def _price_day(row: UsageDay, own: list[ModelTokens], table: PriceTable, tier: str) -> PricedDay:
    tokens = sum(one.read + one.written for one in own)
    price = table.of_tier(tier, row.day)
    if price is None:
        return PricedDay(row, tokens, None, None, None)
    spent = price.compute_read_cost(row.tokens_in_context)
    for one in own:
        by_name = table.of_model(one.model, row.day, currency=price.currency)
        spent += (by_name or price).cost_of(one.read, one.written, one.token_hours)
    return PricedDay(
        row, tokens, _round_money(spent), _round_money(price.compute_read_cost(row.tokens_full_history)), price.currency
    )


def _round_money(amount: Decimal) -> Decimal:
    return round(amount, MONEY_DIGITS)
