"""Money by the price table: what contexts cost, and what the full history would have cost instead (row X10)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tenants.models import ModelPrice

MILLION = 1_000_000
PER_MILLION = ("input", "cached_input", "output", "storage")


@dataclass(frozen=True, slots=True)
class Price:
    """What one model costs from a day on: money per token of each kind, and per token kept for an hour."""

    tier: str
    model: str
    currency: str
    input: Decimal
    cached_input: Decimal
    output: Decimal
    storage: Decimal
    valid_from: date

    def read(self, tokens: int, *, cached: int = 0) -> Decimal:
        """Return what reading ``tokens`` costs, ``cached`` of them from the provider's cache."""
        return (tokens - cached) * self.input + cached * self.cached_input

    def cost_of(self, read: int, written: int, token_hours: Decimal = Decimal(0)) -> Decimal:
        """Return the price of tokens read, written and kept in a vendor's cache (in token hours)."""
        return read * self.input + written * self.output + token_hours * self.storage


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All prices, the youngest first."""

    prices: tuple[Price, ...]

    def of_tier(self, tier: str, day: date) -> Price | None:
        """Return what a model of this tier cost on ``day``; None where no price was valid."""
        return _first(one for one in self.prices if one.tier == tier and one.valid_from <= day)

    def of_model(self, model: str, day: date, *, currency: str) -> Price | None:
        """Return what this very model cost on ``day`` in ``currency``; None where it has no price."""
        fits = (one for one in self.prices if one.model == model and one.currency == currency)
        return _first(one for one in fits if one.valid_from <= day)


def price_table() -> PriceTable:
    """Return the table as it stands now; it needs no open scope."""
    rows: Iterable[Mapping[str, object]] = ModelPrice.objects.order_by("-valid_from", "model").values(
        "tier", "model", "currency", "input", "cached_input", "output", "storage", "valid_from"
    )
    return PriceTable(tuple(_price(row) for row in rows))


def _price(row: Mapping[str, object]) -> Price:
    per_token = {name: Decimal(str(row[name])) / MILLION for name in PER_MILLION}
    return Price(**{**row, **per_token})  # type: ignore[arg-type]  # the columns by their names


def _first(prices: Iterable[Price]) -> Price | None:
    return next(iter(prices), None)
