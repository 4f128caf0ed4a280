"""Money by the price table: the cost of contexts, and of the full history instead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tenants.models import ModelPrice

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
        """Return the price of a model of this tier on ``day``; None if none was valid."""
        return next((one for one in self.prices if one.tier == tier and one.valid_from <= day), None)

    def of_model(self, model: str, day: date, *, currency: str) -> Price | None:
        """Return the price of this very model on ``day`` in ``currency``; None if it has none."""
        fits = (one for one in self.prices if one.model == model and one.currency == currency)
        return next((one for one in fits if one.valid_from <= day), None)


def price_table() -> PriceTable:
    """Return the current price table; it needs no open scope."""
    rows: Iterable[Mapping[str, object]] = ModelPrice.objects.order_by("-valid_from", "model").values(
        "tier", "model", "currency", "input", "cached_input", "output", "storage", "valid_from"
    )
    return PriceTable(tuple(_build_price(row) for row in rows))


def _build_price(row: Mapping[str, object]) -> Price:
    per_token = {name: Decimal(str(row[name])) / MILLION for name in PER_MILLION}
    return Price(**{**row, **per_token})  # type: ignore[arg-type]  # the columns by their names
