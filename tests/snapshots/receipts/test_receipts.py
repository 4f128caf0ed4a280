"""What a receipt keeps, and what it does not. Rows: G1."""

from datetime import timedelta
from uuid import UUID

import orjson
import pytest
from django.db import connection

from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.candidate_packing import name_explanation_values, unpack_candidates
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_tenant
from snapshots.receipts.read import find_receipt, list_explained_candidates, list_receipts, unpack_rendered_prompt
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from tenants.isolation import tenant_tx
from tests.conftest import House, World

SEEN, LEFT_OUT, WEAK = new_id(), new_id(), new_id()
PLACE, SCORE, FACTORS = (1, 0.83, "own", None, None, None), (1.5, 0.5, 0.0, 0.0, 0.9, None), (1.05, 0.7, 1.0, 1.0)
EXPLAIN = (*PLACE, *SCORE, *FACTORS, 0.98, None, 0.4, 0.6, None, None, None)
EXPLAINED = {
    "dense": {"rank": 1, "score": 0.83, "view": "own"},
    "keyword": None,
    "fused": 1.5,
    "smoothed": 0.5,
    "conversation": 0.0,
    "preferred": 0.0,
    "semantic": 0.9,
    "reranked": None,
    "factors": {"recency": 1.05, "confidence_effective": 0.7, "provenance": 1.0, "frequency": 1.0},
    "relevance": {"need": 0.98, "as_note": 0.4, "as_statement": 0.6},
}
CANDIDATES = (
    ReceiptCandidate(str(WEAK), "snapshots", "statement", 0.1, "over_budget", 40),
    ReceiptCandidate(str(LEFT_OUT), "snapshots", "statement", 0.4, "duplicate_of_window", 12),
    ReceiptCandidate("summary", "summary", "summary", 0.0, "kept", 30, context_position=2),
    ReceiptCandidate(str(SEEN), "snapshots", "statement", 0.7, "kept", 20, context_position=1, explain=EXPLAIN),
)
SENT = RenderedPrompt("我家在哪里？", [{"role": "user", "content": "我家在哪里？"}])
ASKED = {
    "en": ("When does Theo swim?", "- Theo swims on Mondays\n", ["Theo", "swim"]),
    "zh": ("小米几点游泳？", "- 小米周一游泳\n", ["小米", "游泳"]),
}


def write_one(house: House, subject: Subject | None = None) -> UUID:
    draft = ReceiptDraft(
        subject_id=(subject or house.subject).id,
        policy_version="7",
        rendered=SENT,
        candidates=CANDIDATES,
        intent="navigation",
        tokens={"total": 90},
        degraded_reason="redis_unavailable",
    )
    with tenant_tx(house.tenant.id):
        return write_receipt(draft).id


def test_a_receipt_gives_back_what_was_asked_sent_and_decided(world: World) -> None:
    receipt_id = write_one(world.acme)
    with tenant_tx(world.acme.tenant.id):
        receipt = find_receipt(receipt_id)
        assert unpack_rendered_prompt(receipt) == SENT
        assert (receipt.intent, receipt.degraded_reason, receipt.tokens) == (
            "navigation",
            "redis_unavailable",
            {"total": 90},
        )
        candidates = list_explained_candidates(receipt)
    assert [one["memory_id"] for one in candidates] == [str(SEEN), "summary", str(LEFT_OUT), str(WEAK)]
    assert candidates[0] == {
        "memory_id": str(SEEN),
        "lane": "snapshots",
        "kind": "statement",
        "candidate_score": 0.7,
        "decision_reason": "kept",
        "guardrail_hit": None,
        "context_position": 1,
        "tokens": 20,
        "explain": EXPLAINED,
        "policy_version": "7",
        "utilized": None,
        "user_feedback_signal": None,
        "relevance": None,
        "threshold": None,
        "standing": "",
        "passage": None,
        "words": None,
    }


def test_only_memories_in_the_context_get_a_row_of_their_own(world: World) -> None:
    write_one(world.acme)
    assert write_memory_rows_of_tenant(world.acme.tenant.id) == 1
    with tenant_tx(world.acme.tenant.id):
        rows = list(ReceiptMemory.objects.filter(subject=world.acme.subject))
    assert [(row.memory_ref, row.context_position) for row in rows] == [(SEEN, 1)]


