"""PrecisionMemBench: its fixtures as they were published, and its runner's judgement. Rows: R3, X11."""

import hashlib
from typing import Any

import pytest

from lab.benchmarks.precision.benchmark import (
    FIXTURES,
    ask_cases,
    compute_precision_scores,
    judge_case,
    precision_tenant,
    read_cases,
    read_seed,
    store_seed,
)
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World

SEED = {one.id: one for one in read_seed()}
CASES = {one.id: one for one in read_cases()}


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("beliefs.seed.json", "35659b3b9a581b644fc6746e1b4e902c3e7b56c0973b546bf7b0816a69e3de98"),
        ("retrieval.cases.json", "09e99f0852280538abe34b03570f65583fdb10df3c554b7150f0f665d5db709c"),
    ],
)
def test_the_fixtures_are_those_that_were_published(name: str, digest: str) -> None:
    assert hashlib.sha256((FIXTURES / name).read_bytes()).hexdigest() == digest


def test_an_oracle_passes_what_can_be_passed_and_silence_the_empty_cases() -> None:
    right = [judge_case(one, sorted(one.only or ()), SEED) for one in CASES.values()]
    beyond_reach = {one.case.id for one in right if not one.passed}
    assert beyond_reach == {
        "relation-type-expands-participants",
        "relation-participant-open-question-routes-correctly",
        "relation-expansion-respects-scope-filter",
        "relation-does-not-appear-as-entity",
    }  # its adapter adds an open question to what a relation brings
    assert (compute_precision_scores(right).active, compute_precision_scores(right).active_cases) == (39, 43)
    silent = compute_precision_scores([judge_case(one, (), SEED) for one in CASES.values()])
    assert (silent.active, silent.passed, silent.recall) == (0, 34, 0.0)


def test_one_memory_too_many_fails_a_case() -> None:
    case = CASES["alias-gha-resolves"]
    judged = judge_case(case, ["b-ci-gha-entity", "b-kubernetes-entity"], SEED)
    assert (judged.passed, judged.precision, judged.recall) == (False, 0.5, 1.0)


@pytest.mark.slow
def test_the_figures_are_those_that_docs_relevance_tells(world: World, settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"
    tenant_id = precision_tenant()
    store_seed(tenant_id)
    plain, strict = (compute_precision_scores(ask_cases(tenant_id, strict=strict)) for strict in (False, True))
    assert (strict.active_cases, strict.cases) == (43, 77)
    assert strict.active >= 37
    assert strict.passed >= 65
    assert plain.passed >= 14
    assert strict.precision >= 0.84
    assert plain.precision >= 0.15
    assert min(plain.recall, strict.recall) >= 0.98


def test_a_strict_question_finds_fewer_than_a_plain_one(world: World) -> None:
    tenant_id = precision_tenant()
    store_seed(tenant_id)
    store_seed(tenant_id)
    with tenant_tx(tenant_id):
        assert Snapshot.objects.count() == len(SEED)
    plain, strict = (compute_precision_scores(ask_cases(tenant_id, strict=strict)) for strict in (False, True))
    assert strict.passed > plain.passed
    assert strict.precision > plain.precision
