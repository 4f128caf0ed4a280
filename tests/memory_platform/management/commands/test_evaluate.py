"""A data set with questions, from the file to the figures, through the product's own path. Rows: D4."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from memory_platform.evaluation.ablation import ABLATIONS
from memory_platform.evaluation.run_file import FORMAT, run_id
from memory_platform.evaluation.scratch import Scratch, index_again
from memory_platform.providers.hashing_embedder import HashingEmbedder
from snapshots.models import Message, Snapshot, SnapshotVector, SnapshotWords, SubjectMemory, Work, WorkState
from snapshots.recall.policy import DEFAULT_RECALL
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tests.memory_platform.evaluation.dataset import bilingual, written
from tests.memory_platform.evaluation.judge import WRITTEN, judge_configured
from tests.model_server import ModelServer


def evaluate(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("evaluate", str(path), *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def refusal(path: Path, *options: str) -> str:
    with pytest.raises(CommandError) as refused:
        evaluate(path, *options)
    return str(refused.value)


def run_of(tmp_path: Path, *options: str, content: Any = None) -> dict[str, Any]:
    out = tmp_path / "run.json"
    evaluate(written(tmp_path, content), "--json", str(out), *options)
    run = orjson.loads(out.read_bytes())
    assert isinstance(run, dict)
    return run


def texts_of(value: object) -> set[str]:
    if isinstance(value, Mapping):
        return set().union(*(texts_of(held) for held in (*value.keys(), *value.values())))
    if isinstance(value, list):
        return set().union(*map(texts_of, value))
    return {value} if isinstance(value, str) else set()


@pytest.fixture
def judge_server(settings: Settings) -> Iterator[ModelServer]:
    with judge_configured(settings) as running:
        yield running


@pytest.mark.usefixtures("database")
class TestEvaluate:
    def test_a_data_set_becomes_figures(self, tmp_path: Path) -> None:
        run = run_of(tmp_path)

        assert run["format"] == FORMAT
        parts = {"dataset", "code", "embedders", "policy", "asked", "figures", "lanes", "rows"}
        assert set(run) == {"format", "run_id", "rows_sha256", *parts}
        assert run["embedders"] == [HashingEmbedder().name]
        assert run["asked"]["questions"] == 6
        assert run["asked"]["left_out"] == {"no_evidence": 1, "category": 1}
        assert set(run["figures"]["by_category"]) == {"single", "multi"}
        assert run["figures"]["by_subject"]["mei"]["questions"] == 3
        assert [row["id"] for row in run["rows"]] == ["q1", "q2", "q3", "m1", "m2", "m3"]
        # Ten memories at most: everything that shares a word with its question is within an answer of a hundred.
        assert run["figures"]["overall"]["recall@50"] > 0.8
        assert run["figures"]["overall"]["coverage@2000"] >= run["figures"]["overall"]["coverage@500"] > 0.8

    def test_a_mean_is_that_of_its_rows(self, tmp_path: Path) -> None:
        run = run_of(tmp_path)

        for name, mean in run["figures"]["overall"].items():
            assert mean == pytest.approx(sum(row["figures"][name] for row in run["rows"]) / 6, abs=1e-6)

    def test_lanes_stand_alone(self, tmp_path: Path) -> None:
        lanes = run_of(tmp_path)["lanes"]

        assert lanes["keyword"]["questions"] == lanes["dense"]["questions"] == 6
        assert lanes["keyword"] != lanes["dense"]

    def test_lanes_are_told_by_category(self, tmp_path: Path) -> None:
        run = run_of(tmp_path)
        for lane in run["lanes"].values():
            parts = lane["by_category"]
            assert parts.keys() == run["figures"]["by_category"].keys()
            assert sum(part["questions"] for part in parts.values()) == lane["questions"]
            mean = sum(part["questions"] * part["recall@10"] for part in parts.values()) / lane["questions"]
            assert mean == pytest.approx(lane["recall@10"], abs=1e-5)
        assert evaluate(written(tmp_path)).count("keyword alone") == 1 + len(run["figures"]["by_category"])

    def test_a_run_holds_no_text(self, tmp_path: Path) -> None:
        said = {
            message["content"]
            for subject in bilingual()["subjects"]
            for conversation in subject["conversations"]
            for message in conversation["messages"]
        }
        asked = {question["query"] for subject in bilingual()["subjects"] for question in subject["questions"]}

        assert texts_of(run_of(tmp_path)) & (said | asked) == set()

    def test_a_repeat_is_the_same_run_in_the_same_tenant(self, tmp_path: Path) -> None:
        first = run_of(tmp_path)
        (tenant,) = Tenant.objects.all()
        with tenant_tx(tenant.id):
            before = list(Work.objects.order_by("id").values()), list(SubjectMemory.objects.order_by("id").values())

        path = tmp_path / "again.json"
        said = evaluate(written(tmp_path), "--json", str(path))

        assert "stored already" in said
        assert orjson.loads(path.read_bytes()) == first
        assert first["run_id"] == run_id(first)
        with tenant_tx(tenant.id):
            after = list(Work.objects.order_by("id").values()), list(SubjectMemory.objects.order_by("id").values())
        assert after == before

    def test_another_file_never_meets_what_the_first_one_stored(self, tmp_path: Path) -> None:
        evaluate(written(tmp_path))
        content = bilingual()
        content["subjects"][0]["conversations"][0]["messages"][0]["content"] = "I have always lived in Lisbon."
        evaluate(written(tmp_path, content))

        tenants = list(Tenant.objects.all())
        assert len(tenants) == 2
        for tenant in tenants:
            assert tenant.slug.startswith("evaluation-")
            with tenant_tx(tenant.id):
                assert Message.objects.count() == 10

    def test_a_stopped_run_is_taken_up(self, tmp_path: Path) -> None:
        evaluate(written(tmp_path))
        (tenant,) = Tenant.objects.all()
        with tenant_tx(tenant.id):
            Message.objects.filter(external_id="c2-0").delete()

        assert "Loading" in evaluate(written(tmp_path))
        with tenant_tx(tenant.id):
            assert Message.objects.count() == 10
            assert not Work.objects.exclude(state=WorkState.DONE).exists()

    def test_its_memories_stay(self, tmp_path: Path) -> None:
        evaluate(written(tmp_path))

        with tenant_tx(Tenant.objects.get().id):
            assert Snapshot.objects.exists()
            assert not Snapshot.objects.filter(expires_at__isnull=False).exists()

    def test_what_it_stores_is_what_it_would_index_again(self, tmp_path: Path) -> None:
        assert "other code" not in evaluate(written(tmp_path))

    def test_memories_of_other_code_are_indexed_again(self, tmp_path: Path) -> None:
        evaluate(written(tmp_path))
        (tenant,) = Tenant.objects.all()
        with tenant_tx(tenant.id):
            before = dict(SnapshotWords.objects.values_list("snapshot_id", "words"))
            sayings = dict(SnapshotWords.objects.values_list("snapshot_id", "saying"))
            first, second, third = sorted(before)[:3]
            SnapshotWords.objects.filter(snapshot_id=first).update(words=b"")
            SnapshotWords.objects.filter(snapshot_id=third).update(saying=None)
            SnapshotVector.objects.filter(snapshot_id=second).delete()
            memory = SubjectMemory.objects.get(subject_id=Snapshot.objects.get(id=first).subject_id)

        assert index_again(Scratch(tenant.id, tenant.slug, filled=True)) == 3
        with tenant_tx(tenant.id):
            assert dict(SnapshotWords.objects.values_list("snapshot_id", "words")) == before
            assert dict(SnapshotWords.objects.values_list("snapshot_id", "saying")) == sayings
            assert SnapshotVector.objects.filter(snapshot_id__in=[first, second]).count() == 2
            assert SubjectMemory.objects.get(id=memory.id).version > memory.version

    def test_it_prints_a_table(self, tmp_path: Path) -> None:
        said = evaluate(written(tmp_path), "--budgets", "125,250")

        assert "6 questions, 1 left out (category), 1 left out (no_evidence)" in said
        (head,) = [line for line in said.splitlines() if line.startswith("lane")]
        assert {"recall@5", "recall@50", "hit@10", "mrr", "ndcg@10", "coverage@125"} <= set(head.split())
        assert "coverage@250" in head
        assert [line for line in said.splitlines() if line.startswith("keyword alone")]


def test_a_fault_is_named_and_nothing_is_loaded(database: None, tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"][0]["questions"][0]["evidence"] = 7

    assert "subjects.0.questions.0.evidence" in refusal(written(tmp_path, content))
    assert not Tenant.objects.exists()


def test_categories_that_leave_nothing_are_named(database: None, tmp_path: Path) -> None:
    assert "No question" in refusal(written(tmp_path), "--categories", "9")


@pytest.mark.parametrize("budgets", ["", "0,500", "many"])
def test_budgets_are_numbers_above_zero(database: None, tmp_path: Path, budgets: str) -> None:
    assert "budgets" in refusal(written(tmp_path), "--budgets", budgets)


@pytest.mark.parametrize("option", ["--json", "--plot", "--keep"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is_loaded(
    database: None, tmp_path: Path, option: str
) -> None:
    data = written(tmp_path)
    if option == "--plot":
        pytest.importorskip("matplotlib")
    for place in [data] if option == "--keep" else [tmp_path / "none" / "run", tmp_path]:
        assert "Cannot write" in refusal(data, option, str(place))
    assert not Tenant.objects.exists()


def test_a_folder_to_keep_runs_in_is_made(database: None, tmp_path: Path) -> None:
    run = run_of(tmp_path, "--keep", str(tmp_path / "made" / "runs"))
    assert (tmp_path / "made" / "runs" / f"{run['run_id']}.json").exists()


def test_a_run_is_kept_without_its_rows_under_its_own_id(database: None, tmp_path: Path) -> None:
    run = run_of(tmp_path, "--keep", str(tmp_path))
    kept = orjson.loads((tmp_path / f"{run['run_id']}.json").read_bytes())

    assert kept == {name: value for name, value in run.items() if name != "rows"}
    assert run_id(kept) == kept["run_id"]
    assert run_id({**kept, "figures": {}}) != kept["run_id"]
    assert run_id({**kept, "rows_sha256": ""}) != kept["run_id"]


def test_a_sweep_joins_the_run_and_the_report(database: None, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    said = evaluate(written(tmp_path), "--sweep", "--json", str(out))
    run = orjson.loads(out.read_bytes())

    assert set(run["sweep"]["keyword_own"]) == {"0.2", "0.5", "0.7"}
    assert set(run["sweep"]["fusion"]["ranks"]) == {
        "recall@10",
        "ndcg@10",
        "coverage@500",
        "coverage@1000",
        "coverage@2000",
    }
    assert "keyword_own 0.7" in said


def test_worth_and_tuning_join_the_run_and_the_report(database: None, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    said = evaluate(written(tmp_path), "--ablate", "--tune", "--json", str(out))
    run = orjson.loads(out.read_bytes())

    assert set(run["ablation"]) == set(ABLATIONS)
    worth = run["ablation"]["keyword: window of neighbours"]["ndcg@10"]
    assert worth["low"] <= worth["mean"] <= worth["high"]
    for search in run["tuning"]["searches"].values():
        assert [fold["held_out"] for fold in search["folds"]] == [["lin"], ["mei"]]
    assert run["tuning"]["fixed"] == run["figures"]["overall"]
    assert "Worth of each optimisation" in said
    assert "without mei: " in said
    assert run["policy"] == orjson.loads(orjson.dumps(asdict(DEFAULT_RECALL)))  # it prints; it never writes a policy


def test_tuning_needs_two_subjects(database: None, tmp_path: Path) -> None:
    content = bilingual()
    content["subjects"].pop()

    assert "at least two subjects" in refusal(written(tmp_path, content), "--tune")


def test_the_curves_of_a_picture_stand_in_the_run(database: None, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the packages of the group evaluation are not installed")
    out, picture = tmp_path / "run.json", tmp_path / "curve.png"

    evaluate(written(tmp_path), "--json", str(out), "--plot", str(picture))

    assert picture.exists()
    assert "most recent first" in orjson.loads(out.read_bytes())["curves"]
    assert "Cannot draw" in refusal(written(tmp_path), "--plot", str(tmp_path / "curve.xyz"))


def test_without_the_package_that_draws_it_says_how_to_get_it(tmp_path: Path) -> None:
    """In a process of its own that cannot see matplotlib, wherever it is installed."""
    hidden = (
        "import sys; sys.modules['matplotlib'] = None; import importlib.util as u; found = u.find_spec; "
        "u.find_spec = lambda name, *more: None if name == 'matplotlib' else found(name, *more); "
        "from django.core.management import execute_from_command_line as run; "
        f"run(['manage.py', 'evaluate', {str(written(tmp_path))!r}, '--plot', 'curve.png'])"
    )
    said = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)

    assert said.returncode == 1
    assert "make evaluation" in said.stderr


def test_judging_needs_a_chat_model(database: None, tmp_path: Path) -> None:
    assert "CHAT_MODEL" in refusal(written(tmp_path), "--judge", "2")
    assert not Tenant.objects.exists()


def test_a_judgement_joins_the_run_without_a_word_of_the_model(
    database: None, judge_server: ModelServer, tmp_path: Path
) -> None:
    out = tmp_path / "run.json"

    said = evaluate(written(tmp_path), "--judge", "2", "--json", str(out))

    judging = orjson.loads(out.read_bytes())["judging"]
    assert judging["model"] == "openai:judge-1"
    assert len(judging["rows"]) == 2
    assert judging["figures"]["accuracy"] == {"mean": 1.0, "questions": 2}  # of q1 and m1, which have answers
    assert "Judged by openai:judge-1" in said
    assert texts_of(judging) & {WRITTEN["answer"], "Ghent", "rain"} == set()
