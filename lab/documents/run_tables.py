"""Each table that documents show, by name, as Markdown made from the runs in ``lab/runs``, and where it stands."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from memory_platform.kernel.errors import NotFound

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "lab" / "runs"
# Where a document prints a table.
BLOCK = re.compile(r"(<!-- figures:([\w-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)
ABLATION_RUNS = {"LoCoMo": "2e04e7676a89", "MADial": "4d70dcd5c729", "four lives": "eb56e6735399"}
RANKING_RUNS = {"LoCoMo": "0728d5a4bbda", "MADial": "ea91ce238748", "four lives": "38aee0090b5a"}
AFTERWARDS_RUNS = {"LoCoMo": "45971d7a66fe", "MADial": "cae9b0f3760d"}
TUNING_RUNS = {"LoCoMo": "778eaf880bc4", "MADial": "e22138842a4d", "four lives": "54c5fc25bcac"}
COST_RUN = "cost-2026-11-22"
COST_HEAD = (
    "| day | history | context, mean / most | saved | cost | without | without, cached "
    "| questions | memory | last 6,000 | BM25 |"
)
WAYS = ("memory", "latest", "bm25")

RunFile = Mapping[str, Any]


class TableUnknown(NotFound):
    """A document asks for a table that no function makes."""

    code = "table_unknown"


def read_run(name: str) -> dict[str, Any]:
    """Return a kept run. Raises OSError if no run has this name."""
    run: dict[str, Any] = orjson.loads((RUNS / f"{name}.json").read_bytes())
    return run


def recall_table() -> Iterator[str]:
    """Yield the figures of recall on each data set, by the moment that the questions are asked."""
    yield "| data set | asked | questions | recall@10 | coverage | run |"
    yield "|---|---|---|---|---|---|"
    for asked, runs in (("at their own time", RANKING_RUNS), ("after the last turn", AFTERWARDS_RUNS)):
        for data, name in runs.items():
            run = read_run(name)
            recall, coverage = _render_figures(run["figures"]["overall"], run).split(", ")
            yield f"| {data} | {asked} | {run['asked']['questions']} | {recall} | {coverage} | `{name}` |"


def ranker_table() -> Iterator[str]:
    runs = {data: read_run(name) for data, name in RANKING_RUNS.items()}
    yield "| coverage of | " + " | ".join(f"{data}, {_render_budgets(run)}" for data, run in runs.items()) + " |"
    yield "|---|" + "---|" * len(runs)
    for ranker in next(iter(runs.values()))["curves"]:
        curves = ([run["curves"][ranker][str(b)] for b in run["asked"]["budgets"]] for run in runs.values())
        yield f"| {ranker} | " + " | ".join(" / ".join(map(_share, curve)) for curve in curves) + " |"


def lane_table() -> Iterator[str]:
    yield "| | questions | recall | keyword alone | dense alone |"
    yield "|---|---|---|---|---|"
    for data, name in RANKING_RUNS.items():
        run = read_run(name)
        lanes = [run["lanes"]["keyword"], run["lanes"]["dense"]]
        yield _make_lane_row(f"{data}, all", run["asked"]["questions"], [run["figures"]["overall"], *lanes], run)
        categories = run["figures"]["by_category"]
        for category, held in categories.items() if len(categories) > 1 else ():
            parts = [held, *(lane["by_category"][category] for lane in lanes)]
            yield _make_lane_row(f"{data}, {category}", held["questions"], parts, run)


def ablation_table() -> Iterator[str]:
    """Yield the worth of each optimisation in thousandths; rows that are zero everywhere are left out."""
    runs = {data: read_run(name) for data, name in ABLATION_RUNS.items()}
    yield "| without | " + " | ".join(runs) + " |"
    yield "|---|" + "---|" * len(runs)
    for optimisation in next(iter(runs.values()))["ablation"]:
        cells = [_render_differences(run["ablation"][optimisation], run) for run in runs.values()]
        if any(cell.strip("0, /") for cell in cells):
            yield f"| {optimisation} | " + " | ".join(cells) + " |"


def tuning_table() -> Iterator[str]:
    """Yield how weights do that were chosen on other subjects, beside the fixed policy."""
    yield "| data set | weights | recall@10, coverage | less the fixed policy, thousandths |"
    yield "|---|---|---|---|"
    for data, name in TUNING_RUNS.items():
        run = read_run(name)
        searches = run["tuning"]["searches"]
        yield f"| {data} | plain words | {_render_figures(searches['plain words']['begun'], run)} | |"
        for begin, search in searches.items():
            gains = _render_differences(search["gains"], run)
            yield f"| | chosen elsewhere, from {begin} | {_render_figures(search['figures'], run)} | {gains} |"
        yield f"| | fixed policy | {_render_figures(run['tuning']['fixed'], run)} | |"


def cost_table(language: str) -> Iterator[str]:
    """Yield tokens, money and coverage of a simulated life by day."""
    life = read_run(COST_RUN)["lives"][language]
    yield COST_HEAD
    yield "|---" * (COST_HEAD.count("|") - 1) + "|"
    for day in life["days"]:
        cells = [
            day["day"],
            f"{day['full_history']:,.0f}",
            f"{day['context']:,.0f} / {day['context_most']:,}",
            f"{day['saved_ratio']:.3f}",
            *(f"{day[name]:.4f}" for name in ("cost", "cost_full_history", "cost_full_history_cached")),
            day["questions"],
            *(f"{day[way]:.3f}" if day["questions"] else "" for way in WAYS),
        ]
        yield f"| {' | '.join(map(str, cells))} |"
    whole = life["all"]
    money = (f"{whole[name]:.2f}" for name in ("cost", "cost_full_history", "cost_full_history_cached"))
    shares = (f"{whole[way]:.3f}" for way in WAYS)
    cells = [f"all {whole['turns']} turns", "", f"most {whole['context_most']:,}", ""]
    cells += [*money, whole["questions"], *shares]
    yield f"| {' | '.join(map(str, cells))} |"


TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "recall": recall_table,
    "rankers": ranker_table,
    "lanes": lane_table,
    "optimisations": ablation_table,
    "tuning": tuning_table,
    "cost-en": lambda: cost_table("en"),
    "cost-zh": lambda: cost_table("zh"),
}


def list_documents() -> Iterator[Path]:
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted((ROOT / "lab").rglob("*.md"))


def replace_tables(text: str) -> str:
    """Return a document's text with its tables made anew. Raises TableUnknown."""
    return BLOCK.sub(_render_block, text)


