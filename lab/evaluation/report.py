"""A run as readable tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.evaluation.config import COUNTING

LANE_TITLES = {"keyword": "keyword alone", "dense": "dense alone"}


def render_report(run: Mapping[str, Any]) -> str:
    return "\n".join(_render_lines(run))


def list_table_figures(budgets: Sequence[int]) -> list[str]:
    k = COUNTING.judged_depth
    return [*(f"recall@{depth}" for depth in COUNTING.depths), f"hit@{k}", f"all@{k}", "mrr", f"ndcg@{k}"] + [
        f"coverage@{budget}" for budget in budgets
    ]


def render_table(title: str, names: Sequence[str], rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of a table: a column per figure, and how many questions each row is about."""
    width = max(len(title), *(len(name) for name, _ in rows))
    yield f"{title:<{width}}  {'n':>5}  " + "  ".join(f"{name:>8}" for name in names)
    for name, held in rows:
        cells = "  ".join(f"{held[figure]:>{max(8, len(figure))}.3f}" for figure in names)
        yield f"{name:<{width}}  {held['questions']:>5}  {cells}"


def list_worth_figures(budgets: Sequence[int]) -> list[str]:
    """Return the figures that a table of differences has room for: each takes an interval."""
    k = COUNTING.judged_depth
    return [f"recall@{k}", f"ndcg@{k}", *(f"coverage@{budget}" for budget in budgets)]


def render_worth_table(title: str, names: Sequence[str], rows: Mapping[str, Mapping[str, Any] | None]) -> Iterator[str]:
    """Yield the lines of a table of differences with their intervals, those that leave zero out marked with a star."""
    width = max(len(title), *map(len, rows))
    yield f"{title:<{width}}  " + "  ".join(f"{name:<24}" for name in names)
    for name, held in rows.items():
        cells = (
            "off in this policy" if held is None else "  ".join(_render_difference(held[figure]) for figure in names)
        )
        yield f"{name:<{width}}  {cells}"


def _render_difference(interval: Mapping[str, float]) -> str:
    sure = interval["low"] > 0 or interval["high"] < 0
    return f"{interval['mean']:+.3f} [{interval['low']:+.3f}, {interval['high']:+.3f}]{'*' if sure else ' '}"


def _list_categories(run: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for category, held in run["figures"]["by_category"].items():
        yield category or "none", held
        for lane, found in run.get("lanes", {}).items():
            if alone := found["by_category"].get(category):
                yield f"  {LANE_TITLES.get(lane, lane)}", alone


def _render_ablation(run: Mapping[str, Any]) -> Iterator[str]:
    if "ablation" not in run:
        return
    yield ""
    yield "Worth of each optimisation: the figure with it less the figure without; 95 % interval, * where zero is out"
    yield from render_worth_table("without", list_worth_figures(run["asked"]["budgets"]), run["ablation"])


def _render_sweep(run: Mapping[str, Any]) -> Iterator[str]:
    if "sweep" not in run:
        return
    yield ""
    yield "Each number of the policy with another value, everything else as it is"
    names, n = list_worth_figures(run["asked"]["budgets"]), run["asked"]["questions"]
    tried = [(f"{field} {value}", held) for field, values in run["sweep"].items() for value, held in values.items()]
    rows = [("fixed policy", run["figures"]["overall"]), *tried]
    yield from render_table("value", names, [(name, {"questions": n, **held}) for name, held in rows])


def _render_tuning(run: Mapping[str, Any]) -> Iterator[str]:
    if "tuning" not in run:
        return
    tuning, names = run["tuning"], list_table_figures(run["asked"]["budgets"])
    yield ""
    yield "Weights chosen on other subjects, judged on the subjects held out"
    judged = {"fixed policy": tuning["fixed"]}
    for begin, search in tuning["searches"].items():
        judged |= {f"{begin}, as begun": search["begun"]} if search["begun"] != tuning["fixed"] else {}
        judged[f"chosen elsewhere, from {begin}"] = search["figures"]
    held = [(name, {"questions": run["asked"]["questions"], **figures}) for name, figures in judged.items()]
    yield from render_table("held out", names, held)
    gains = {f"chosen elsewhere, from {begin}": search["gains"] for begin, search in tuning["searches"].items()}
    yield from render_worth_table("gain over the fixed policy", list_worth_figures(run["asked"]["budgets"]), gains)
    for begin, search in tuning["searches"].items():
        for fold in search["folds"]:
            chosen = ", ".join(f"{name} {value:g}" for name, value in fold["weights"].items())
            yield f"from {begin}, without {', '.join(fold['held_out'])}: {chosen}"


def _render_judging(run: Mapping[str, Any]) -> Iterator[str]:
    if "judging" not in run:
        return
    judged = run["judging"]
    yield ""
    yield f"Judged by {judged['model']}, prompts {judged['prompts']}; {judged['failed']:,} without a valid answer"
    for name, held in judged["figures"].items():
        yield f"{name:<18}{held['mean']:>8.3f}  {held['questions']:,} questions"


def _render_lines(run: Mapping[str, Any]) -> Iterator[str]:
    asked, figures = run["asked"], run["figures"]
    left_out = ", ".join(f"{count:,} left out ({why})" for why, count in sorted(asked["left_out"].items()))
    names = list_table_figures(asked["budgets"])
    yield f"Run {run['run_id']} of {run['dataset']['name']} ({run['dataset']['sha256'][:12]})"
    embedders = ", ".join(run["embedders"]) or "none"
    yield f"Code {run['code']['commit'] or 'unknown'}, embedding {embedders}, top {asked['top_k']}"
    yield f"{asked['questions']:,} questions" + (f", {left_out}" if left_out else "")
    yield ""
    fused = {"questions": asked["questions"], **figures["overall"]}
    lanes = [(LANE_TITLES.get(name, name), held) for name, held in run.get("lanes", {}).items() if held["questions"]]
    yield from render_table("lane", names, [("fused", fused), *lanes])
    yield ""
    yield from render_table("category", names, list(_list_categories(run)))
    yield ""
    yield from render_table("subject", names, list(figures["by_subject"].items()))
    yield from _render_ablation(run)
    yield from _render_sweep(run)
    yield from _render_tuning(run)
    yield from _render_judging(run)
