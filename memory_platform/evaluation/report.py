"""A run as readable tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory_platform.evaluation.policy import COUNTING

LANE_TITLES = {"keyword": "keyword alone", "dense": "dense alone"}


def report(run: Mapping[str, Any]) -> str:
    """Return the run as text: what it is, then its figures overall, by lane, by category and by subject."""
    return "\n".join(_lines(run))


def shown_figures(budgets: Sequence[int]) -> list[str]:
    """Return the figures that a table has room for, in the order of its columns."""
    k = COUNTING.judged_depth
    return [*(f"recall@{depth}" for depth in COUNTING.depths), f"all@{k}", "mrr", f"ndcg@{k}"] + [
        f"coverage@{budget}" for budget in budgets
    ]


def table(title: str, names: Sequence[str], rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of a table: a column per figure, and how many questions each row is about."""
    width = max(len(title), *(len(name) for name, _ in rows))
    yield f"{title:<{width}}  {'n':>5}  " + "  ".join(f"{name:>8}" for name in names)
    for name, held in rows:
        cells = "  ".join(f"{held[figure]:>{max(8, len(figure))}.3f}" for figure in names)
        yield f"{name:<{width}}  {held['questions']:>5}  {cells}"


def _lines(run: Mapping[str, Any]) -> Iterator[str]:
    asked, figures = run["asked"], run["figures"]
    left_out = ", ".join(f"{count:,} left out ({why})" for why, count in sorted(asked["left_out"].items()))
    names = shown_figures(asked["budgets"])
    yield f"Run {run['run_id']} of {run['dataset']['name']} ({run['dataset']['sha256'][:12]})"
    yield f"Code {run['code']['commit'] or 'unknown'}, embedding {run['embedder']}, top {asked['top_k']}"
    yield f"{asked['questions']:,} questions" + (f", {left_out}" if left_out else "")
    yield ""
    fused = {"questions": asked["questions"], **figures["overall"]}
    lanes = [(LANE_TITLES.get(name, name), held) for name, held in run.get("lanes", {}).items() if held["questions"]]
    yield from table("lane", names, [("fused", fused), *lanes])
    for part in ("category", "subject"):
        yield ""
        yield from table(part, names, [(name or "none", held) for name, held in figures[f"by_{part}"].items()])
