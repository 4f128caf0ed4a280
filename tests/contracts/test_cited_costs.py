"""The tables of docs/cost.md are those of the kept run that the page cites. Rows: X10."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "cost.md").read_text()
(CITED,) = re.findall(r"\((runs/cost-[0-9a-z-]+\.json)\)", PAGE)
LANGUAGES = {"en": "English", "zh": "Chinese"}
WAYS = ("memory", "latest", "bm25")


def table(name: str, page: str = PAGE) -> list[list[str]]:
    """Return the cells of the rows below the table's head."""
    _, below = page.split(f"| {name}, day |")
    lines = below.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]


def rows_of(life: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the rows that a run's figures of one life make."""
    for day in life["days"]:
        yield [
            str(day["day"]),
            f"{day['full_history']:,.0f}",
            f"{day['context']:,.0f} / {day['context_most']:,}",
            f"{day['saved_ratio']:.3f}",
            *(f"{day[name]:.4f}" for name in ("cost", "cost_full_history", "cost_full_history_cached")),
            str(day["questions"]),
            *(f"{day[way]:.3f}" if day["questions"] else "" for way in WAYS),
        ]
    whole = life["all"]
    money = (f"{whole[name]:.2f}" for name in ("cost", "cost_full_history", "cost_full_history_cached"))
    shares = (f"{whole[way]:.3f}" for way in WAYS)
    yield ["all 900 turns", "", f"most {whole['context_most']:,}", "", *money, str(whole["questions"]), *shares]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_table_is_what_the_run_measured(language: str) -> None:
    lives = orjson.loads((DOCS / CITED).read_bytes())["lives"]
    assert table(LANGUAGES[language]) == list(rows_of(lives[language]))
    assert max(day["context_most"] for day in lives[language]["days"]) <= 5_900


def test_another_figure_is_found() -> None:
    assert table("English", PAGE.replace("| 0.987 |", "| 0.99 |").replace("**0.987**", "0.99")) != table("English")
