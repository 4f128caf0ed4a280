"""Days of talk through the real product: what contexts cost and cover, and that a repeat is the same. Rows: X10, X1."""

import json
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tenants.isolation import tenant_tx
from tenants.models import UsageDay
from tenants.selectors import tenant_by_slug
from tests.lab.evaluation.dataset import write_dataset

pytestmark = pytest.mark.usefixtures("database")


def simulate(*arguments: str) -> str:
    out = StringIO()
    call_command("simulate_cost", *arguments, stdout=out)
    return out.getvalue()


def figures(path: Path, *arguments: str) -> dict[str, Any]:
    simulate("--json", str(path), *arguments)
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


@pytest.mark.slow
def test_a_few_days_in_both_languages(tmp_path: Path) -> None:
    drawn = tmp_path / "cost.png"
    can_draw = find_spec("matplotlib") is not None  # of the group `evaluation`
    size = ("--days", "3", "--turns", "6", "--tokens", "850")
    found = figures(tmp_path / "run.json", *size, *(["--plot", str(drawn)] if can_draw else []))
    assert not can_draw or drawn.stat().st_size > 10_000
    assert sorted(found["lives"]) == ["en", "zh"]
    for life in found["lives"].values():
        first, last = life["days"]
        assert (first["day"], last["day"]) == (1, 3)
        assert last["context_most"] <= 5_900
        assert 10_000 < last["full_history"] < 15_000
        assert last["questions"] == 6
        assert last["memory"] >= 5 / 6
        assert last["cost"] < last["cost_full_history"]
    with tenant_tx(tenant_by_slug("simulation").id):
        day = UsageDay.objects.get()
        assert (day.contexts, day.messages) == (34, 72)  # of the two first ones nobody was known yet


@pytest.mark.slow
def test_what_was_told_on_earlier_days_comes_from_the_memory_section(tmp_path: Path) -> None:
    days = ("--days", "3", "--turns", "6", "--tokens", "200", "--language", "en")
    whole, none = (
        figures(tmp_path / f"{name}.json", *days, *more)["lives"]["en"]["all"]
        for name, more in (("whole", ()), ("none", ("--memory", "0")))
    )
    assert whole["questions"] == none["questions"] == 6
    assert whole["memory"] >= 0.9
    assert none["memory"] <= 0.5, "limits and habits stand in the prefix"


@pytest.mark.slow
def test_a_repeat_begins_anew_and_finds_the_same(tmp_path: Path) -> None:
    small = ("--days", "2", "--turns", "4", "--tokens", "150", "--language", "en")
    first, again = (figures(tmp_path / f"{name}.json", *small) for name in "ab")
    assert first == again


def test_a_data_set_is_asked_instead(tmp_path: Path) -> None:
    told = simulate("--data", str(write_dataset(tmp_path)))
    assert "asked after all was said" in told
    assert "BM25" in told


@pytest.mark.parametrize("arguments", [("--days", "0"), ("--tokens", "-5"), ("--data", "/nowhere.json")])
def test_what_cannot_be_simulated_is_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        simulate(*arguments)
