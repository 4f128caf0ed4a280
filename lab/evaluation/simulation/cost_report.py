"""A simulation as a table, as JSON, as a picture."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.evaluation.coverage_plot import DOTS_PER_INCH, require_plotting
from lab.evaluation.simulation.context_costs import RAW_BUDGET, TurnFigures, compute_shares
from lab.evaluation.simulation.scenario import LifePlan
from tenants.services.usage.daily_costs import Price, compute_saved_ratio

# Days that the table shows; a life that ends earlier or later shows its last day, too.
MARKS = (1, 7, 30, 60, 90)
INCHES = (7.0, 7.0)
WAYS = {
    "memory": "memory",
    "latest": f"last {RAW_BUDGET:,} tokens",
    "bm25": f"BM25, {RAW_BUDGET:,} tokens",
    "bm25_same": "BM25, as many tokens as memory",
}


def make_day_rows(turns: Sequence[TurnFigures], plan: LifePlan, price: Price) -> list[dict[str, Any]]:
    """Return one row per marked day: means of its turns, its money, and coverage since the mark before it."""
    marks = sorted({mark for mark in MARKS if mark < plan.days} | {plan.days})
    rows = []
    for before, day in zip((0, *marks), marks, strict=False):
        own = [turn for turn in turns if turn.day == day]
        asked = [turn.covered for turn in turns if before < turn.day <= day and turn.covered]
        rows.append(
            {
                "day": day,
                **_compute_sizes(own),
                **_compute_money(own, plan, price),
                "questions": len(asked),
                **compute_shares(asked),
            }
        )
    return rows


def compute_totals(turns: Sequence[TurnFigures], plan: LifePlan, price: Price) -> dict[str, Any]:
    asked = [turn.covered for turn in turns if turn.covered]
    most = max(turn.context for turn in turns)
    return {
        "turns": len(turns),
        "context_most": most,
        **_compute_money(turns, plan, price),
        "questions": len(asked),
    } | compute_shares(asked)


def render_table(rows: Iterable[Mapping[str, Any]], whole: Mapping[str, Any], currency: str) -> str:
    """Return the rows as text, with the whole below them."""
    head = (
        f"{'day':>4} {'history':>9} {'context':>8} {'most':>6} {'saved':>6} {'cost/day':>10} {'without':>10} "
        f"{'cached':>10} {'asked':>6} {'memory':>7} {'latest':>7} {'BM25':>7} {'same':>7}"
    )
    lines = [head]
    for row in rows:
        lines.append(
            f"{row['day']:>4} {row['full_history']:>9,.0f} {row['context']:>8,.0f} {row['context_most']:>6,} "
            f"{row['saved_ratio']:>6.3f} {row['cost']:>10.5f} {row['cost_full_history']:>10.5f} "
            f"{row['cost_full_history_cached']:>10.5f} {row['questions']:>6} {_render_coverage(row)}"
        )
    lines.append(
        f"{'all':>4} {'':>9} {'':>8} {whole['context_most']:>6,} {'':>6} {whole['cost']:>10.4f} "
        f"{whole['cost_full_history']:>10.4f} {whole['cost_full_history_cached']:>10.4f} {whole['questions']:>6} "
        f"{_render_coverage(whole)}"
    )
    lines.append(f"Money in {currency}; history and context in tokens a turn. cached: the history but its last turn")
    lines.append("read from the provider's cache each time. Coverage: of the questions since the row before.")
    lines += [
        f"{short:>7}: {WAYS[name]}" for short, name in zip(("latest", "BM25", "same"), list(WAYS)[1:], strict=True)
    ]
    return "\n".join(lines)


def draw_costs(lives: Mapping[str, Sequence[TurnFigures]], plan: LifePlan, path: Path) -> None:
    """Draw tokens and coverage by day. Raises OSError, PlottingMissing, ValueError for a strange format."""
    require_plotting()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package; no pyplot, so no window and no state

    figure = Figure(figsize=INCHES, layout="constrained")
    sizes, coverage = figure.subplots(2, 1)
    turns = [turn for found in lives.values() for turn in found]
    days = sorted({turn.day for turn in turns})
    for name, label in (("full_history", "full history"), ("context", "context")):
        sizes.plot(days, [_mean(getattr(turn, name) for turn in turns if turn.day == day) for day in days], label=label)
    sizes.set(
        xlabel="day", ylabel="tokens a turn", yscale="log", title=f"{plan.turns} turns of {plan.tokens} tokens a day"
    )
    width = max(1, plan.days // 6)
    ends = list(range(width, plan.days + 1, width))
    for way, label in WAYS.items():
        found = [_share(turns, way, end - width, end) for end in ends]
        coverage.plot(ends, found, label=label, marker="o", markersize=3, linewidth=2.5 if way == "memory" else 1.2)
    coverage.set(xlabel="day", ylabel="evidence coverage", ylim=(0, 1.02))
    for axes in (sizes, coverage):
        axes.grid(visible=True, alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _compute_sizes(turns: Sequence[TurnFigures]) -> dict[str, Any]:
    full, context = _mean(one.full_history for one in turns), _mean(one.context for one in turns)
    sent, said = sum(one.context for one in turns), sum(one.full_history for one in turns)
    return {
        "full_history": full,
        "context": context,
        "context_most": max(one.context for one in turns),
        "saved_ratio": compute_saved_ratio(sent, said),
    }


def _compute_money(turns: Sequence[TurnFigures], plan: LifePlan, price: Price) -> dict[str, float]:
    """Return the cost of reading the contexts, and of the history, read whole or from a cache but for its last turn."""
    cached = sum(
        price.compute_read_cost(one.full_history, cached=max(0, one.full_history - plan.tokens)) for one in turns
    )
    return {
        "cost": float(sum(price.compute_read_cost(one.context) for one in turns)),
        "cost_full_history": float(sum(price.compute_read_cost(one.full_history) for one in turns)),
        "cost_full_history_cached": float(cached),
    }


def _render_coverage(row: Mapping[str, Any]) -> str:
    return " ".join(f"{row[name]:>7.3f}" if name in row else f"{'-':>7}" for name in WAYS)


def _share(turns: Sequence[TurnFigures], way: str, after: int, until: int) -> float:
    asked = [turn.covered for turn in turns if after < turn.day <= until and turn.covered]
    return compute_shares(asked).get(way, float("nan"))


def _mean(values: Iterable[int]) -> float:
    held = list(values)
    return sum(held) / len(held)
