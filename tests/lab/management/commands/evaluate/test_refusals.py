"""What an evaluation refuses before it loads anything. Rows: D4."""

import subprocess
import sys
from pathlib import Path

import pytest

from tenants.models import Tenant
from tests.lab.evaluation.dataset import bilingual, write_dataset
from tests.lab.management.commands.evaluate.evaluating import read_refusal


def test_a_fault_is_named_and_nothing_is_loaded(database: None, tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"][0]["questions"][0]["evidence"] = 7

    assert "subjects.0.questions.0.evidence" in read_refusal(write_dataset(tmp_path, content))
    assert not Tenant.objects.exists()


def test_categories_that_leave_nothing_are_named(database: None, tmp_path: Path) -> None:
    assert "No question" in read_refusal(write_dataset(tmp_path), "--categories", "9")


@pytest.mark.parametrize("budgets", ["", "0,500", "many"])
def test_budgets_are_numbers_above_zero(database: None, tmp_path: Path, budgets: str) -> None:
    assert "budgets" in read_refusal(write_dataset(tmp_path), "--budgets", budgets)


@pytest.mark.parametrize("option", ["--json", "--plot", "--keep"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is_loaded(
    database: None, tmp_path: Path, option: str
) -> None:
    data = write_dataset(tmp_path)
    if option == "--plot":
        pytest.importorskip("matplotlib")
    for place in [data] if option == "--keep" else [tmp_path / "none" / "run", tmp_path]:
        assert "Cannot write" in read_refusal(data, option, str(place))
    assert not Tenant.objects.exists()


def test_tuning_needs_two_subjects(database: None, tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"].pop()

    assert "at least two subjects" in read_refusal(write_dataset(tmp_path, content), "--tune")


@pytest.mark.processes
@pytest.mark.slow
def test_without_the_package_that_draws_it_says_how_to_get_it(tmp_path: Path) -> None:
    """In a process of its own that cannot see matplotlib, wherever it is installed."""
    hidden = (
        "import sys; sys.modules['matplotlib'] = None; import importlib.util as u; found = u.find_spec; "
        "u.find_spec = lambda name, *more: None if name == 'matplotlib' else found(name, *more); "
        "from django.core.management import execute_from_command_line as run; "
        f"run(['manage.py', 'evaluate', {str(write_dataset(tmp_path))!r}, '--plot', 'curve.png'])"
    )
    said = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)

    assert said.returncode == 1
    assert "make evaluation" in said.stderr


def test_judging_needs_a_chat_model(database: None, tmp_path: Path) -> None:
    assert "CHAT_MODEL" in read_refusal(write_dataset(tmp_path), "--judge", "2")
    assert not Tenant.objects.exists()
