"""Charts of the indicators, each with the same numbers as a table: for the browser, and for every reader."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.figures.figures import SHARES, Counts, Figures, Key, saved_share, share_of
from memory_platform.console.shared.display import EMPTY
from memory_platform.console.shared.policy import FIGURES

# What is drawn, None for a gap, and what the table says.
Point = tuple[float | None, str]
Told = Callable[[Counts], Point]


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart. ``lines``: points by day, by the name of each line. ``bound`` is drawn as a line of its own."""

    key: str
    title: Any
    meaning: Any
    unit: str
    lines: Mapping[str, Mapping[date, Point]]
    bound: float | None = None

    def to_json(self, days: list[date]) -> dict[str, Any]:
        """Return the lines and bounds that the browser draws."""
        lines = [
            {"name": name, "values": [points.get(day, (None, ""))[0] for day in days]}
            for name, points in self.lines.items()
        ]
        bounds = [] if self.bound is None else [{"name": _("promised"), "values": [self.bound] * len(days)}]
        return {"key": self.key, "unit": self.unit, "lines": lines, "bounds": bounds}

    def rows(self, days: list[date]) -> list[tuple[str, list[str]]]:
        """Return the rows of the table: the days with any value, the newest first."""
        told = [day for day in reversed(days) if any(day in points for points in self.lines.values())]
        return [
            (date_format(day, "Y-m-d"), [points.get(day, (None, EMPTY))[1] for points in self.lines.values()])
            for day in told
        ]


TITLES: Mapping[str, tuple[Any, Any, float | None]] = {
    "precision": (
        gettext_lazy("Precision of included memories"),
        gettext_lazy("Share of memories with positive feedback, of those with any feedback."),
        None,
    ),
    "utilisation": (
        gettext_lazy("Utilisation"),
        gettext_lazy("Share of memories that the reply used, of those in prompts with a known reply."),
        FIGURES.utilisation_least,
    ),
    "correction": (
        gettext_lazy("Correction rate"),
        gettext_lazy("Share of memories that the user corrected, of those with any feedback."),
        FIGURES.correction_most,
    ),
    "staleness": (
        gettext_lazy("Staleness"),
        gettext_lazy("Share of memories not validated for 30 days, of those in prompts."),
        FIGURES.staleness_most,
    ),
    "degraded": (
        gettext_lazy("Degraded answers"),
        gettext_lazy("Share of contexts that were built while a part of the platform was unavailable."),
        None,
    ),
}


def charts_of(figures: Figures, group: str) -> list[Chart]:
    return [*_quality(figures, group), *_cost(figures, group)]


def group_name(key: Key, group: str) -> str:
    if group == "version":
        return _("version %s") % key[0]
    if group == "arm":
        return f"{key[0]}: {key[1]}" if key[0] else _("no experiment")
    return _("all contexts")


def format_percent(value: float | None) -> str:
    return EMPTY if value is None else f"{value:.1%}"


def milliseconds(value: float | None) -> str:
    return EMPTY if value is None else f"{value:,.0f} ms"


def _quality(figures: Figures, group: str) -> Iterator[Chart]:
    for name in SHARES:
        title, meaning, bound = TITLES[name]
        yield Chart(name, title, meaning, "percent", _lines(figures, group, _share_point(name)), bound)
    yield Chart(
        "fast_lane",
        gettext_lazy("Corrections at once, p95"),
        gettext_lazy("Time from accepting a correction to applying it, for 95 of 100 corrections."),
        "ms",
        _lines(figures, group, lambda counts: (counts["p95"], milliseconds(counts["p95"]))),
        FIGURES.fast_lane_most_ms,
    )


def _cost(figures: Figures, group: str) -> Iterator[Chart]:
    waits = figures.waits.items()
    yield Chart(
        "wait",
        gettext_lazy("Age of the queue"),
        gettext_lazy("Waiting time of the work completed on that day, for the whole tenant."),
        "ms",
        {
            _("p95"): {day: (row.waited_p95_ms, milliseconds(row.waited_p95_ms)) for day, row in waits},
            _("longest"): {day: (row.waited_longest_ms, milliseconds(row.waited_longest_ms)) for day, row in waits},
        },
    )
    yield Chart(
        "saved",
        gettext_lazy("Tokens saved"),
        gettext_lazy("Share of the full histories' tokens that was not sent."),
        "percent",
        _lines(figures, group, lambda counts: (saved_share(counts), format_percent(saved_share(counts)))),
    )
    money = figures.money.items()
    yield Chart(
        "money",
        gettext_lazy("Cost"),
        gettext_lazy(
            "Cost of contexts and the memory's own models, and of full histories instead, for the whole tenant."
        ),
        "money",
        {
            _("with memory"): {day: _amount(row.cost, row.currency) for day, row in money},
            _("with full histories"): {day: _amount(row.cost_full_history, row.currency) for day, row in money},
        },
    )


def _lines(figures: Figures, group: str, told: Told) -> dict[str, dict[date, Point]]:
    return {
        group_name(key, group): {day: told(counts) for day, counts in days.items()}
        for key, days in figures.by_group.items()
    }


def _share_point(name: str) -> Told:
    def to_point(counts: Counts) -> Point:
        share = share_of(name, counts)
        return share.value, EMPTY if share.value is None else f"{share.value:.1%} ({share.count:,}/{share.of:,})"

    return to_point


def _amount(amount: Any, currency: str | None) -> Point:
    return (None, EMPTY) if amount is None else (float(amount), f"{amount:,.4f} {currency}")