def _render_block(match: re.Match[str]) -> str:
    begin, name, end = match.groups()
    if name not in TABLES:
        raise TableUnknown(f"There is no table {name!r}; known: {', '.join(TABLES)}.")
    table = "\n".join(TABLES[name]())
    return f"{begin}\n{table}\n\n{end}"


def _make_lane_row(name: str, questions: int, parts: Sequence[Mapping[str, float]], run: RunFile) -> str:
    return f"| {name} | {questions} | " + " | ".join(_render_figures(part, run) for part in parts) + " |"


def _render_coverages(run: RunFile) -> list[str]:
    return [f"coverage@{budget}" for budget in run["asked"]["budgets"]]


def _render_budgets(run: RunFile) -> str:
    return " / ".join(f"{budget:,}" for budget in run["asked"]["budgets"])


def _render_figures(figures: Mapping[str, float], run: RunFile) -> str:
    return f"{_share(figures['recall@10'])}, {'/'.join(_share(figures[name]) for name in _render_coverages(run))}"


def _render_differences(intervals: Mapping[str, Mapping[str, float]], run: RunFile) -> str:
    coverages = "/".join(_render_difference(intervals[name]) for name in _render_coverages(run))
    return f"{_render_difference(intervals['recall@10'])}, {coverages}"


def _render_difference(worth: Mapping[str, float]) -> str:
    """Return thousandths with a sign; a star where the interval leaves zero out."""
    thousandths = round(worth["mean"] * 1000)
    sign = "+" if thousandths > 0 else "−" if thousandths < 0 else ""
    return f"{sign}{abs(thousandths)}{'*' if worth['low'] > 0 or worth['high'] < 0 else ''}"


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.0f}"
