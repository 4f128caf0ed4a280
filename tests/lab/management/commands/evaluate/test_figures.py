"""A data set with questions, from the file to the figures, through the product's own path. Rows: D4."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import pytest
from pytest_django.fixtures import Settings

from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.run_file import FORMAT, run_id
from memory_platform.providers.embedders.hashing import HashingEmbedder
from snapshots.models import Snapshot
from snapshots.recall.config import DEFAULT_RECALL
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tests.lab.evaluation.dataset import bilingual, write_dataset
from tests.lab.evaluation.judge import WRITTEN, judge_configured
from tests.lab.management.commands.evaluate.evaluating import evaluate, make_run, read_refusal
from tests.model_server import ModelServer

pytestmark = [pytest.mark.usefixtures("shared_database"), pytest.mark.xdist_group("evaluation")]


@pytest.fixture(scope="module")
def run(shared_database: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run over the data set, which stays stored for the tests of this module."""
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture
def judge_server(settings: Settings) -> Iterator[ModelServer]:
    with judge_configured(settings) as running:
        yield running


def texts_of(value: object) -> set[str]:
    if isinstance(value, Mapping):
        return set().union(*(texts_of(held) for held in (*value.keys(), *value.values())))
    if isinstance(value, list):
        return set().union(*map(texts_of, value))
    return {value} if isinstance(value, str) else set()


def test_a_data_set_becomes_figures(run: dict[str, Any]) -> None:
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


def test_a_mean_is_that_of_its_rows(run: dict[str, Any]) -> None:
    for name, mean in run["figures"]["overall"].items():
        assert mean == pytest.approx(sum(row["figures"][name] for row in run["rows"]) / 6, abs=1e-6)


def test_lanes_stand_alone(run: dict[str, Any]) -> None:
    lanes = run["lanes"]

    assert lanes["keyword"]["questions"] == lanes["dense"]["questions"] == 6
    assert lanes["keyword"] != lanes["dense"]


def test_lanes_are_told_by_category(run: dict[str, Any], tmp_path: Path) -> None:
    for lane in run["lanes"].values():
        parts = lane["by_category"]
        assert parts.keys() == run["figures"]["by_category"].keys()
        assert sum(part["questions"] for part in parts.values()) == lane["questions"]
        mean = sum(part["questions"] * part["recall@10"] for part in parts.values()) / lane["questions"]
        assert mean == pytest.approx(lane["recall@10"], abs=1e-5)
    assert evaluate(write_dataset(tmp_path)).count("keyword alone") == 1 + len(run["figures"]["by_category"])


def test_a_run_holds_no_text(run: dict[str, Any]) -> None:
    said = {
        message["content"]
        for subject in bilingual()["subjects"]
        for conversation in subject["conversations"]
        for message in conversation["messages"]
    }
    asked = {question["query"] for subject in bilingual()["subjects"] for question in subject["questions"]}

    assert texts_of(run) & (said | asked) == set()


def test_its_memories_stay(run: dict[str, Any]) -> None:
    with tenant_tx(Tenant.objects.get().id):
        assert Snapshot.objects.exists()
        assert not Snapshot.objects.filter(expires_at__isnull=False).exists()


def test_it_prints_a_table(tmp_path: Path) -> None:
    said = evaluate(write_dataset(tmp_path), "--budgets", "125,250")

    assert "6 questions, 1 left out (category), 1 left out (no_evidence)" in said
    (head,) = [line for line in said.splitlines() if line.startswith("lane")]
    assert {"recall@5", "recall@50", "hit@10", "mrr", "ndcg@10", "coverage@125"} <= set(head.split())
    assert "coverage@250" in head
    assert [line for line in said.splitlines() if line.startswith("keyword alone")]


def test_a_sweep_joins_the_run_and_the_report(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    said = evaluate(write_dataset(tmp_path), "--sweep", "--json", str(out))
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


def test_worth_and_tuning_join_the_run_and_the_report(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    said = evaluate(write_dataset(tmp_path), "--ablate", "--tune", "--json", str(out))
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


def test_a_folder_to_keep_runs_in_is_made(tmp_path: Path) -> None:
    run = make_run(tmp_path, "--keep", str(tmp_path / "made" / "runs"))
    assert (tmp_path / "made" / "runs" / f"{run['run_id']}.json").exists()


def test_a_run_is_kept_without_its_rows_under_its_own_id(tmp_path: Path) -> None:
    run = make_run(tmp_path, "--keep", str(tmp_path))
    kept = orjson.loads((tmp_path / f"{run['run_id']}.json").read_bytes())

    assert kept == {name: value for name, value in run.items() if name != "rows"}
    assert run_id(kept) == kept["run_id"]
    assert run_id({**kept, "figures": {}}) != kept["run_id"]
    assert run_id({**kept, "rows_sha256": ""}) != kept["run_id"]


def test_the_curves_of_a_picture_stand_in_the_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the packages of the group evaluation are not installed")
    out, picture = tmp_path / "run.json", tmp_path / "curve.png"

    evaluate(write_dataset(tmp_path), "--json", str(out), "--plot", str(picture))

    assert picture.exists()
    assert "most recent first" in orjson.loads(out.read_bytes())["curves"]
    assert "Cannot draw" in read_refusal(write_dataset(tmp_path), "--plot", str(tmp_path / "curve.xyz"))


def test_a_judgement_joins_the_run_without_a_word_of_the_model(judge_server: ModelServer, tmp_path: Path) -> None:
    out = tmp_path / "run.json"

    said = evaluate(write_dataset(tmp_path), "--judge", "2", "--json", str(out))

    judging = orjson.loads(out.read_bytes())["judging"]
    assert judging["model"] == "openai:judge-1"
    assert len(judging["rows"]) == 2
    assert judging["figures"]["accuracy"] == {"mean": 1.0, "questions": 2}  # of q1 and m1, which have answers
    assert "Judged by openai:judge-1" in said
    assert texts_of(judging) & {WRITTEN["answer"], "Ghent", "rain"} == set()
