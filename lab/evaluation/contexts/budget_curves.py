"""The share of needed facts by budget: in contexts, in bare lines that BM25 ranks, and in everything ever said.

Covered is the share of needed groups of which a text contains a string. A string does not match where it begins inside
a longer word or number, or ends inside a longer number: 5 is in neither 15 nor 51, 三点 not in 十三点. Dates that a
context writes over or beside its lines are removed first: they match nothing by accident.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson

from lab.evaluation.contexts.lives import Life, LifeSet
from lab.evaluation.contexts.stack_client import SYSTEM, Stack
from lab.evaluation.coverage_plot import DOTS_PER_INCH, require_plotting
from lab.evaluation.ranking.evidence_overlap import estimate_tokens, split_into_units
from lab.evaluation.run_file import read_code_version
from lab.evaluation.simulation.baselines import RawHistory, join_texts
from memory_platform.kernel.errors import FieldFault, InvalidInput

BUDGETS = (150, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000, 4000, 6000)
CONTEXTS, BARE, WHOLE = "contexts", "BM25, bare lines", "whole history"
DIGITS = 3
FIRST_HAN = "\u3400"
INCHES_OF_PANEL = (4.5, 3.6)
PANELS_A_ROW = 2
COLOURS = {CONTEXTS: "tab:blue", BARE: "tab:orange"}
EARLIER_COLOUR = "tab:gray"
_NUMERALS = "0-9零一二两三四五六七八九十廿百"
_DATE = re.compile(
    r"\b\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d)?|\(\d{1,2} [A-Z][a-z]{2}(?: \d{4})?\)|(?:\d{4}年)\d{1,2}月(?:\d{1,2}日)?"
    r"|\(\d{1,2}月\d{1,2}日\)"
    r"|^\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:$|^(?:\d{4}年)?\d{1,2}月\d{1,2}日[:：]$|^Today is .*$|^今天是.*$",
    re.MULTILINE,
)
# Shares of an earlier run, by its name, set of lives and budget.
Earlier = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True, slots=True)
class RuledCounter:
    """The estimate that budgets of bare lines are counted with."""

    name: str = "words"

    def count(self, text: str) -> int:
        return estimate_tokens(text)


def list_every_word(text: str) -> list[str]:
    """Return all words of ``text``, small ones too, and pairs of Chinese characters: BM25 finds more lines by them."""
    found = split_into_units(text)
    return found + [one + two for one, two in pairwise(found) if one >= FIRST_HAN]


def measure_set(
    life_set: LifeSet, stack: Stack, budgets: Sequence[int], *, advance: Callable[[int], object]
) -> dict[str, Any]:
    """Return the curves of one set, all lives told before; ``advance`` hears of each context. Raises StackRefused."""
    found: dict[str, dict[int, list[float]]] = {name: {one: [] for one in budgets} for name in (CONTEXTS, BARE)}
    whole: list[tuple[int, float]] = []
    for life in life_set.lives:
        for name, budget, share in _measure_coverage(life, stack, budgets, advance=advance):
            found[name][budget].append(share)
        whole.extend(_measure_history_coverage(life))
    return {
        "name": life_set.name,
        "language": life_set.language,
        "sha256": life_set.sha256,
        "lives": len(life_set.lives),
        "questions": len(whole),
        "curves": {name: {str(one): _mean(shares) for one, shares in curve.items()} for name, curve in found.items()},
        WHOLE: {"tokens": round(fmean(size for size, _ in whole)), "covered": _mean([share for _, share in whole])},
    }


def describe_curves(sets: Sequence[Mapping[str, Any]], budgets: Sequence[int]) -> dict[str, Any]:
    return {"code": read_code_version(), "budgets": list(budgets), "sets": list(sets)}


def render_table(run: Mapping[str, Any]) -> Iterator[str]:
    yield f"| covered by a context of | {' | '.join(f'{one:,}' for one in run['budgets'])} | whole history |"
    yield "|---|" + "---|" * (len(run["budgets"]) + 1)
    for one in run["sets"]:
        for name, curve in one["curves"].items():
            last = f"{one[WHOLE]['covered']:.2f} with {one[WHOLE]['tokens']:,}" if name == CONTEXTS else ""
            cells = " | ".join(f"{share:.2f}" for share in curve.values())
            yield f"| {one['name']}: {name} | {cells} | {last} |"


def read_earlier(path: Path) -> Earlier:
    """Return the curves of an earlier run. Raises OSError, InvalidInput."""
    try:
        held = orjson.loads(path.read_bytes())
        return {
            str(name): {
                str(one): {str(int(size)): float(share) for size, share in curve.items()} for one, curve in sets.items()
            }
            for name, sets in held.items()
        }
    except (AttributeError, TypeError, ValueError) as fault:
        message = f"Is not in the form {{name: {{set: {{tokens: share}}}}}}: {type(fault).__name__}."
        raise InvalidInput(faults=[FieldFault("the file", "malformed_curve", message)]) from None


def draw_curves(run: Mapping[str, Any], path: Path, earlier: Earlier) -> None:
    """Draw one panel a set. Raises OSError, PlottingMissing; ValueError for a format that matplotlib does not know."""
    require_plotting()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package; no pyplot, so no window and no state

    rows, columns = -(-len(run["sets"]) // PANELS_A_ROW), min(PANELS_A_ROW, len(run["sets"]))
    size = INCHES_OF_PANEL[0] * columns, INCHES_OF_PANEL[1] * rows
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, one in zip(panels.flat, run["sets"], strict=False):
        _draw_panel(axes, one, {name: curves[one["name"]] for name, curves in earlier.items() if one["name"] in curves})
    for axes in panels.flat[len(run["sets"]) :]:
        axes.set_visible(False)
    for row in panels:
        row[0].set_ylabel("covered of what the question needs")
    panels[0][0].legend(loc="lower right")
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _draw_panel(axes: Any, one: Mapping[str, Any], earlier: Mapping[str, Mapping[str, float]]) -> None:
    drawn = {name: (curve, EARLIER_COLOUR) for name, curve in earlier.items()}
    drawn |= {name: (curve, COLOURS[name]) for name, curve in one["curves"].items()}
    for name, (curve, colour) in drawn.items():
        axes.plot([int(budget) for budget in curve], list(curve.values()), label=name, marker="o", color=colour)
    whole = one[WHOLE]
    axes.plot([whole["tokens"]], [whole["covered"]], "k*", markersize=11, label=WHOLE)
    axes.set(xscale="log", ylim=(0, 1.03), title=f"{one['name']}, {one['questions']} questions")
    axes.set_xticks([150, 300, 500, 1000, 2000, 6000], ["150", "300", "500", "1,000", "2,000", "6,000"])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("tokens of the context in all")
    axes.grid(visible=True, alpha=0.3)


def _measure_coverage(
    life: Life, stack: Stack, budgets: Sequence[int], *, advance: Callable[[int], object]
) -> Iterator[tuple[str, int, float]]:
    history = RawHistory(RuledCounter(), list_every_word)
    for turn in life.turns:
        history.add(turn)
    for question in life.questions:
        if not question.needed:
            continue
        besides = estimate_tokens(SYSTEM) + estimate_tokens(question.query)
        for budget in budgets:
            brought = remove_dates(stack.fetch_context(life, question, budget))
            yield CONTEXTS, budget, compute_coverage(brought, question.needed)
            lines = history.search(question.query, max(0, budget - besides))
            yield BARE, budget, compute_coverage(join_texts(lines), question.needed)
            advance(1)


def _measure_history_coverage(life: Life) -> Iterator[tuple[int, float]]:
    everything = join_texts(life.turns)
    size = estimate_tokens(everything)
    for question in life.questions:
        if question.needed:
            yield size, compute_coverage(everything, question.needed)


def _mean(shares: Sequence[float]) -> float:
    return round(fmean(shares), DIGITS)


def remove_dates(text: str) -> str:
    return _DATE.sub(" ", text)


def compute_coverage(text: str, needed: Sequence[Sequence[str]]) -> float:
    """Return the share of the groups of which a string stands in ``text``; ``needed`` is not empty."""
    lowered = text.lower()
    return sum(any(_compile_pattern(part).search(lowered) for part in group) for group in needed) / len(needed)


@lru_cache(maxsize=4096)
def _compile_pattern(part: str) -> "re.Pattern[str]":
    lowered = part.lower()
    before = after = ""
    if re.match(r"[a-z]", lowered):
        before = r"(?<![a-z0-9])"
    elif re.match(f"[{_NUMERALS}]", lowered):
        before = f"(?<!(?<![周期拜])[{_NUMERALS}])"  # 周三三点 is three o'clock on a Wednesday
    if lowered[-1:].isdigit():
        after = r"(?!\d)"
    return re.compile(before + re.escape(lowered) + after)