def test_feedback_shows_with_its_candidate(world: World) -> None:
    receipt_id = write_one(world.acme)
    write_memory_rows_of_tenant(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        ReceiptMemory.objects.filter(memory_ref=SEEN).update(utilised=True, signal="positive")
        first, *others = list_explained_candidates(find_receipt(receipt_id))
    assert (first["utilized"], first["user_feedback_signal"]) == (True, "positive")
    assert all(one["utilized"] is None for one in others)


def test_no_words_stand_outside_of_what_is_purged(world: World) -> None:
    receipt_id = write_one(world.acme)
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.filter(id=receipt_id).update(rendered=None)
        receipt = find_receipt(receipt_id)
        assert unpack_rendered_prompt(receipt) is None
        kept = orjson.dumps([unpack_candidates(receipt), receipt.due, receipt.sections, receipt.tokens]).decode()
    assert "家" not in kept


def test_the_commit_does_not_wait_for_the_disk_and_the_next_transaction_does(world: World) -> None:
    def mode() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return str(cursor.fetchone()[0])

    with tenant_tx(world.acme.tenant.id):
        before = mode()
        write_receipt(ReceiptDraft(world.acme.subject.id, "1", SENT))
        assert mode() == "off"
    with tenant_tx(world.acme.tenant.id):
        assert mode() == before != "off"


def test_receipts_are_found_by_subject_memory_and_time(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="小林")
    adas, lins = write_one(world.acme), write_one(world.acme, other)
    with tenant_tx(world.acme.tenant.id):
        said = find_receipt(adas).created_at
        instant = timedelta(microseconds=1)
        assert {one.id for one in list_receipts()} == {adas, lins}
        assert [one.id for one in list_receipts(subject_external_id="小林")] == [lins]
        assert {one.id for one in list_receipts(memory_id=SEEN)} == {adas, lins}
        assert not list_receipts(memory_id=LEFT_OUT).exists()
        assert [one.id for one in list_receipts(since=said, until=said)] == [adas]
        assert not list_receipts(until=said - instant).exists()
        assert not list_receipts(subject_external_id="nobody").exists()


def test_an_explanation_of_before_says_nothing_of_what_the_relevance_was_made_of() -> None:
    assert name_explanation_values((*PLACE, *SCORE, *FACTORS)) == {**EXPLAINED, "relevance": {}}


def test_a_receipt_of_before_shows_the_candidates_that_it_was_written_with(world: World) -> None:
    receipt_id = write_one(world.acme)
    with tenant_tx(world.acme.tenant.id):
        now = list_explained_candidates(find_receipt(receipt_id))
        then = unpack_candidates(find_receipt(receipt_id))
        Receipt.objects.filter(id=receipt_id).update(candidates=then, packed=None, due=None)
        ReceiptMemory.objects.create(
            subject=world.acme.subject, receipt_id=receipt_id, memory_ref=SEEN, lane="snapshots", context_position=1
        )
        assert list_explained_candidates(find_receipt(receipt_id)) == now
        assert [one.id for one in list_receipts(memory_id=SEEN)] == [receipt_id]


def test_another_tenants_receipt_is_one_that_nobody_has(world: World) -> None:
    receipt_id = write_one(world.acme)
    with tenant_tx(world.globex.tenant.id):
        for wanted in (receipt_id, new_id()):
            with pytest.raises(NotFound, match="No receipt with this id"):
                find_receipt(wanted)
        assert not list_receipts(subject_external_id="ada").exists()
        assert not list_receipts(memory_id=SEEN).exists()


@pytest.mark.parametrize("language", ASKED)
def test_a_receipt_tells_which_words_of_the_question_met_a_memory(world: World, language: str) -> None:
    query, line, words = ASKED[language]
    sent = RenderedPrompt(query, [{"role": "system", "content": f"Memory:\n{line}"}], places=[(1, 0, 8, 8 + len(line))])
    met, left_out = CANDIDATES[3], CANDIDATES[1]
    draft = ReceiptDraft(world.acme.subject.id, "7", sent, candidates=(left_out, met))
    with tenant_tx(world.acme.tenant.id):
        kept, out = list_explained_candidates(find_receipt(write_receipt(draft).id))
    assert set(words) <= set(kept["words"])
    assert out["words"] is None
